// Rows in lexicographic order and groups of equal rows: the first step of ranking, filtering and sweeping.
#pragma once

#include <cstddef>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

/// Rows sorted lexicographically by cost, then by row number.
std::vector<std::size_t> lexicographic_order(const CostMatrix& costs);

bool equal_rows(const CostMatrix& costs, std::size_t a, std::size_t b);

/// Distinct rows in lexicographic order: `first[k]` is the smallest row number of group k, `group[row]` its
/// group. A row can only be dominated by rows of smaller groups.
struct DistinctRows {
  std::vector<std::size_t> first;
  std::vector<std::size_t> group;
};
DistinctRows distinct_rows(const CostMatrix& costs);

}  // namespace paretune::pareto
