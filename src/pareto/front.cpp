#include "paretune/pareto/front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "paretune/pareto/fronts.hpp"
#include "paretune/pareto/hypervolume.hpp"
#include "paretune/pareto/knee.hpp"
#include "paretune/pareto/reference.hpp"

namespace paretune::pareto {

namespace {

bool usable(const Candidate& candidate, std::size_t objectives) {
  if (candidate.cost.size() != objectives || std::isnan(candidate.violation)) return false;
  return std::ranges::none_of(candidate.cost, [](double cost) {
    return std::isnan(cost) || cost == -std::numeric_limits<double>::infinity();
  });
}

std::optional<Nearest> nearest_of(std::span<const Candidate> candidates, std::size_t objectives) {
  std::optional<Nearest> nearest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!usable(candidates[i], objectives)) continue;
    if (!nearest || candidates[i].violation < nearest->violation)
      nearest = Nearest{i, candidates[i].violation};
  }
  return nearest;
}

void fill_measures(Front& front, const CostMatrix& costs, std::span<const std::size_t> rows,
                   std::span<const std::size_t> candidate_of, std::span<const std::optional<double>> given) {
  const CostMatrix members = costs.select(rows);
  front.distinct = distinct_non_dominated(members).size();
  front.reference = choose_reference(members, given);
  if (!front.reference) return;
  front.hypervolume = hypervolume(members, *front.reference);
  front.log_hypervolume = log_hypervolume(members, *front.reference);
  if (const std::optional<std::size_t> row = knee(members)) front.knee = candidate_of[rows[*row]];
}

}  // namespace

Front find_front(std::span<const Candidate> candidates, std::size_t objectives,
                 std::span<const std::optional<double>> given) {
  Front front;
  CostMatrix costs(objectives);
  std::vector<std::size_t> candidate_of;  // row of `costs` -> index of the candidate
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!usable(candidates[i], objectives)) {
      front.unusable.push_back(i);
    } else if (!(candidates[i].violation > 0)) {
      costs.add(candidates[i].cost);
      candidate_of.push_back(i);
    }
  }
  std::vector<std::size_t> rows = non_dominated(costs);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(costs.row(a), costs.row(b));
  });
  for (std::size_t row : rows) front.members.push_back(candidate_of[row]);
  fill_measures(front, costs, rows, candidate_of, given);
  if (rows.empty()) front.nearest = nearest_of(candidates, objectives);
  return front;
}

}  // namespace paretune::pareto
