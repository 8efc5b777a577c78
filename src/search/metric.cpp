#include "search/metric.hpp"

#include <utility>

namespace paretune::search {

Place place_of(const space::Space& space, space::Code code) {
  std::vector<double> unit = space.to_unit(code);
  return {std::move(code), std::move(unit)};
}

double squared_distance(const space::Space& space, const Place& a, const Place& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < a.unit.size(); ++axis) {
    if (a.code[axis] == b.code[axis]) continue;
    const double gap = space.axes()[axis].ordered ? a.unit[axis] - b.unit[axis] : 1.0;
    sum += gap * gap;
  }
  return sum;
}

}  // namespace paretune::search
