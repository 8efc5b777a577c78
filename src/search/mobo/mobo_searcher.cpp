#include "search/mobo/mobo_searcher.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "paretune/pareto/cost_matrix.hpp"
#include "paretune/pareto/fronts.hpp"
#include "search/mobo/view.hpp"

namespace paretune::search {
namespace {

constexpr std::size_t kInitialUp = 2;         // launches that must have come up before the model decides
constexpr std::size_t kInitialUpNoLevels = 3; // where a launch shows one point only
constexpr std::size_t kSmallSpace = 50;       // launches

std::vector<KernelAxis> restart_axes(const std::vector<KernelAxis>& axes) {
  std::vector<KernelAxis> result;
  for (const KernelAxis& axis : axes) {
    if (!axis.live) result.push_back(axis);
  }
  return result;
}

}  // namespace

MoboSearcher::MoboSearcher(Problem problem)
    : problem_(std::move(problem)),
      coordinates_(problem_.space),
      random_(core::derive_seed(problem_.seed, "mobo")),
      kernel_(coordinates_.axes()),
      launch_viability_(restart_axes(coordinates_.axes())),
      level_viability_(coordinates_.axes()) {
  if (!problem_.candidates.empty() || is_enumerable(problem_.space)) whole_ = whole_pool(problem_);
  for (const Limit& limit : problem_.limits) {
    const auto found = std::find_if(problem_.objectives.begin(), problem_.objectives.end(),
                                    [&](const Objective& objective) { return objective.metric == limit.metric; });
    objective_limits_.push_back(static_cast<std::size_t>(found - problem_.objectives.begin()));
  }
}

std::vector<Proposal> MoboSearcher::ask(const AskContext& context) {
  if (context.running) {
    if (const auto code = problem_.space.encode({*context.running, {}})) {
      running_ = restart_part(problem_.space, *code);
    }
  }
  std::vector<Proposal> proposals;
  while (proposals.size() < context.count) {
    auto choice = choose();
    if (!choice) break;
    proposals.push_back(propose(std::move(*choice)));
  }
  return proposals;
}

Proposal MoboSearcher::propose(Choice choice) {
  Proposal proposal;
  proposal.id = next_id_++;
  proposal.point = problem_.space.decode(choice.point);
  proposal.reason = std::move(choice.reason);
  asked_[proposal.id] = choice.point;
  running_ = restart_part(problem_.space, choice.point);
  records_[choice.point] = {};
  return proposal;
}

void MoboSearcher::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    std::optional<space::Code> code;
    if (const auto found = asked_.find(observation.id); observation.id != 0 && found != asked_.end()) {
      code = found->second;
      asked_.erase(found);
    } else {
      code = problem_.space.encode(observation.point);
    }
    if (!code) continue;  // outside the space: nothing that the model could use
    const space::Code restart = restart_part(problem_.space, *code);
    Record& record = records_[*code];
    const bool finite = std::all_of(observation.cost.begin(), observation.cost.end(),
                                    [](double value) { return std::isfinite(value); });
    if (!observation.failure && finite && observation.cost.size() == problem_.objectives.size()) {
      record = {State::Measured, observation.cost, observation.sd, observation.slack, observation.violation};
      mark_launch(restart, true);
      continue;
    }
    record.state = State::Failed;
    if (observation.failure == FailureScope::Launch) {
      mark_launch(restart, false);
    } else {
      level_failure_seen_ = true;
      mark_launch(restart, true);
    }
  }
}

void MoboSearcher::mark_launch(const space::Code& restart, bool up) {
  launch_up_[restart] = up;
  if (up) {
    running_ = restart;
  } else {
    if (running_ == restart) running_.reset();  // a failed launch leaves no server
    std::erase_if(planned_, [&](const space::Code& code) { return restart_part(problem_.space, code) == restart; });
  }
}

std::size_t MoboSearcher::launches_up() const {
  return static_cast<std::size_t>(
      std::count_if(launch_up_.begin(), launch_up_.end(), [](const auto& entry) { return entry.second; }));
}

bool MoboSearcher::is_open(const Pool& pool, std::size_t launch, std::size_t level) const {
  if (!pool.exists[launch][level]) return false;
  const auto up = launch_up_.find(pool.launches[launch]);
  if (up != launch_up_.end() && !up->second) return false;
  return !records_.contains(pool.point(problem_.space, launch, level));
}

std::vector<space::Code> MoboSearcher::good_launches() const {
  std::vector<double> flat;
  std::vector<space::Code> codes;
  for (const auto& [code, record] : records_) {
    if (record.state != State::Measured) continue;
    flat.insert(flat.end(), record.cost.begin(), record.cost.end());
    codes.push_back(restart_part(problem_.space, code));
  }
  if (codes.empty()) return {};
  const auto front = pareto::non_dominated(cost_matrix(problem_.objectives.size(), flat));
  std::vector<space::Code> good;
  for (const std::size_t index : front) {
    if (std::find(good.begin(), good.end(), codes[index]) == good.end()) good.push_back(codes[index]);
  }
  return good;
}

