#include "report/front_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "paretune/core/version.hpp"
#include "report/json_text.hpp"
#include "report/picks.hpp"

namespace paretune::report {

namespace {

using core::Json;

Json or_null(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

Json metrics_json(const load::MetricValues& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = finite_or_null(value);
  return json;
}

/// What the baseline did: its configuration and every point of it, also those that break the limits.
Json baseline_json(const ReportData& data) {
  Json json = Json::object();
  if (!data.spec.baseline) return json;
  json["configuration"] = space::to_json(*data.spec.baseline);
  json["points"] = Json::array();
  for (const std::string& id : data.baseline_points) {
    const ReportPoint* point = find_point(data, id);
    json["points"].push_back({{"id", id},
                              {"live", space::to_json(point->point.live)},
                              {"status", trial::to_string(point->status)},
                              {"on_front", point->on_front},
                              {"metrics", metrics_json(point->metrics)}});
  }
  return json;
}

Json nearest_json(const ReportData& data) {
  if (!data.nearest) return nullptr;
  const ReportPoint* point = find_point(data, *data.nearest);
  return {{"id", point->id},
          {"violation", finite_or_null(point->violation)},
          {"configuration", space::to_json(point->point.configuration)},
          {"live", space::to_json(point->point.live)},
          {"metrics", metrics_json(point->metrics)}};
}

Json picks_json(const Picks& picks) {
  return {{"throughput", or_null(picks.throughput)},
          {"latency", or_null(picks.latency)},
          {"knee", or_null(picks.knee)}};
}

}  // namespace

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json whole_or_real(double value) {
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
  return whole ? Json(static_cast<std::int64_t>(value)) : finite_or_null(value);
}

Json point_json(const ReportPoint& point) {
  Json json = {{"id", point.id},
               {"configuration", space::to_json(point.point.configuration)},
               {"live", space::to_json(point.point.live)},
               {"metrics", metrics_json(point.metrics)}};
  Json& intervals = json["ci95"] = Json::object();
  for (const auto& [name, interval] : point.ci95) {
    intervals[name] = {finite_or_null(interval.first), finite_or_null(interval.second)};
  }
  json["repeats"] = point.repeats;
  json["probability_on_front"] =
      point.probability_on_front ? Json(*point.probability_on_front) : Json(nullptr);
  json["knee"] = point.knee;
  json["gpus"] = point.gpus ? whole_or_real(*point.gpus) : Json(nullptr);
  json["launch_command"] = point.launch_command;
  return json;
}

Json objectives_json(const spec::StudySpec& spec) {
  Json json = Json::array();
  for (const spec::ObjectiveSpec& objective : spec.objectives) {
    json.push_back({{"metric", objective.metric.name},
                    {"direction", objective.maximize ? "max" : "min"},
                    {"unit", objective.metric.unit}});
  }
  return json;
}

Json limits_json(const spec::StudySpec& spec) {
  Json json = Json::array();
  for (const load::Bound& bound : spec.limits) json.push_back(load::to_text(bound));
  return json;
}

Json failure_json(const FailureRow& row) {
  const engine::Failure& failure = row.failure;
  return {{"launch", row.launch},
          {"configuration", space::to_json(row.configuration)},
          {"live", row.live ? space::to_json(*row.live) : Json(nullptr)},
          {"class", engine::to_string(failure.cls)},
          {"phase", engine::to_string(failure.phase)},
          {"exit_code", failure.exit_code ? Json(*failure.exit_code) : Json(nullptr)},
          {"signal", failure.signal ? Json(*failure.signal) : Json(nullptr)},
          {"cause", failure.cause},
          {"advice", failure.advice},
          {"log", failure.log.empty() ? Json(nullptr) : Json(failure.log)},
          {"flaky", failure.flaky}};
}

Json environment_json(const ReportData& data) {
  const Json environment = Json::parse(data.environment_json, nullptr, false);
  return environment.is_object() ? environment : Json::object();
}

Json budget_json(const ReportData& data) {
  return {{"launches", data.launches.size()},
          {"points", data.records.size()},
          {"seconds", finite_or_null(data.seconds)}};
}

std::string render_front_json(const ReportData& data) {
  Json json = {{"schema_version", 1},
               {"paretune_version", core::version()},
               {"study", data.spec.name},
               {"objectives", objectives_json(data.spec)},
               {"limits", limits_json(data.spec)},
               {"reference_point", metrics_json(data.reference_point)},
               {"hypervolume", finite_or_null(data.hypervolume)},
               {"hypervolume_log", finite_or_null(data.hypervolume_log)},
               {"points", Json::array()}};
  for (const std::string& id : data.front) json["points"].push_back(point_json(*find_point(data, id)));
  json["nearest"] = nearest_json(data);
  json["baseline"] = baseline_json(data);
  json["picks"] = picks_json(data.picks);
  json["failures"] = Json::array();
  for (const FailureRow& failure : data.failures) json["failures"].push_back(failure_json(failure));
  json["budget"] = budget_json(data);
  json["environment"] = environment_json(data);
  return json_text(json, 2) + "\n";
}

}  // namespace paretune::report
