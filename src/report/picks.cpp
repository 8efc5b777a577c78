#include "report/picks.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "paretune/pareto/front.hpp"

namespace paretune::report {

namespace {

constexpr std::array<std::string_view, 5> kThroughputs{
    "output_throughput", "total_throughput", "request_throughput", "goodput", "output_throughput_per_gpu"};
constexpr std::array<std::string_view, 6> kLatencies{"ttft", "tpot",           "itl",
                                                     "e2e",  "ttft_from_send", "e2e_from_send"};
constexpr std::array<std::string_view, 3> kDefaultLatencies{"ttft:p95", "ttft:p50", "ttft:mean"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view metric) {
  return std::find(names.begin(), names.end(), metric.substr(0, metric.find(':'))) != names.end();
}

bool any_has(const std::vector<const ReportPoint*>& points, const std::string& metric) {
  return std::any_of(points.begin(), points.end(),
                     [&](const ReportPoint* point) { return point->metrics.count(metric) > 0; });
}

const ReportPoint* best_by(const std::vector<const ReportPoint*>& points,
                           const std::optional<std::string>& metric, bool highest) {
  if (!metric) return nullptr;
  const ReportPoint* best = nullptr;
  for (const ReportPoint* point : points) {
    const auto value = point->metrics.find(*metric);
    if (value == point->metrics.end()) continue;
    const double held = best == nullptr ? 0 : best->metrics.at(*metric);
    if (best == nullptr || (highest ? value->second > held : value->second < held)) best = point;
  }
  return best;
}

std::optional<std::string> id_of(const ReportPoint* point) {
  if (point == nullptr) return std::nullopt;
  return point->id;
}

/// Knee of the non-dominated points among `points`, feasible or not.
const ReportPoint* knee_of(const spec::StudySpec& spec, const std::vector<const ReportPoint*>& points) {
  std::vector<pareto::Candidate> candidates;
  for (const ReportPoint* point : points) candidates.push_back({point->id, costs_of(spec, *point), 0});
  const pareto::Front front = pareto::find_front(candidates, spec.objectives.size());
  return front.knee ? points[*front.knee] : nullptr;
}

}  // namespace

pareto::CostVector costs_of(const spec::StudySpec& spec, const ReportPoint& point) {
  pareto::CostVector costs;
  for (const spec::ObjectiveSpec& objective : spec.objectives) {
    const auto value = point.metrics.find(objective.metric.name);
    if (value == point.metrics.end() || !std::isfinite(value->second)) return {};
    costs.push_back(objective.maximize ? -value->second : value->second);
  }
  return costs;
}

PickMetrics pick_metrics(const spec::StudySpec& spec, const std::vector<const ReportPoint*>& candidates) {
  PickMetrics metrics;
  for (const spec::ObjectiveSpec& objective : spec.objectives) {
    const std::string& name = objective.metric.name;
    if (!metrics.throughput && objective.maximize && is_one_of(kThroughputs, name)) metrics.throughput = name;
    if (!metrics.latency && !objective.maximize && is_one_of(kLatencies, name)) metrics.latency = name;
  }
  if (!metrics.throughput && any_has(candidates, "output_throughput"))
    metrics.throughput = "output_throughput";
  for (const std::string_view name : kDefaultLatencies) {
    if (!metrics.latency && any_has(candidates, std::string(name))) metrics.latency = name;
  }
  return metrics;
}

Picks choose_picks(const spec::StudySpec& spec, const std::vector<const ReportPoint*>& candidates,
                   std::optional<std::string> knee) {
  const PickMetrics metrics = pick_metrics(spec, candidates);
  return {id_of(best_by(candidates, metrics.throughput, true)),
          id_of(best_by(candidates, metrics.latency, false)), std::move(knee)};
}

BaselinePicks baseline_picks(const ReportData& data) {
  std::vector<const ReportPoint*> points, feasible, front;
  for (const std::string& id : data.baseline_points) {
    const ReportPoint* point = find_point(data, id);
    if (point == nullptr || costs_of(data.spec, *point).empty()) continue;
    if (point->status == trial::PointStatus::Ok) feasible.push_back(point);
    if (point->status != trial::PointStatus::Invalid) points.push_back(point);
  }
  for (const std::string& id : data.front) front.push_back(find_point(data, id));
  if (!feasible.empty()) points = feasible;
  // The metric that chose a pick on the front also chooses its counterpart.
  const PickMetrics metrics = pick_metrics(data.spec, front);
  BaselinePicks picks{best_by(points, metrics.throughput, true), best_by(points, metrics.latency, false),
                      nullptr};
  const ReportPoint* knee = data.picks.knee ? find_point(data, *data.picks.knee) : nullptr;
  for (const ReportPoint* point : points) {
    if (knee != nullptr && point->point.live == knee->point.live) picks.knee = point;
  }
  if (picks.knee == nullptr) picks.knee = knee_of(data.spec, points);
  return picks;
}

std::vector<PickedPoint> picked_points(const ReportData& data) {
  const BaselinePicks base = baseline_picks(data);
  std::vector<PickedPoint> picked;
  const auto add = [&](const char* name, const std::optional<std::string>& id, const ReportPoint* baseline) {
    if (!id) return;
    const ReportPoint* point = find_point(data, *id);
    const auto same = std::find_if(picked.begin(), picked.end(), [&](const PickedPoint& other) {
      return other.point == point && other.baseline == baseline;
    });
    if (same != picked.end()) {
      same->names.emplace_back(name);
    } else {
      picked.push_back({{name}, point, baseline});
    }
  };
  add("highest throughput", data.picks.throughput, base.throughput);
  add("lowest latency", data.picks.latency, base.latency);
  add("knee", data.picks.knee, base.knee);
  return picked;
}

Change change_of(double baseline, double value, bool higher_is_better) {
  Change change;
  if (baseline != 0) {
    change.percent = (value - baseline) / std::fabs(baseline) * 100;
  } else if (value == 0) {
    change.percent = 0;
  }
  change.better = higher_is_better ? value > baseline : value < baseline;
  change.worse = higher_is_better ? value < baseline : value > baseline;
  return change;
}

std::string to_text(const Change& change) {
  if (!change.better && !change.worse) return "no change";
  const char* word = change.better ? "better" : "worse";
  if (!change.percent) return word;
  return fmt::format("{:+.1f} % {}", *change.percent, word);
}

const ReportPoint* find_point(const ReportData& data, std::string_view id) {
  const auto found = std::find_if(data.points.begin(), data.points.end(),
                                  [&](const ReportPoint& point) { return point.id == id; });
  return found == data.points.end() ? nullptr : &*found;
}

}  // namespace paretune::report