std::optional<MoboSearcher::Choice> MoboSearcher::choose() {
  if (auto choice = baseline_choice()) return choice;
  if (auto choice = planned_choice()) return choice;
  View view = make_view();
  if (view.open_launches.empty()) return std::nullopt;
  const std::size_t needed = view.pool->levels.size() > 1 ? kInitialUp : kInitialUpNoLevels;
  std::size_t pending = 0;
  for (const auto& [code, record] : records_) pending += record.state == State::Pending;
  const auto measured = static_cast<std::size_t>(std::count_if(
      records_.begin(), records_.end(), [](const auto& entry) { return entry.second.state == State::Measured; }));
  if (launches_up() < needed || measured < 2) {
    if (auto choice = initial_launch(view)) return choice;
  }
  if (measured < 2) return any_open(view);
  if (auto choice = model_choice(view)) return choice;
  return any_open(view);
}

std::optional<MoboSearcher::Choice> MoboSearcher::baseline_choice() {
  if (baseline_asked_ || !problem_.baseline) return std::nullopt;
  baseline_asked_ = true;
  const auto code = problem_.space.encode(*problem_.baseline);
  if (!code || records_.contains(*code)) return std::nullopt;
  return Choice{*code, "baseline"};
}

std::optional<MoboSearcher::Choice> MoboSearcher::planned_choice() {
  while (!planned_.empty()) {
    const space::Code code = planned_.front();
    planned_.erase(planned_.begin());
    if (!records_.contains(code)) return Choice{code, "initial design"};
  }
  return std::nullopt;
}

/// Launches at random, likelier ones first once a launch has failed; small spaces: far from what was launched. Interior
/// live levels, since the ends of a curve say least about it.
std::optional<MoboSearcher::Choice> MoboSearcher::initial_launch(const View& view) {
  std::vector<double> weight(view.open_launches.size(), 1.0);
  const bool spread = view.open_launches.size() < kSmallSpace && view.pool->levels.size() > 1;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const std::size_t launch = view.open_launches[i];
    if (launch_up_.contains(view.pool->launches[launch])) weight[i] = 0;
    weight[i] *= view.viable[static_cast<Eigen::Index>(launch)] * view.viable[static_cast<Eigen::Index>(launch)];
    if (spread && !launch_up_.empty()) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const auto& [code, up] : launch_up_) {
        double distance = 0;
        const Eigen::RowVectorXd row = coordinates_.row(code);
        for (std::size_t a = 0; a < coordinates_.axes().size(); ++a) {
          if (coordinates_.axes()[a].live) continue;
          const auto column = static_cast<Eigen::Index>(a);
          distance += axis_distance(coordinates_.axes()[a], row[column], view.launch_rows(static_cast<Eigen::Index>(launch), column));
        }
        nearest = std::min(nearest, distance);
      }
      weight[i] *= std::pow(nearest, 4);
    }
  }
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (!(total > 0)) return std::nullopt;
  double draw = random_.uniform() * total;
  std::size_t pick = 0;
  while (pick + 1 < weight.size() && (draw -= weight[pick]) >= 0) ++pick;

  const std::size_t launch = view.open_launches[pick];
  std::vector<std::size_t> open;
  for (std::size_t l = 0; l < view.pool->levels.size(); ++l) {
    if (is_open(*view.pool, launch, l)) open.push_back(l);
  }
  const std::size_t count = std::min<std::size_t>(open.size(), view.open_launches.size() < kSmallSpace ? 2 : 4);
  for (std::size_t k = 0; k < count; ++k) {
    const double quantile = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(open.size()));
    planned_.push_back(view.pool->point(problem_.space, launch, open[std::min(at, open.size() - 1)]));
  }
  return planned_choice();
}

std::optional<MoboSearcher::Choice> MoboSearcher::any_open(const View& view) {
  // The running server first: a free look at an unmeasured level beats a launch that promises nothing.
  for (const std::size_t launch : view.open_launches) {
    if (running_ != view.pool->launches[launch]) continue;
    for (std::size_t l = 0; l < view.pool->levels.size(); ++l) {
      if (is_open(*view.pool, launch, l)) {
        return Choice{view.pool->point(problem_.space, launch, l), "nothing promises an improvement: cheapest unmeasured point"};
      }
    }
  }
  const std::size_t launch = view.open_launches[random_.index(view.open_launches.size())];
  for (std::size_t l = 0; l < view.pool->levels.size(); ++l) {
    if (is_open(*view.pool, launch, l)) {
      return Choice{view.pool->point(problem_.space, launch, l), "nothing promises an improvement: random unmeasured point"};
    }
  }
  return std::nullopt;
}

}  // namespace paretune::search
