#include "paretune/report/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "paretune/core/text.hpp"
#include "paretune/pareto/front.hpp"
#include "report/failures.hpp"
#include "report/membership.hpp"
#include "report/merge.hpp"
#include "report/picks.hpp"

namespace paretune::report {

namespace {

using trial::PointStatus;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void set_commands(ReportData& data) {
  for (ReportPoint& point : data.points) {
    const auto launch =
        std::find_if(data.launches.begin(), data.launches.end(),
                     [&](const trial::LaunchRecord& record) { return record.number == point.launch; });
    if (launch != data.launches.end()) point.launch_command = core::mask_secrets(launch->argv);
  }
}

/// As the file says it, or in the canonical form of the space (without inactive parameters).
bool is_baseline(const spec::StudySpec& spec, const space::Point& point) {
  if (!spec.baseline) return false;
  if (point.configuration == *spec.baseline) return true;
  const auto code = spec.space.encode({*spec.baseline, point.live});
  return code && spec.space.decode(*code).configuration == point.configuration;
}

void set_baseline(ReportData& data) {
  for (ReportPoint& point : data.points) {
    point.baseline = is_baseline(data.spec, point.point);
    if (point.baseline) data.baseline_points.push_back(point.id);
  }
}

std::vector<pareto::Candidate> candidates_of(const spec::StudySpec& spec,
                                             const std::vector<ReportPoint>& points) {
  std::vector<pareto::Candidate> candidates;
  for (const ReportPoint& point : points) {
    const bool measured = point.status == PointStatus::Ok || point.status == PointStatus::Infeasible;
    candidates.push_back({point.id, costs_of(spec, point), measured ? point.violation : kUnknown});
  }
  return candidates;
}

std::vector<std::optional<double>> given_reference(const spec::StudySpec& spec) {
  std::vector<std::optional<double>> given;
  for (const spec::ObjectiveSpec& objective : spec.objectives) {
    const auto value = spec.reference_point.find(objective.metric.name);
    given.emplace_back();
    if (value != spec.reference_point.end())
      given.back() = objective.maximize ? -value->second : value->second;
  }
  return given;
}

pareto::Front find_front(const spec::StudySpec& spec, const std::vector<ReportPoint>& points) {
  return pareto::find_front(candidates_of(spec, points), spec.objectives.size(), given_reference(spec));
}

void set_front(ReportData& data) {
  const pareto::Front front = find_front(data.spec, data.points);
  std::vector<const ReportPoint*> members;
  for (const std::size_t i : front.members) {
    data.points[i].on_front = true;
    data.front.push_back(data.points[i].id);
    members.push_back(&data.points[i]);
  }
  data.hypervolume = front.hypervolume;
  data.hypervolume_log = front.log_hypervolume.value_or(kUnknown);
  for (std::size_t j = 0; front.reference && j < data.spec.objectives.size(); ++j) {
    const spec::ObjectiveSpec& objective = data.spec.objectives[j];
    data.reference_point[objective.metric.name] =
        objective.maximize ? -(*front.reference)[j] : (*front.reference)[j];
  }
  std::optional<std::string> knee;
  if (front.knee) {
    data.points[*front.knee].knee = true;
    knee = data.points[*front.knee].id;
  }
  if (front.nearest) data.nearest = data.points[front.nearest->index].id;
  data.picks = choose_picks(data.spec, members, std::move(knee));
}

void set_probabilities(ReportData& data) {
  const auto probabilities = probability_on_front(data.spec, data.points);
  for (std::size_t i = 0; i < data.points.size(); ++i) data.points[i].probability_on_front = probabilities[i];
}

}  // namespace

FrontSummary summarize_front(const spec::StudySpec& spec, const std::vector<trial::PointRecord>& records,
                             const std::vector<double>& widest) {
  const auto candidates = candidates_of(spec, merge_points(spec, records));
  const auto given = given_reference(spec);
  pareto::Front front = pareto::find_front(candidates, spec.objectives.size(), given);
  if (front.reference && front.reference->size() == widest.size() && *front.reference != widest) {
    std::vector<std::optional<double>> outer;
    for (std::size_t j = 0; j < widest.size(); ++j)
      outer.emplace_back(std::max(widest[j], (*front.reference)[j]));
    front = pareto::find_front(candidates, spec.objectives.size(), outer);
  }
  return {front.members.size(), front.hypervolume, front.reference.value_or(std::vector<double>{})};
}

ReportData build_report(const spec::StudySpec& spec, const store::StudyData& data, double seconds,
                        std::string environment_json) {
  ReportData report;
  report.spec = spec;
  for (spec::ObjectiveSpec& objective : report.spec.objectives)
    objective.metric.unit = shown_unit(spec, objective.metric);
  for (load::Bound& bound : report.spec.limits) bound.metric.unit = shown_unit(spec, bound.metric);
  report.records = data.points;
  report.launches = data.launches;
  report.seconds = seconds;
  report.environment_json = std::move(environment_json);
  report.points = merge_points(spec, data.points);
  report.failures = collect_failures(data.launches, data.points);
  set_commands(report);
  set_baseline(report);
  set_front(report);
  set_probabilities(report);
  return report;
}

}  // namespace paretune::report
