// The lower-left boundary of a set of points in the plane: steps with x ascending and y descending.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace paretune::pareto {

class Staircase {
 public:
  /// Is there a step with step.x <= x and step.y <= y? O(log n)
  bool covers(double x, double y) const {
    const std::size_t after = first_beyond(x);
    return after > 0 && steps_[after - 1].y <= y;
  }

  /// Adds a point that is not covered and drops the steps it covers. O(log n) comparisons and one move of the
  /// tail.
  void insert(double x, double y) {
    std::size_t begin = first_beyond(x);
    if (begin > 0 && steps_[begin - 1].x == x) --begin;  // an equal x that does not cover has a larger y
    std::size_t end = begin;
    while (end < steps_.size() && steps_[end].y >= y) ++end;
    const auto at = steps_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (end == begin) {
      steps_.insert(at, {x, y});
    } else {
      *at = {x, y};
      steps_.erase(at + 1, steps_.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }

 private:
  struct Step {
    double x;
    double y;
  };

  std::size_t first_beyond(double x) const {
    const auto beyond = std::upper_bound(steps_.begin(), steps_.end(), x,
                                         [](double value, const Step& step) { return value < step.x; });
    return static_cast<std::size_t>(beyond - steps_.begin());
  }

  std::vector<Step> steps_;
};

}  // namespace paretune::pareto
