#include "search/population.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "paretune/pareto/crowding.hpp"
#include "paretune/pareto/fronts.hpp"

namespace paretune::search {

using space::Code;

namespace {

/// More points than this are not ranked again and again: the worst sites are forgotten. (They stay known to
/// the ledger.)
constexpr std::size_t kMaxPoints = 2000;
/// Width of the neighbourhood in the units of squared_distance: two levels of eight on one axis.
constexpr double kWidth = 0.35;
/// Weight of "nothing is known" against one neighbour at distance 0.
constexpr double kDoubt = 0.3;

constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();

/// Ranks the sites that have feasible points. @return number of ranks
std::size_t rank_feasible(const std::vector<std::vector<Outcome>>& sites, std::size_t objectives,
                          std::vector<SiteRank>& ranks) {
  pareto::CostMatrix costs(objectives);
  std::vector<std::size_t> site_of;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    for (const Outcome& outcome : sites[s]) {
      if (outcome.cost.empty() || outcome.violation > 0) continue;
      costs.add(outcome.cost);
      site_of.push_back(s);
    }
  }
  const pareto::Fronts fronts = pareto::sort_fronts(costs);
  for (std::size_t r = 0; r < fronts.members.size(); ++r) {
    const std::vector<double> crowding = pareto::crowding_distances(costs, fronts.members[r]);
    for (std::size_t k = 0; k < crowding.size(); ++k) {
      SiteRank& rank = ranks[site_of[fronts.members[r][k]]];
      if (rank.rank == kNoRank) rank = {r, crowding[k], false};
      if (rank.rank == r) rank.crowding = std::max(rank.crowding, crowding[k]);
    }
  }
  return fronts.members.size();
}

double least_violation(const std::vector<Outcome>& outcomes) {
  double least = std::numeric_limits<double>::infinity();
  for (const Outcome& outcome : outcomes) {
    if (!outcome.cost.empty()) least = std::min(least, outcome.violation);
  }
  return least;
}

/// Sites without feasible points follow by violation, one rank per value; failed ones share the last.
void rank_others(const std::vector<std::vector<Outcome>>& sites, std::size_t next,
                 std::vector<SiteRank>& ranks) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    if (ranks[s].rank == kNoRank) order.emplace_back(least_violation(sites[s]), s);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && order[k].first > order[k - 1].first) ++next;
    ranks[order[k].second] = {next, 0, std::isinf(order[k].first)};
  }
}

}  // namespace

bool SiteRank::better_than(const SiteRank& other) const {
  return rank != other.rank ? rank < other.rank : crowding > other.crowding;
}

std::vector<SiteRank> rank_sites(const std::vector<std::vector<Outcome>>& sites, std::size_t objectives) {
  std::vector<SiteRank> ranks(sites.size(), SiteRank{kNoRank, 0, false});
  rank_others(sites, rank_feasible(sites, objectives, ranks), ranks);
  return ranks;
}

Population::Population(const space::Space& space, std::size_t objectives, std::size_t parents)
    : space_(space), objectives_(objectives), parent_count_(parents) {}

void Population::record(const Code& site, const Outcome& outcome) {
  const auto [entry, is_new] = index_.try_emplace(site, places_.size());
  if (is_new) {
    places_.push_back(place_of(space_, site));
    outcomes_.emplace_back();
  }
  std::vector<Outcome>& outcomes = outcomes_[entry->second];
  std::erase_if(outcomes, [&](const Outcome& known) { return known.point == outcome.point; });
  outcomes.push_back(outcome);
  changed_ = true;
}

std::size_t Population::usable() {
  update();
  return static_cast<std::size_t>(
      std::ranges::count_if(ranks_, [](const SiteRank& rank) { return !rank.failed; }));
}

const std::vector<const Code*>& Population::parents() {
  update();
  return parents_;
}

void Population::update() {
  if (!changed_) return;
  changed_ = false;
  ranks_ = rank_sites(outcomes_, objectives_);
  std::vector<std::size_t> best_first(places_.size());
  std::iota(best_first.begin(), best_first.end(), std::size_t{0});
  std::stable_sort(best_first.begin(), best_first.end(),
                   [&](std::size_t a, std::size_t b) { return ranks_[a].better_than(ranks_[b]); });
  std::size_t points = 0;
  for (const auto& outcomes : outcomes_) points += outcomes.size();
  if (points > kMaxPoints) {
    forget_worst(best_first);
    return update();
  }
  parents_.clear();
  for (std::size_t s : best_first) {
    if (parents_.size() == parent_count_ || (ranks_[s].failed && !parents_.empty())) break;
    parents_.push_back(&places_[s].code);
  }
}

/// Keeps the better half, so that forgetting is rare.
void Population::forget_worst(const std::vector<std::size_t>& best_first) {
  std::vector<Place> places;
  std::vector<std::vector<Outcome>> outcomes;
  index_.clear();
  for (std::size_t k = 0; k < (best_first.size() + 1) / 2; ++k) {
    index_[places_[best_first[k]].code] = k;
    places.push_back(std::move(places_[best_first[k]]));
    outcomes.push_back(std::move(outcomes_[best_first[k]]));
  }
  const bool shrunk = places.size() < places_.size();
  places_ = std::move(places);
  outcomes_ = std::move(outcomes);
  changed_ = shrunk;
}

double Population::badness(const Code& site) {
  update();
  const Place place = place_of(space_, site);
  double weight = kDoubt;
  double sum = kDoubt * 0.5;
  for (std::size_t s = 0; s < places_.size(); ++s) {
    const double near = std::exp(-squared_distance(space_, place, places_[s]) / (2 * kWidth * kWidth));
    weight += near;
    sum += near * (ranks_[s].failed ? 1.0 : std::min(1.0, static_cast<double>(ranks_[s].rank) / 2));
  }
  return sum / weight;
}

}  // namespace paretune::search
