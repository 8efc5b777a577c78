#include "report/html_data.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "paretune/core/text.hpp"
#include "paretune/core/version.hpp"
#include "report/failures.hpp"
#include "report/front_json.hpp"
#include "report/json_text.hpp"
#include "report/launch_command.hpp"
#include "report/merge.hpp"
#include "report/picks.hpp"
#include "report/table_sections.hpp"

namespace paretune::report {

namespace {

using core::Json;

/// 6 digits are more than any measurement here is worth, and keep thousands of points small.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

/// Metrics that at least one point knows, in the order of tables.
std::vector<load::Metric> known_metrics(const ReportData& data) {
  std::set<std::string> known;
  for (const ReportPoint& point : data.points) {
    for (const auto& [name, value] : point.metrics) known.insert(name);
  }
  std::vector<load::Metric> metrics;
  for (const std::string& name : load::metric_names()) {
    const auto metric = load::parse_metric(name);
    if (known.erase(name) == 0 || !metric) continue;
    metrics.push_back(*metric);
    metrics.back().unit = shown_unit(data.spec, *metric);
  }
  for (const std::string& name : known) metrics.push_back({name, "", false});
  return metrics;
}

Json metrics_json(const std::vector<load::Metric>& metrics) {
  Json json = Json::array();
  for (const load::Metric& metric : metrics) {
    json.push_back({{"name", metric.name}, {"unit", metric.unit}, {"higher", metric.higher_is_better}});
  }
  return json;
}

Json point_json(const ReportPoint& point, const std::vector<load::Metric>& metrics) {
  Json values = Json::array(), intervals = Json::object();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto value = point.metrics.find(metrics[i].name);
    values.push_back(value == point.metrics.end() ? Json(nullptr) : rounded(value->second));
    const auto interval = point.ci95.find(metrics[i].name);
    if (interval == point.ci95.end()) continue;
    intervals[std::to_string(i)] = {rounded(interval->second.first), rounded(interval->second.second)};
  }
  Json findings = Json::array();
  for (const core::Finding& finding : point.findings) findings.push_back(finding.code);
  return {{"id", point.id},
          {"launch", point.launch},
          {"configuration", space::to_json(point.point.configuration)},
          {"live", space::to_json(point.point.live)},
          {"status", trial::to_string(point.status)},
          {"violation", rounded(point.violation)},
          {"metrics", std::move(values)},
          {"ci95", std::move(intervals)},
          {"repeats", point.repeats},
          {"gpus", point.gpus ? rounded(*point.gpus) : Json(nullptr)},
          {"front", point.on_front},
          {"knee", point.knee},
          {"baseline", point.baseline},
          {"probability", point.probability_on_front ? rounded(*point.probability_on_front) : Json(nullptr)},
          {"findings", std::move(findings)}};
}

/// One command per launch: the points of a launch share it.
Json commands_json(const ReportData& data) {
  Json json = Json::object();
  for (const trial::LaunchRecord& launch : data.launches) {
    if (launch.argv.empty()) continue;
    json[std::to_string(launch.number)] = paste_command(data.spec, launch.configuration, launch.argv);
  }
  return json;
}

Json change_json(const PickedPoint& pick, const spec::ObjectiveSpec& objective) {
  const auto value = pick.point->metrics.find(objective.metric.name);
  Json json = {{"metric", objective.metric.name},
               {"unit", objective.metric.unit},
               {"value", nullptr},
               {"before", nullptr},
               {"text", ""},
               {"better", nullptr}};
  if (value == pick.point->metrics.end()) return json;
  json["value"] = rounded(value->second);
  if (pick.baseline == nullptr || pick.baseline == pick.point) return json;
  const auto before = pick.baseline->metrics.find(objective.metric.name);
  if (before == pick.baseline->metrics.end()) return json;
  const Change change = change_of(before->second, value->second, objective.maximize);
  json["before"] = rounded(before->second);
  json["text"] = to_text(change);
  if (change.better || change.worse) json["better"] = change.better;
  return json;
}

Json picks_json(const ReportData& data) {
  Json json = Json::array();
  for (const PickedPoint& pick : picked_points(data)) {
    Json changes = Json::array();
    for (const spec::ObjectiveSpec& objective : data.spec.objectives)
      changes.push_back(change_json(pick, objective));
    json.push_back({{"names", pick.names},
                    {"id", pick.point->id},
                    {"baseline", pick.baseline == nullptr ? Json(nullptr) : Json(pick.baseline->id)},
                    {"changes", std::move(changes)}});
  }
  return json;
}

Json findings_json(const ReportData& data) {
  Json json = Json::array();
  for (const FindingGroup& group : group_findings(data.points)) {
    json.push_back({{"code", group.finding.code},
                    {"invalidates", group.finding.invalidates},
                    {"message", group.finding.message},
                    {"recommendation", group.finding.recommendation},
                    {"points", group.points}});
  }
  return json;
}

Json limits_data(const spec::StudySpec& spec) {
  Json json = Json::array();
  for (const load::Bound& bound : spec.limits) {
    json.push_back({{"metric", bound.metric.name},
                    {"upper", bound.upper},
                    {"bound", bound.value},
                    {"text", load::to_text(bound)}});
  }
  return json;
}

std::vector<std::string> live_names(const ReportData& data) {
  std::set<std::string> names;
  for (const ReportPoint& point : data.points) {
    for (const auto& [name, value] : point.point.live) names.insert(name);
  }
  return {names.begin(), names.end()};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

Json html_data(const ReportData& data) {
  const std::vector<load::Metric> metrics = known_metrics(data);
  Json points = Json::array(), failures = Json::array(), reference = Json::object();
  for (const ReportPoint& point : data.points) points.push_back(point_json(point, metrics));
  for (const FailureRow& failure : data.failures) failures.push_back(failure_json(failure));
  for (const auto& [name, value] : data.reference_point) reference[name] = rounded(value);
  return {{"study", data.spec.name},
          {"version", core::version()},
          {"engine", engine::to_string(data.spec.engine.kind)},
          {"model", data.spec.engine.model},
          {"url", data.spec.engine.url},
          {"method", data.spec.search.method},
          {"objectives", objectives_json(data.spec)},
          {"limits", limits_data(data.spec)},
          {"metrics", metrics_json(metrics)},
          {"live", live_names(data)},
          {"parameters", varying_parameters(data)},
          {"points", std::move(points)},
          {"front", data.front},
          {"nearest", data.nearest ? Json(*data.nearest) : Json(nullptr)},
          {"picks", picks_json(data)},
          {"commands", commands_json(data)},
          {"failures", std::move(failures)},
          {"findings", findings_json(data)},
          {"reference_point", std::move(reference)},
          {"hypervolume", rounded(data.hypervolume)},
          {"budget", budget_json(data)},
          {"environment", environment_json(data)}};
}

std::string script_safe(const Json& json) {
  std::string text = json_text(json);
  replace_all(text, "<", "\\u003c");
  replace_all(text, ">", "\\u003e");
  replace_all(text, "&", "\\u0026");
  replace_all(text, "\xE2\x80\xA8", "\\u2028");
  replace_all(text, "\xE2\x80\xA9", "\\u2029");
  return text;
}

std::string html_escape(std::string_view text) {
  std::string escaped;
  for (const char c : core::printable(text)) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace paretune::report
