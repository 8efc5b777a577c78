// Slow, obviously right versions of the pareto functions, and random sets to compare them on.
#pragma once

#include <cstddef>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto::testing {

/// n points whose costs are whole numbers 0 … levels-1: many ties and duplicates, exact arithmetic.
CostMatrix grid_set(std::size_t m, std::size_t n, std::size_t levels, core::Random& random);
/// n points in the unit cube.
CostMatrix cube_set(std::size_t m, std::size_t n, core::Random& random);
/// n points on the unit sphere octant: all non-dominated.
CostMatrix sphere_set(std::size_t m, std::size_t n, core::Random& random);

/// Ranks by peeling: take what nobody left dominates, again and again.
std::vector<std::size_t> peeled_ranks(const CostMatrix& costs);
/// Volume by inclusion and exclusion over all subsets; n <= 16. Exact on whole numbers.
double inclusion_exclusion(const CostMatrix& costs, const CostVector& reference);

CostMatrix without_row(const CostMatrix& costs, std::size_t row);
CostMatrix joined(const CostMatrix& a, const CostMatrix& b);
CostMatrix shuffled(const CostMatrix& costs, core::Random& random);
/// Costs in another order: column j of the result is column order[j].
CostMatrix with_columns(const CostMatrix& costs, const std::vector<std::size_t>& order);
/// The points with one more cost, the same for all.
CostMatrix with_constant(const CostMatrix& costs, double cost);

}  // namespace paretune::pareto::testing
