// Non-dominated filter and non-dominated sorting (ranks). Equal points share a rank and are all kept: two
// configurations with equal costs are two choices. Results do not depend on the order of the points.
// Methods and complexity: docs/algorithms.md, "Ranking".
#pragma once

#include <cstddef>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

struct Fronts {
  std::vector<std::size_t> rank;                  ///< n ranks; 0 = dominated by nobody
  std::vector<std::vector<std::size_t>> members;  ///< members[r]: rows of rank r, ascending
};

/// Rank r + 1 = dominated by a point of rank r and by none of a higher rank.
/// O(n log n) for m <= 2, O(n log^2 n) comparisons for m = 3, O(m n^2 / 64) word operations for m >= 4.
Fronts sort_fronts(const CostMatrix& costs);

/// Rows that no other row dominates, ascending; equal rows are all in. O(n log n) for m <= 3, else O(m n
/// |front|).
std::vector<std::size_t> non_dominated(const CostMatrix& costs);

/// The same with each distinct point once: of equal rows the first.
std::vector<std::size_t> distinct_non_dominated(const CostMatrix& costs);

}  // namespace paretune::pareto
