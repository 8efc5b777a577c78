#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "paretune/trial/record.hpp"

namespace paretune::trial {

namespace {

using core::Json;

// JSON has no word for these; nlohmann would write null, which reads back as "unknown".
Json number_to_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

double number_from_json(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto word = json.get<std::string>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("'" + word + "' is no number");
}

template <class T, class Convert>
Json optional_to_json(const std::optional<T>& value, Convert convert) {
  return value ? Json(convert(*value)) : Json(nullptr);
}

Json failure_to_json(const std::optional<engine::Failure>& failure) {
  return optional_to_json(failure, [](const engine::Failure& f) { return engine::to_json(f); });
}

std::optional<engine::Failure> failure_in(const Json& json) {
  const Json& failure = json.at("failure");
  if (failure.is_null()) return std::nullopt;
  return engine::failure_from_json(failure);
}

Json to_json(const engine::ProcessIdentity& process) {
  return {{"pid", process.pid},
          {"start_ticks", process.start_ticks},
          {"boot_id", process.boot_id},
          {"token", process.token}};
}

engine::ProcessIdentity process_from_json(const Json& json) {
  engine::ProcessIdentity process;
  json.at("pid").get_to(process.pid);
  json.at("start_ticks").get_to(process.start_ticks);
  json.at("boot_id").get_to(process.boot_id);
  json.at("token").get_to(process.token);
  return process;
}

Json to_json(const core::Finding& finding) {
  return {{"code", finding.code},
          {"invalidates", finding.invalidates},
          {"value", optional_to_json(finding.value, number_to_json)},
          {"message", finding.message},
          {"recommendation", finding.recommendation}};
}

core::Finding finding_from_json(const Json& json) {
  core::Finding finding;
  json.at("code").get_to(finding.code);
  json.at("invalidates").get_to(finding.invalidates);
  if (!json.at("value").is_null()) finding.value = number_from_json(json.at("value"));
  json.at("message").get_to(finding.message);
  json.at("recommendation").get_to(finding.recommendation);
  return finding;
}

Json counts_to_json(const std::map<std::string, std::size_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

Json metrics_to_json(const load::MetricValues& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = number_to_json(value);
  return json;
}

Json intervals_to_json(const std::map<std::string, std::pair<double, double>>& intervals) {
  Json json = Json::object();
  for (const auto& [name, ends] : intervals) {
    json[name] = Json::array({number_to_json(ends.first), number_to_json(ends.second)});
  }
  return json;
}

/// The members stand beside those of the point: one flat object is easier to query.
void add_measurement(Json& json, const load::Measurement& measurement) {
  json["metrics"] = metrics_to_json(measurement.metrics);
  json["ci95"] = intervals_to_json(measurement.ci95);
  json["requests"] = {
      {"ok", measurement.ok}, {"failed", measurement.failed}, {"cancelled", measurement.cancelled}};
  json["request_failures"] = counts_to_json(measurement.failures);
  json["first_error"] = measurement.first_error;
  json["prompt_tokens"] = measurement.prompt_tokens;
  json["output_tokens"] = measurement.output_tokens;
  json["window_s"] = number_to_json(measurement.window_s);
  json["findings"] = Json::array();
  for (const core::Finding& finding : measurement.findings) json["findings"].push_back(to_json(finding));
}

load::Measurement measurement_from_json(const Json& json) {
  load::Measurement measurement;
  for (const auto& [name, value] : json.at("metrics").items()) {
    measurement.metrics[name] = number_from_json(value);
  }
  for (const auto& [name, ends] : json.at("ci95").items()) {
    measurement.ci95[name] = {number_from_json(ends.at(0)), number_from_json(ends.at(1))};
  }
  json.at("requests").at("ok").get_to(measurement.ok);
  json.at("requests").at("failed").get_to(measurement.failed);
  json.at("requests").at("cancelled").get_to(measurement.cancelled);
  for (const auto& [name, count] : json.at("request_failures").items())
    count.get_to(measurement.failures[name]);
  json.at("first_error").get_to(measurement.first_error);
  json.at("prompt_tokens").get_to(measurement.prompt_tokens);
  json.at("output_tokens").get_to(measurement.output_tokens);
  measurement.window_s = number_from_json(json.at("window_s"));
  for (const Json& finding : json.at("findings")) measurement.findings.push_back(finding_from_json(finding));
  return measurement;
}

LaunchRecord read_launch(const Json& json) {
  LaunchRecord launch;
  json.at("number").get_to(launch.number);
  launch.configuration = space::values_from_json(json.at("configuration"));
  json.at("argv").get_to(launch.argv);
  launch.process = process_from_json(json.at("process"));
  json.at("started").get_to(launch.started);
  launch.ready_s = number_from_json(json.at("ready_s"));
  launch.seconds = number_from_json(json.at("seconds"));
  json.at("ended").get_to(launch.ended);
  launch.failure = failure_in(json);
  json.at("log").get_to(launch.log);
  json.at("version").get_to(launch.version);
  return launch;
}

PointRecord read_point(const Json& json) {
  PointRecord point;
  json.at("id").get_to(point.id);
  json.at("launch").get_to(point.launch);
  json.at("repeat").get_to(point.repeat);
  json.at("pid").get_to(point.pid);
  point.point.configuration = space::values_from_json(json.at("configuration"));
  point.point.live = space::values_from_json(json.at("live"));
  const auto word = json.at("status").get<std::string>();
  const std::optional<PointStatus> status = point_status_from(word);
  if (!status) throw std::invalid_argument("unknown status '" + word + "'");
  point.status = *status;
  point.violation = number_from_json(json.at("violation"));
  point.measurement = measurement_from_json(json);
  point.failure = failure_in(json);
  if (!json.at("gpus").is_null()) point.gpus = number_from_json(json.at("gpus"));
  json.at("started").get_to(point.started);
  point.seconds = number_from_json(json.at("seconds"));
  json.at("reason").get_to(point.reason);
  return point;
}

template <class Read>
auto guarded(const char* what, const Json& json, Read read) -> core::Result<decltype(read(json))> {
  try {
    return read(json);
  } catch (const std::exception& fault) {
    return core::io_error(std::string("a stored ") + what + " cannot be read: " + fault.what());
  }
}

}  // namespace

Json to_json(const LaunchRecord& launch) {
  Json json = Json::object();
  json["number"] = launch.number;
  json["configuration"] = space::to_json(launch.configuration);
  json["argv"] = launch.argv;
  json["process"] = to_json(launch.process);
  json["started"] = launch.started;
  json["ready_s"] = number_to_json(launch.ready_s);
  json["seconds"] = number_to_json(launch.seconds);
  json["ended"] = launch.ended;
  json["failure"] = failure_to_json(launch.failure);
  json["log"] = launch.log;
  json["version"] = launch.version;
  return json;
}

Json to_json(const PointRecord& point) {
  Json json = Json::object();
  json["id"] = point.id;
  json["launch"] = point.launch;
  json["repeat"] = point.repeat;
  json["pid"] = point.pid;
  json["configuration"] = space::to_json(point.point.configuration);
  json["live"] = space::to_json(point.point.live);
  json["status"] = to_string(point.status);
  json["violation"] = number_to_json(point.violation);
  add_measurement(json, point.measurement);
  json["failure"] = failure_to_json(point.failure);
  json["gpus"] = optional_to_json(point.gpus, number_to_json);
  json["started"] = point.started;
  json["seconds"] = number_to_json(point.seconds);
  json["reason"] = point.reason;
  return json;
}

core::Result<LaunchRecord> launch_from_json(const Json& json) {
  return guarded("launch", json, read_launch);
}

core::Result<PointRecord> point_from_json(const Json& json) {
  return guarded("point", json, read_point);
}

}  // namespace paretune::trial
