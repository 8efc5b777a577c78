// The part of a set of points that matters inside the box of one point: the points cut to the box, without
// those that are dominated after cutting. It is far smaller than the set (about 25 of 500 on a 5-D sphere),
// which is what makes the recursive hypervolume fast.
#pragma once

#include <cstddef>
#include <vector>

namespace paretune::pareto {

/// One thread; keeps its memory from call to call. Costs are negative (relative to the reference point).
class LimitSet {
 public:
  explicit LimitSet(std::size_t objectives) : m_(objectives) {}

  /// @param points  row by row. @param corner  the point whose box is looked at.
  /// @return false, with rows undefined, if one of the points weakly dominates the corner.
  bool assign(const std::vector<double>& points, const double* corner);

  std::size_t size() const { return size_; }
  const double* rows() const { return chosen_.data(); }  ///< by last cost

 private:
  template <std::size_t M>
  bool assign_as(const double* points, std::size_t count, const double* corner);
  void sort_by_last_cost();

  std::size_t m_;
  std::size_t size_ = 0;
  std::vector<double> cut_;  ///< rows not yet chosen or dropped
  std::vector<double> box_;  ///< the volume of each one's box
  std::vector<double> chosen_;
  std::vector<double> sorted_;
  std::vector<const double*> order_;
};

}  // namespace paretune::pareto
