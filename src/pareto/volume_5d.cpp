#include <algorithm>

#include "pareto/cut_filter.hpp"
#include "pareto/solid.hpp"
#include "pareto/volumes.hpp"

namespace paretune::pareto {

/// Points by their fifth cost; each adds the part of its 4-D box that those before it leave free, times its
/// depth.
double volume_5d(const double* points, std::size_t count) {
  std::vector<CutFilter::Row> rows(count);
  for (std::size_t i = 0; i < count; ++i) std::copy_n(points + i * 5, CutFilter::kCosts, rows[i].begin());
  CutFilter filter(rows);
  Solid solid;
  std::vector<CutFilter::Row> limit;
  double volume = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!filter.cut_members(i, limit)) continue;
    solid.clear();
    double free = rows[i][0] * rows[i][1] * rows[i][2] * rows[i][3];
    for (const CutFilter::Row& row : limit) free -= solid.add(row[0], row[1], row[2]) * -row[3];
    volume += std::max(0.0, free) * -points[i * 5 + 4];
    filter.add_member(i);
  }
  return volume;
}

}  // namespace paretune::pareto
