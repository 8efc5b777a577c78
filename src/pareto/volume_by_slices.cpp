// Hypervolume of five and more costs. Points are taken in the order of their last cost; each adds the part of
// its (m-1)-dimensional box that the points before it leave free, times its depth in the last cost. That part
// is the box less the volume of the limit set: the points before it, cut to the box. Source: WFG (While,
// Bradstreet & Barone, IEEE TEVC 16(1), 2012), with the slicing of §IV-C and a 4-D sweep below.
#include <algorithm>
#include <cstddef>
#include <memory>

#include "pareto/limit_set.hpp"
#include "pareto/solid.hpp"
#include "pareto/volumes.hpp"

namespace paretune::pareto {

namespace {

/// Above this many points the tables of volume_5d (count^2 / 2 bytes) would not fit the cache, and later the
/// memory.
constexpr std::size_t kMaxTable = 8192;

/// Adds points of `m` costs one by one and tells the new volume of each; m >= 4. Recursive: the limit sets of
/// one level are the input of the next.
class Slices {
 public:
  explicit Slices(std::size_t objectives) : m_(objectives), limit_(objectives) {
    if (m_ > 4) lower_ = std::make_unique<Slices>(m_ - 1);
  }

  /// Volume of `count` points, row by row, that are sorted by their last cost.
  double volume(const double* points, std::size_t count) {
    double total = 0;
    if (m_ == 4) {
      solid_.clear();
      for (const double* p = points; p != points + count * 4; p += 4)
        total += solid_.add(p[0], p[1], p[2]) * -p[3];
      return total;
    }
    if (m_ == 5 && count <= kMaxTable) return volume_5d(points, count);
    lower_->members_.clear();
    for (const double* p = points; p != points + count * m_; p += m_) total += lower_->add(p) * -p[m_ - 1];
    return total;
  }

 private:
  /// New volume of a point among the members, in m_ costs; the point joins them unless one of them dominates
  /// it.
  double add(const double* p) {
    double box = 1;
    for (std::size_t j = 0; j < m_; ++j) box *= -p[j];
    if (!limit_.assign(members_, p)) return 0;
    const double covered = volume(limit_.rows(), limit_.size());
    members_.insert(members_.end(), p, p + m_);
    return std::max(0.0, box - covered);
  }

  std::size_t m_;
  std::unique_ptr<Slices> lower_;  ///< one cost less; null at m = 4
  Solid solid_;                    ///< m = 4 only
  std::vector<double> members_;    ///< of m_ costs, row by row
  LimitSet limit_;
};

}  // namespace

double volume_by_slices(const ShiftedCosts& costs) {
  const std::size_t m = costs.objectives;
  std::vector<const double*> order(costs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = costs.row(i);
  std::sort(order.begin(), order.end(),
            [m](const double* a, const double* b) { return a[m - 1] < b[m - 1]; });
  std::vector<double> points;
  points.reserve(costs.values.size());
  for (const double* row : order) points.insert(points.end(), row, row + m);
  return Slices(m).volume(points.data(), order.size());
}

}  // namespace paretune::pareto
