#include "paretune/pareto/cost_matrix.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace paretune::pareto {

CostMatrix::CostMatrix(std::size_t objectives) : objectives_(objectives) {
  if (objectives == 0) throw std::invalid_argument("CostMatrix: at least one objective is needed");
}

CostMatrix CostMatrix::from_rows(std::span<const CostVector> rows) {
  if (rows.empty())
    throw std::invalid_argument("CostMatrix: no rows, so the number of objectives is unknown");
  CostMatrix costs(rows.front().size());
  costs.values_.reserve(rows.size() * costs.objectives_);
  for (const CostVector& row : rows) costs.add(row);
  return costs;
}

void CostMatrix::add(std::span<const double> row) {
  if (row.size() != objectives_) {
    throw std::invalid_argument("CostMatrix: a row has " + std::to_string(row.size()) + " costs, expected " +
                                std::to_string(objectives_));
  }
  for (double cost : row) {
    if (std::isnan(cost) || cost == -std::numeric_limits<double>::infinity()) {
      throw std::invalid_argument("CostMatrix: a cost is NaN or -infinity");
    }
  }
  values_.insert(values_.end(), row.begin(), row.end());
}

CostMatrix CostMatrix::select(std::span<const std::size_t> rows) const {
  CostMatrix selected(objectives_);
  selected.values_.reserve(rows.size() * objectives_);
  for (std::size_t i : rows) {
    const std::span<const double> values = row(i);
    selected.values_.insert(selected.values_.end(), values.begin(), values.end());
  }
  return selected;
}

}  // namespace paretune::pareto
