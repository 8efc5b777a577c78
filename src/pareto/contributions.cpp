#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pareto/volumes.hpp"
#include "paretune/pareto/fronts.hpp"
#include "paretune/pareto/hypervolume.hpp"

namespace paretune::pareto {

namespace {

double box_of(const double* point, std::size_t m) {
  double box = 1;
  for (std::size_t j = 0; j < m; ++j) box *= -point[j];
  return box;
}

/// The box of point i less what all other points cover of it.
double contribution(const ShiftedCosts& costs, std::size_t i) {
  const std::size_t m = costs.objectives;
  const double* point = costs.row(i);
  ShiftedCosts limit;
  limit.objectives = m;
  limit.values.reserve(costs.values.size());
  for (std::size_t k = 0; k < costs.size(); ++k) {
    if (k == i) continue;
    bool covers = true;
    for (std::size_t j = 0; j < m; ++j) {
      covers = covers && costs.row(k)[j] <= point[j];
      limit.values.push_back(std::max(costs.row(k)[j], point[j]));
    }
    if (covers) return 0;
    limit.rows.push_back(k);
  }
  return std::max(0.0, box_of(point, m) - volume(limit));
}

}  // namespace

std::vector<double> exclusive_contributions(const CostMatrix& costs, std::span<const double> reference) {
  const ShiftedCosts shifted = shift(costs, reference);
  std::vector<double> contributions(costs.size(), 0.0);
  for (std::size_t i = 0; i < shifted.size(); ++i) contributions[shifted.rows[i]] = contribution(shifted, i);
  return contributions;
}

}  // namespace paretune::pareto
