#include "paretune/pareto/fronts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "pareto/dominator_sets.hpp"
#include "pareto/order.hpp"
#include "pareto/staircase.hpp"

namespace paretune::pareto {

namespace {

/// First front of `count` that does not dominate; `dominated_by(k)` must be true up to some k and false
/// beyond, which holds because every member of front k + 1 is dominated by a member of front k.
template <class Predicate>
std::size_t first_free_front(std::size_t count, Predicate dominated_by) {
  std::size_t low = 0;
  while (low < count) {
    const std::size_t middle = low + (count - low) / 2;
    if (dominated_by(middle)) {
      low = middle + 1;
    } else {
      count = middle;
    }
  }
  return low;
}

std::vector<std::size_t> ranks_of_one_cost(std::size_t groups) {
  std::vector<std::size_t> ranks(groups);
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  return ranks;
}

/// Jensen, IEEE TEVC 7(5), 2003: in lexicographic order only the last (smallest) second cost of a front
/// matters.
std::vector<std::size_t> ranks_of_two_costs(const CostMatrix& costs, const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> ranks(rows.size());
  std::vector<double> last;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double second = costs.at(rows[i], 1);
    ranks[i] = first_free_front(last.size(), [&](std::size_t k) { return last[k] <= second; });
    if (ranks[i] == last.size()) last.push_back(second);
    last[ranks[i]] = second;
  }
  return ranks;
}

/// The same with a staircase of (second, third) cost per front.
std::vector<std::size_t> ranks_of_three_costs(const CostMatrix& costs, const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> ranks(rows.size());
  std::vector<Staircase> fronts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = costs.at(rows[i], 1);
    const double z = costs.at(rows[i], 2);
    ranks[i] = first_free_front(fronts.size(), [&](std::size_t k) { return fronts[k].covers(y, z); });
    if (ranks[i] == fronts.size()) fronts.emplace_back();
    fronts[ranks[i]].insert(y, z);
  }
  return ranks;
}

/// Members of one front as positions while they are few, as a bit set once they are many: n fronts of one
/// member then take no more room than one front of n.
class FrontSet {
 public:
  void add(std::size_t position, std::size_t words_in_all) {
    if (words_.empty()) {
      positions_.push_back(static_cast<std::uint32_t>(position));
      if (positions_.size() <= words_in_all) return;
      words_.assign(words_in_all, 0);
      for (std::uint32_t member : positions_) words_[member / 64] |= std::uint64_t{1} << (member % 64);
      positions_.clear();
    } else {
      words_[position / 64] |= std::uint64_t{1} << (position % 64);
    }
  }
  bool meets(const std::vector<std::uint64_t>& set, std::size_t words) const {
    if (words_.empty()) {
      return std::any_of(positions_.rbegin(), positions_.rend(),
                         [&](std::uint32_t member) { return (set[member / 64] >> (member % 64) & 1) != 0; });
    }
    for (std::size_t w = words; w-- > 0;) {
      if ((set[w] & words_[w]) != 0) return true;
    }
    return false;
  }

 private:
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint64_t> words_;
};

std::vector<std::size_t> ranks_of_many_costs(const CostMatrix& costs, const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> ranks(rows.size());
  const std::size_t words_in_all = (rows.size() + 63) / 64;
  DominatorSets dominators(costs, rows);
  std::vector<FrontSet> fronts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<std::uint64_t>& set = dominators.of(i);
    const std::size_t words = (i + 63) / 64;
    ranks[i] = first_free_front(fronts.size(), [&](std::size_t k) { return fronts[k].meets(set, words); });
    if (ranks[i] == fronts.size()) fronts.emplace_back();
    fronts[ranks[i]].add(i, words_in_all);
  }
  return ranks;
}

std::vector<std::size_t> ranks_of_distinct(const CostMatrix& costs, const std::vector<std::size_t>& rows) {
  switch (costs.objectives()) {
    case 1:
      return ranks_of_one_cost(rows.size());
    case 2:
      return ranks_of_two_costs(costs, rows);
    case 3:
      return ranks_of_three_costs(costs, rows);
    default:
      return ranks_of_many_costs(costs, rows);
  }
}

}  // namespace

Fronts sort_fronts(const CostMatrix& costs) {
  const DistinctRows distinct = distinct_rows(costs);
  const std::vector<std::size_t> ranks = ranks_of_distinct(costs, distinct.first);
  Fronts fronts;
  fronts.rank.resize(costs.size());
  if (!ranks.empty()) fronts.members.resize(1 + *std::max_element(ranks.begin(), ranks.end()));
  for (std::size_t row = 0; row < costs.size(); ++row) {
    fronts.rank[row] = ranks[distinct.group[row]];
    fronts.members[fronts.rank[row]].push_back(row);
  }
  return fronts;
}

}  // namespace paretune::pareto
