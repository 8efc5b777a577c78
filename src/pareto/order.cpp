#include "pareto/order.hpp"

#include <algorithm>

namespace paretune::pareto {

namespace {

/// The first two costs travel with the row number: most comparisons end there and stay in cache.
struct Key {
  double first;
  double second;
  std::size_t row;
};

}  // namespace

std::vector<std::size_t> lexicographic_order(const CostMatrix& costs) {
  const std::size_t m = costs.objectives();
  std::vector<Key> keys(costs.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {costs.at(i, 0), m > 1 ? costs.at(i, 1) : 0.0, i};
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    for (std::size_t j = 2; j < m; ++j) {
      if (costs.at(a.row, j) != costs.at(b.row, j)) return costs.at(a.row, j) < costs.at(b.row, j);
    }
    return a.row < b.row;
  });
  std::vector<std::size_t> order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(), [](const Key& key) { return key.row; });
  return order;
}

bool equal_rows(const CostMatrix& costs, std::size_t a, std::size_t b) {
  return std::ranges::equal(costs.row(a), costs.row(b));
}

DistinctRows distinct_rows(const CostMatrix& costs) {
  const std::vector<std::size_t> order = lexicographic_order(costs);
  DistinctRows rows;
  rows.first.reserve(order.size());
  rows.group.resize(order.size());
  for (std::size_t row : order) {
    if (rows.first.empty() || !equal_rows(costs, rows.first.back(), row)) rows.first.push_back(row);
    rows.group[row] = rows.first.size() - 1;
  }
  return rows;
}

}  // namespace paretune::pareto
