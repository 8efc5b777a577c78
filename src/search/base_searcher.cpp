#include "search/base_searcher.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace paretune::search {

using space::Code;

BaseSearcher::BaseSearcher(CheckedProblem checked, bool always_curves)
    : problem_(std::move(checked.problem)),
      ledger_(problem_.space, always_curves || problem_.whole_curves, std::move(checked.candidates)),
      baseline_(std::move(checked.baseline)) {}

std::vector<Proposal> BaseSearcher::ask(const AskContext& context) {
  std::optional<Code> running;
  if (context.running) running = ledger_.find_configuration(*context.running);
  std::vector<Planned> planned;
  while (planned.size() < context.count) {
    std::optional<Planned> next = next_point(running);
    if (!next) break;
    ledger_.mark_seen(next->point);
    planned.push_back(std::move(*next));
  }
  return issue(std::move(planned), running);
}

std::optional<BaseSearcher::Planned> BaseSearcher::next_point(const std::optional<Code>& running) {
  if (auto planned = from_baseline()) return planned;
  // A curve that another worker's server is on is left to that worker while there is other work.
  if (auto planned = from_curve_of(running)) return planned;
  if (std::optional<Choice> choice = choose(running)) {
    if (!ledger_.curves()) return Planned{std::move(choice->site), std::move(choice->reason)};
    const Code configuration = choice->site;
    open_curve(configuration, std::move(choice->reason));
    return from_curve_of(configuration);
  }
  return from_curve_of(std::nullopt);
}

std::optional<BaseSearcher::Planned> BaseSearcher::from_baseline() {
  if (!baseline_) return std::nullopt;
  const Code point = *std::exchange(baseline_, std::nullopt);
  const Code site = ledger_.site_of(point);
  if (!ledger_.is_new_site(site)) return std::nullopt;
  if (!ledger_.curves()) return Planned{point, "baseline"};
  open_curve(site, "baseline");
  std::vector<Code>& rest = curves_.back().rest;
  const auto named = std::find(rest.begin(), rest.end(), point);
  if (named != rest.end()) std::rotate(named, named + 1, rest.end());
  return from_curve_of(site);
}

/// @param configuration  nullopt: the oldest curve of all
std::optional<BaseSearcher::Planned> BaseSearcher::from_curve_of(const std::optional<Code>& configuration) {
  for (Curve& curve : curves_) {
    while (!curve.rest.empty() && !ledger_.is_open(curve.rest.back())) curve.rest.pop_back();
  }
  std::erase_if(curves_, [](const Curve& curve) { return curve.rest.empty(); });
  for (Curve& curve : curves_) {
    if (configuration && curve.configuration != *configuration) continue;
    Planned planned{std::move(curve.rest.back()), curve.reason};
    curve.rest.pop_back();
    return planned;
  }
  return std::nullopt;
}

void BaseSearcher::open_curve(const Code& configuration, std::string reason) {
  ledger_.mark_opened(configuration);
  std::vector<Code> rest = ledger_.open_points(configuration);
  std::reverse(rest.begin(), rest.end());
  curves_.push_back({configuration, std::move(rest), std::move(reason)});
}

/// Points of one configuration follow each other and those of the running server come first: the same points
/// with fewer launches.
std::vector<Proposal> BaseSearcher::issue(std::vector<Planned> planned, const std::optional<Code>& running) {
  std::vector<Code> groups;
  if (running) groups.push_back(*running);
  std::vector<std::pair<std::size_t, std::size_t>> order;  // group, position
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const Code configuration = ledger_.configuration_of(planned[i].point);
    const auto group = std::find(groups.begin(), groups.end(), configuration);
    order.emplace_back(group - groups.begin(), i);
    if (group == groups.end()) groups.push_back(configuration);
  }
  std::sort(order.begin(), order.end());
  std::vector<Proposal> proposals;
  for (const auto& [group, i] : order) {
    ++last_id_;
    proposals.push_back({last_id_, problem_.space.decode(planned[i].point), std::move(planned[i].reason)});
    pending_[last_id_] = std::move(planned[i].point);
  }
  return proposals;
}

void BaseSearcher::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) take(observation);
}

void BaseSearcher::take(const Observation& observation) {
  std::optional<Code> point;
  if (const auto proposed = pending_.find(observation.id);
      observation.id != 0 && proposed != pending_.end()) {
    point = std::move(proposed->second);
    pending_.erase(proposed);
  } else {
    point = problem_.space.encode(observation.point);
  }
  if (!point) return;  // measured outside the space (a baseline, say): nothing to learn here

  Outcome outcome{*point, observation.cost, observation.violation};
  const bool usable =
      !observation.failure && outcome.cost.size() == problem_.objectives.size() &&
      std::isfinite(outcome.violation) &&
      std::all_of(outcome.cost.begin(), outcome.cost.end(), [](double c) { return std::isfinite(c); });
  if (!usable) outcome.cost.clear();
  const Code configuration = ledger_.configuration_of(*point);
  if (observation.failure == FailureScope::Launch) ledger_.rule_out(configuration);
  ledger_.mark_seen(*point);
  if (ledger_.curves() && !ledger_.opened(configuration))
    open_curve(configuration, "continues a curve begun earlier");
  learn(outcome);
}

}  // namespace paretune::search
