// The knee: one member of a front as a default compromise.
// Definition: the Nash bargaining solution (Nash, "The Bargaining Problem", Econometrica 18(2), 1950) with
// the disagreement point 10 % of the range beyond the nadir: the member with the largest product of
// normalised gains, which is the largest hypervolume a single member has on the normalised front. On a front
// with one clear bend it is the point farthest from the line through the ends (Das, Structural Optimization
// 18, 1999); on straight or concave fronts, where that rule jumps to an end, it stays in the middle.
#pragma once

#include <cstddef>
#include <optional>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

/// argmax_i prod_j (1.1 - z_ij), z_ij = (c_ij - ideal_j) / (nadir_j - ideal_j) over the given points.
/// Independent of units and offsets. A cost without range counts 0 for all. Ties (two points, say): the
/// smaller sum of z, then the lexicographically smaller costs, then the smaller row.
/// @param front  non-dominated points. @return row of the knee; the only row if there is one; nullopt for
/// none.
std::optional<std::size_t> knee(const CostMatrix& front);

}  // namespace paretune::pareto
