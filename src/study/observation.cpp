#include "paretune/study/observation.hpp"

#include <algorithm>
#include <cmath>

namespace paretune::study {
namespace {

search::Limit search_limit(const load::Bound& bound) {
  return {.metric = bound.metric.name, .upper = bound.upper, .bound = bound.value};
}

std::optional<double> value_of(const load::MetricValues& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found == metrics.end()) return std::nullopt;
  return found->second;
}

std::vector<search::Objective> search_objectives(const spec::StudySpec& spec) {
  std::vector<search::Objective> objectives;
  for (const auto& objective : spec.objectives) {
    objectives.push_back(
        {objective.metric.name, objective.maximize ? search::Direction::Max : search::Direction::Min});
  }
  return objectives;
}

std::optional<std::vector<double>> costs(const spec::StudySpec& spec, const load::MetricValues& metrics) {
  std::vector<std::optional<double>> values;
  for (const auto& objective : spec.objectives) values.push_back(value_of(metrics, objective.metric.name));
  return search::costs_of(search_objectives(spec), values);
}

/// Half of a 95 % interval is 1.96 standard deviations.
std::vector<double> standard_deviations(const spec::StudySpec& spec, const load::Measurement& measurement) {
  std::vector<double> sd;
  for (const auto& objective : spec.objectives) {
    const auto found = measurement.ci95.find(objective.metric.name);
    if (found == measurement.ci95.end()) return {};
    sd.push_back((found->second.second - found->second.first) / (2 * 1.96));
  }
  return sd;
}

}  // namespace

search::Problem problem_of(const spec::StudySpec& spec) {
  search::Problem problem;
  problem.space = spec.space;
  problem.objectives = search_objectives(spec);
  for (const auto& limit : spec.limits) problem.limits.push_back(search_limit(limit));
  problem.seed = spec.search.seed;
  if (spec.budget.points) problem.budget_points = static_cast<std::size_t>(*spec.budget.points);
  if (spec.budget.launches) problem.budget_launches = static_cast<std::size_t>(*spec.budget.launches);
  problem.whole_curves = true;
  return problem;
}

double violation_of(const spec::StudySpec& spec, const load::MetricValues& metrics) {
  double sum = 0;
  for (const auto& limit : spec.limits) {
    const auto value = value_of(metrics, limit.metric.name);
    sum += value ? search::violation_of(search_limit(limit), *value) : 1.0;
  }
  return sum;
}

trial::PointStatus status_of(const spec::StudySpec& spec, const load::Measurement& measurement) {
  const bool invalidated = std::any_of(measurement.findings.begin(), measurement.findings.end(),
                                       [](const core::Finding& finding) { return finding.invalidates; });
  if (invalidated || !costs(spec, measurement.metrics)) return trial::PointStatus::Invalid;
  return violation_of(spec, measurement.metrics) > 0 ? trial::PointStatus::Infeasible
                                                     : trial::PointStatus::Ok;
}

search::FailureScope scope_of(const engine::Failure& failure) {
  switch (failure.cls) {
    case engine::FailureClass::TimeoutMeasure:
    case engine::FailureClass::TooManyErrors:
    case engine::FailureClass::Interrupted:
      return search::FailureScope::Point;
    default:
      return search::FailureScope::Launch;
  }
}

search::Observation observe(const spec::StudySpec& spec, const trial::PointRecord& point, std::uint64_t id) {
  search::Observation observation;
  observation.id = id;
  observation.point = point.point;
  observation.seconds = point.seconds;
  if (point.status == trial::PointStatus::Failed) {
    observation.failure = point.failure ? scope_of(*point.failure) : search::FailureScope::Point;
    return observation;
  }
  const auto cost = costs(spec, point.measurement.metrics);
  if (point.status == trial::PointStatus::Invalid || !cost) {
    observation.failure = search::FailureScope::Point;  // measured, but not to be trusted
    return observation;
  }
  observation.cost = *cost;
  observation.sd = standard_deviations(spec, point.measurement);
  observation.violation = point.violation;
  return observation;
}

std::vector<space::LiveSetting> live_settings(const load::Workload& workload) {
  std::vector<space::LiveSetting> settings;
  for (const double level : workload.levels()) {
    const bool whole = std::floor(level) == level && std::abs(level) < 1e15;
    const space::Value value = whole ? space::Value(static_cast<std::int64_t>(level)) : space::Value(level);
    settings.push_back({{workload.live_name(), value}});
  }
  return settings;
}

}  // namespace paretune::study
