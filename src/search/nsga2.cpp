#include "search/nsga2.hpp"

#include <algorithm>
#include <numeric>

namespace paretune::search {

using space::Code;

namespace {

/// Of 1 … 20 children (a new number each time) the most promising is taken: mostly careful, sometimes daring.
constexpr std::size_t kMaxChildren = 20;
constexpr std::size_t kTriesPerChild = 25;
constexpr double kCrossShare = 0.5;
/// The first design goes on until so many sites have costs.
constexpr std::size_t kMinUsable = 2;

std::size_t live_settings(const space::Space& space) {
  std::size_t count = 1;
  for (const space::Axis& axis : space.axes()) {
    if (axis.live) count *= axis.levels.value_or(1);
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace

Nsga2Sizes nsga2_sizes(const Problem& problem) {
  std::size_t sites = 100;  // no budget: assume a long afternoon
  if (problem.budget_points) sites = *problem.budget_points;
  if (problem.whole_curves) {
    if (problem.budget_points) sites = std::max<std::size_t>(1, sites / live_settings(problem.space));
    if (problem.budget_launches) sites = std::min(sites, *problem.budget_launches);
  }
  return {std::clamp<std::size_t>(sites / 10, 5, 20), std::clamp<std::size_t>(sites / 6, 8, 20)};
}

Nsga2Searcher::Nsga2Searcher(CheckedProblem checked)
    : BaseSearcher(checked),
      sizes_(nsga2_sizes(problem())),
      random_(core::derive_seed(problem().seed, "nsga2")),
      variation_(problem().space, ledger().curves()),
      design_(ledger(), problem().seed),
      unseen_(ledger(), core::Random(core::derive_seed(problem().seed, "nsga2 fallback"))),
      population_(problem().space, problem().objectives.size(), sizes_.parents),
      live_is_listed_(std::ranges::all_of(problem().space.axes(),
                                          [](const space::Axis& a) { return !a.live || a.levels; })) {
  Population predicted(problem().space, problem().objectives.size(), checked.prior.size());
  for (const Outcome& outcome : checked.prior) predicted.record(ledger().site_of(outcome.point), outcome);
  for (const Code* site : predicted.parents()) expected_.push_back(*site);
  std::reverse(expected_.begin(), expected_.end());
}

void Nsga2Searcher::learn(const Outcome& outcome) {
  population_.record(ledger().site_of(outcome.point), outcome);
}

std::optional<Choice> Nsga2Searcher::choose(const std::optional<Code>& running) {
  std::optional<Choice> choice;
  if (chosen_ < sizes_.first || population_.usable() < kMinUsable) choice = from_first_design();
  if (!choice) choice = from_parents();
  if (!choice) {
    if (std::optional<Code> site = unseen_.draw())
      choice = Choice{std::move(*site), "random: no new child found"};
  }
  if (std::optional<Choice> stay = from_running(running, choice)) choice = std::move(stay);
  if (choice) ++chosen_;
  return choice;
}

/// Expected front and even spread by turns.
std::optional<Choice> Nsga2Searcher::from_first_design() {
  while (chosen_ % 2 == 0 && !expected_.empty()) {
    Code site = std::move(expected_.back());
    expected_.pop_back();
    if (ledger().is_new_site(site)) return Choice{std::move(site), "expected on the front"};
  }
  std::optional<Code> site = design_.next();
  if (!site) return std::nullopt;
  return Choice{std::move(*site), "first design (Sobol)"};
}

/// Several children; the one whose told neighbours look best.
std::optional<Choice> Nsga2Searcher::from_parents() {
  const std::vector<const Code*>& parents = population_.parents();
  if (parents.empty() || !variation_.possible()) return std::nullopt;
  const std::size_t wanted = 1 + random_.index(kMaxChildren);
  std::optional<Code> best;
  double least = 0;
  std::size_t found = 0;
  for (std::size_t tries = 0; tries < wanted * kTriesPerChild && found < wanted; ++tries) {
    Code site = ledger().site_of(problem().space.canonical(child(parents)));
    if (ledger().has_candidates() && !ledger().is_new_site(site))
      site = design_.nearest_candidate(site).value_or(site);
    if (!ledger().is_new_site(site)) continue;
    ++found;
    const double badness = population_.badness(site);
    if (best && badness >= least) continue;
    best = std::move(site);
    least = badness;
  }
  if (!best) return std::nullopt;
  return Choice{std::move(*best), "best of " + std::to_string(found) + " children"};
}

Code Nsga2Searcher::child(const std::vector<const Code*>& parents) {
  // The parents are sorted: the smaller of two numbers wins the binary tournament.
  const auto pick = [&]() -> const Code& {
    return *parents[std::min(random_.index(parents.size()), random_.index(parents.size()))];
  };
  Code code = pick();
  if (random_.chance(kCrossShare)) code = variation_.cross(code, pick(), random_);
  variation_.mutate(code, random_);
  return code;
}

/// Where points are chosen one by one, one more live setting of the running server costs no launch: is it
/// worth more per unit of cost than `other`?
std::optional<Choice> Nsga2Searcher::from_running(const std::optional<Code>& running,
                                                  const std::optional<Choice>& other) {
  if (!running || ledger().curves() || !live_is_listed_) return std::nullopt;
  const EvaluationCost& cost = problem().cost;
  const auto worth = [&](const Code& point, double price) {
    return (1 - population_.badness(point)) / std::max(price, 1e-9);
  };
  std::optional<Choice> best;
  double most = 0;
  if (other) {
    const bool stays = ledger().configuration_of(other->site) == *running;
    most = worth(other->site, cost.measure + (stays ? 0.0 : cost.launch));
  }
  for (const Code& point : ledger().open_points(*running)) {
    const double value = worth(point, cost.measure);
    if (value <= most) continue;
    most = value;
    best = Choice{point, "live setting of the running server"};
  }
  return best;
}

}  // namespace paretune::search
