#include <algorithm>

#include "pareto/solid.hpp"
#include "pareto/volumes.hpp"

namespace paretune::pareto {

double volume_4d(const ShiftedCosts& costs) {
  std::vector<const double*> order(costs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = costs.row(i);
  // By the fourth cost; of equal ones the lexicographically smaller first, since it may dominate the other.
  std::sort(order.begin(), order.end(), [](const double* a, const double* b) {
    return a[3] != b[3] ? a[3] < b[3] : std::lexicographical_compare(a, a + 3, b, b + 3);
  });
  Solid solid;
  double volume = 0;
  for (const double* point : order) volume += solid.add(point[0], point[1], point[2]) * -point[3];
  return volume;
}

}  // namespace paretune::pareto
