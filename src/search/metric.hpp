// How far apart two codes are, for snapping to candidates and for judging by neighbours.
#pragma once

#include <vector>

#include "paretune/space/space.hpp"

namespace paretune::search {

/// A code with what comparisons need, computed once.
struct Place {
  space::Code code;
  std::vector<double> unit;  ///< Space::to_unit
};

Place place_of(const space::Space& space, space::Code code);

/// Sum over the axes: on an ordered axis the squared difference of the unit coordinates, on an unordered one
/// 1 if the levels differ (Gower's coefficient, squared). Axes that are inactive in both are equal.
double squared_distance(const space::Space& space, const Place& a, const Place& b);

}  // namespace paretune::search
