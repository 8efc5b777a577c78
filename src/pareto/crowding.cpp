#include "paretune/pareto/crowding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pareto/order.hpp"

namespace paretune::pareto {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Positions of `rows` by cost `objective`, ties by the following costs (cyclic). The rows are distinct.
std::vector<std::size_t> order_by(const CostMatrix& costs, const std::vector<std::size_t>& rows,
                                  std::size_t objective) {
  const std::size_t m = costs.objectives();
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t j = (objective + k) % m;
      if (costs.at(rows[a], j) != costs.at(rows[b], j)) return costs.at(rows[a], j) < costs.at(rows[b], j);
    }
    return false;
  });
  return order;
}

void add_gaps(const CostMatrix& costs, const std::vector<std::size_t>& rows, std::size_t objective,
              std::vector<double>& distances) {
  const std::vector<std::size_t> order = order_by(costs, rows, objective);
  const auto cost = [&](std::size_t k) { return costs.at(rows[order[k]], objective); };
  const double range = cost(order.size() - 1) - cost(0);
  if (!(range > 0)) return;  // constant (or inf - inf): no ends, no gaps
  distances[order.front()] = kInfinity;
  distances[order.back()] = kInfinity;
  for (std::size_t k = 1; k + 1 < order.size(); ++k) {
    const double gap = (cost(k + 1) - cost(k - 1)) / range;
    if (std::isfinite(gap)) distances[order[k]] += gap;
  }
}

}  // namespace

std::vector<double> crowding_distances(const CostMatrix& costs) {
  if (costs.empty()) return {};
  const DistinctRows distinct = distinct_rows(costs);
  std::vector<double> of_distinct(distinct.first.size(), 0.0);
  for (std::size_t j = 0; j < costs.objectives(); ++j) add_gaps(costs, distinct.first, j, of_distinct);
  if (of_distinct.size() == 1) of_distinct.front() = kInfinity;
  std::vector<double> distances(costs.size(), 0.0);
  for (std::size_t group = 0; group < distinct.first.size(); ++group) {
    distances[distinct.first[group]] = of_distinct[group];
  }
  return distances;
}

std::vector<double> crowding_distances(const CostMatrix& costs, std::span<const std::size_t> members) {
  return crowding_distances(costs.select(members));
}

}  // namespace paretune::pareto
