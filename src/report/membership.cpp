#include "report/membership.hpp"

#include <algorithm>
#include <cmath>

#include "paretune/core/random.hpp"
#include "paretune/pareto/dominance.hpp"
#include "paretune/pareto/fronts.hpp"
#include "report/merge.hpp"

namespace paretune::report {

namespace {

constexpr int kDraws = 1000;
constexpr double kReach = 4;  // standard errors
constexpr double kNormal95 = 1.959963984540054;

/// One uncertain number.
struct Spread {
  double mean = 0, sd = 0;
};

struct Contender {
  std::size_t point = 0;
  std::vector<Spread> costs;
  std::vector<std::optional<Spread>> limits;  ///< nullopt: the limit is on objective `limit_objective`
  bool has_intervals = true;
};

/// For each limit the objective on the same metric, whose draw it shares.
std::vector<std::optional<std::size_t>> shared_objectives(const spec::StudySpec& spec) {
  std::vector<std::optional<std::size_t>> shared;
  for (const load::Bound& bound : spec.limits) {
    const auto found =
        std::find_if(spec.objectives.begin(), spec.objectives.end(),
                     [&](const spec::ObjectiveSpec& o) { return o.metric.name == bound.metric.name; });
    shared.emplace_back();
    if (found != spec.objectives.end())
      shared.back() = static_cast<std::size_t>(found - spec.objectives.begin());
  }
  return shared;
}

std::optional<Spread> spread_of(const ReportPoint& point, const std::string& metric) {
  const auto value = point.metrics.find(metric);
  if (value == point.metrics.end() || !std::isfinite(value->second)) return std::nullopt;
  const auto interval = point.ci95.find(metric);
  if (interval == point.ci95.end()) return Spread{value->second, 0};
  return Spread{value->second,
                std::max(0.0, interval->second.second - interval->second.first) / (2 * kNormal95)};
}

std::optional<Contender> contender_of(const spec::StudySpec& spec, const std::vector<ReportPoint>& points,
                                      std::size_t i) {
  const ReportPoint& point = points[i];
  if (point.status != trial::PointStatus::Ok && point.status != trial::PointStatus::Infeasible)
    return std::nullopt;
  Contender contender{i, {}, {}, true};
  for (const spec::ObjectiveSpec& objective : spec.objectives) {
    auto spread = spread_of(point, objective.metric.name);
    if (!spread) return std::nullopt;
    contender.has_intervals = contender.has_intervals && point.ci95.count(objective.metric.name) > 0;
    if (objective.maximize) spread->mean = -spread->mean;
    contender.costs.push_back(*spread);
  }
  for (const load::Bound& bound : spec.limits)
    contender.limits.push_back(spread_of(point, bound.metric.name));
  return contender;
}

/// Meets the limits even at `kReach` standard errors against it (sign = 1) or in its favour (sign = -1).
bool meets_limits(const spec::StudySpec& spec, const Contender& contender, double sign) {
  for (std::size_t k = 0; k < spec.limits.size(); ++k) {
    if (!contender.limits[k]) return false;
    const double shift = sign * kReach * contender.limits[k]->sd * (spec.limits[k].upper ? 1 : -1);
    if (limit_violation(spec.limits[k], contender.limits[k]->mean + shift) > 0) return false;
  }
  return true;
}

pareto::CostVector corner(const Contender& contender, double sign) {
  pareto::CostVector costs;
  for (const Spread& cost : contender.costs) costs.push_back(cost.mean + sign * kReach * cost.sd);
  return costs;
}

/// Without those that some surely feasible point beats in every thinkable case.
std::vector<Contender> in_reach(const spec::StudySpec& spec, std::vector<Contender> all) {
  std::vector<pareto::CostVector> worst;
  for (const Contender& contender : all) {
    if (meets_limits(spec, contender, 1)) worst.push_back(corner(contender, 1));
  }
  if (!worst.empty()) {
    const auto matrix = pareto::CostMatrix::from_rows(worst);
    std::vector<pareto::CostVector> best_of_worst;
    for (const std::size_t row : pareto::distinct_non_dominated(matrix)) best_of_worst.push_back(worst[row]);
    worst = std::move(best_of_worst);
  }
  std::erase_if(all, [&](const Contender& contender) {
    if (!meets_limits(spec, contender, -1)) return true;
    const pareto::CostVector best = corner(contender, -1);
    return std::any_of(worst.begin(), worst.end(),
                       [&](const pareto::CostVector& rival) { return pareto::dominates(rival, best); });
  });
  return all;
}

/// One draw of all contenders: counts those on the front.
void draw(const spec::StudySpec& spec, const std::vector<Contender>& contenders,
          const std::vector<std::optional<std::size_t>>& shared, core::Random& random,
          std::vector<int>& on_front) {
  pareto::CostMatrix costs(spec.objectives.size());
  std::vector<std::size_t> feasible;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    pareto::CostVector drawn;
    for (const Spread& cost : contenders[c].costs) drawn.push_back(cost.mean + cost.sd * random.normal());
    bool meets = true;
    for (std::size_t k = 0; k < spec.limits.size(); ++k) {
      const Spread& limit = *contenders[c].limits[k];
      const double own = limit.mean + limit.sd * random.normal();
      const double value =
          shared[k] ? (spec.objectives[*shared[k]].maximize ? -drawn[*shared[k]] : drawn[*shared[k]]) : own;
      meets = meets && limit_violation(spec.limits[k], value) <= 0;
    }
    if (!meets) continue;
    costs.add(drawn);
    feasible.push_back(c);
  }
  if (costs.empty()) return;
  for (const std::size_t row : pareto::non_dominated(costs)) ++on_front[feasible[row]];
}

}  // namespace

std::vector<std::optional<double>> probability_on_front(const spec::StudySpec& spec,
                                                        const std::vector<ReportPoint>& points) {
  std::vector<std::optional<double>> result(points.size());
  std::vector<Contender> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (auto contender = contender_of(spec, points, i)) all.push_back(std::move(*contender));
  }
  const std::vector<Contender> contenders = in_reach(spec, all);
  const bool known =
      std::all_of(contenders.begin(), contenders.end(), [](const Contender& c) { return c.has_intervals; });
  if (!known) return result;
  for (const Contender& contender : all) result[contender.point] = 0.0;
  core::Random random(core::derive_seed(1, "membership"));
  const auto shared = shared_objectives(spec);
  std::vector<int> on_front(contenders.size(), 0);
  for (int i = 0; i < kDraws; ++i) draw(spec, contenders, shared, random, on_front);
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    result[contenders[c].point] = static_cast<double>(on_front[c]) / kDraws;
  }
  return result;
}

}  // namespace paretune::report
