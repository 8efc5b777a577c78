#include <algorithm>
#include <limits>
#include <numeric>

#include "pareto/order.hpp"
#include "pareto/staircase.hpp"
#include "paretune/pareto/dominance.hpp"
#include "paretune/pareto/fronts.hpp"

namespace paretune::pareto {

namespace {

/// Which of the distinct rows, in lexicographic order, are dominated by none of those before them.
std::vector<bool> keep_of_few_costs(const CostMatrix& costs, const std::vector<std::size_t>& rows) {
  std::vector<bool> keep(rows.size());
  double best_second = std::numeric_limits<double>::infinity();
  Staircase staircase;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (costs.objectives() == 1) {
      keep[i] = i == 0;
    } else if (costs.objectives() == 2) {
      // The first row stays even if its second cost is infinite.
      keep[i] = i == 0 || costs.at(rows[i], 1) < best_second;
      best_second = std::min(best_second, costs.at(rows[i], 1));
    } else {
      keep[i] = !staircase.covers(costs.at(rows[i], 1), costs.at(rows[i], 2));
      if (keep[i]) staircase.insert(costs.at(rows[i], 1), costs.at(rows[i], 2));
    }
  }
  return keep;
}

/// Sort-filter-skyline: by ascending sum (rounding keeps sums of a dominating row no larger), each row is
/// compared with the rows kept so far, those that dominated last first.
std::vector<bool> keep_of_many_costs(const CostMatrix& costs, const std::vector<std::size_t>& rows) {
  struct Key {
    double sum;
    std::size_t position;
  };
  std::vector<Key> keys(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const double> row = costs.row(rows[i]);
    keys[i] = {std::accumulate(row.begin(), row.end(), 0.0), i};
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.position < b.position;
  });
  std::vector<bool> keep(rows.size(), false);
  std::vector<std::size_t> kept;
  for (const Key& key : keys) {
    const std::span<const double> row = costs.row(rows[key.position]);
    const auto dominator = std::find_if(
        kept.begin(), kept.end(), [&](std::size_t other) { return weakly_dominates(costs.row(other), row); });
    if (dominator == kept.end()) {
      kept.push_back(rows[key.position]);
      keep[key.position] = true;
    } else if (dominator != kept.begin()) {
      std::iter_swap(dominator, kept.begin() + (dominator - kept.begin()) / 2);
    }
  }
  return keep;
}

std::vector<bool> kept_groups(const CostMatrix& costs, const DistinctRows& distinct) {
  return costs.objectives() <= 3 ? keep_of_few_costs(costs, distinct.first)
                                 : keep_of_many_costs(costs, distinct.first);
}

}  // namespace

std::vector<std::size_t> non_dominated(const CostMatrix& costs) {
  const DistinctRows distinct = distinct_rows(costs);
  const std::vector<bool> keep = kept_groups(costs, distinct);
  std::vector<std::size_t> members;
  for (std::size_t row = 0; row < costs.size(); ++row) {
    if (keep[distinct.group[row]]) members.push_back(row);
  }
  return members;
}

std::vector<std::size_t> distinct_non_dominated(const CostMatrix& costs) {
  const DistinctRows distinct = distinct_rows(costs);
  const std::vector<bool> keep = kept_groups(costs, distinct);
  std::vector<std::size_t> members;
  for (std::size_t group = 0; group < distinct.first.size(); ++group) {
    if (keep[group]) members.push_back(distinct.first[group]);
  }
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace paretune::pareto
