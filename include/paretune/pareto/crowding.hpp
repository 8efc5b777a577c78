// Crowding distance: how much room a point has on its front. Used to thin a population without losing its
// ends. Source: Deb et al., NSGA-II, IEEE TEVC 6(2), 2002, §III-B, with the cases the paper leaves open fixed
// below.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

/// Sum over the objectives of the gap between the two neighbours, divided by the range of the front.
/// - The two ends of each objective get +infinity; an objective without range adds nothing and has no ends.
/// - Equal points: the first in row order has the distance of the point, every further copy 0.
/// - Ties in one objective are put in order by the following objectives (cyclic), so that the result does not
/// depend
///   on the order of the rows. Gaps that involve +infinity add nothing. Never NaN.
/// @param members  rows of one front. @return one distance per member, in the order of `members`.
/// O(m n log n).
std::vector<double> crowding_distances(const CostMatrix& costs, std::span<const std::size_t> members);

/// Of all rows of `costs`, taken as one front.
std::vector<double> crowding_distances(const CostMatrix& costs);

}  // namespace paretune::pareto
