// The normalised study: sections in the order of design §4, every default spelled out.
#include <nlohmann/json.hpp>

#include "paretune/core/units.hpp"
#include "paretune/spec/study_spec.hpp"
#include "spec/secrets.hpp"
#include "spec/space_json.hpp"
#include "spec/spelling.hpp"

namespace paretune::spec {

namespace {

using core::Json;

Json objectives_to_json(const std::vector<ObjectiveSpec>& objectives) {
  Json json = Json::array();
  for (const ObjectiveSpec& objective : objectives) {
    json.push_back({{"metric", objective.metric.name}, {"direction", objective.maximize ? "max" : "min"}});
  }
  return json;
}

Json limits_to_json(const std::vector<load::Bound>& limits) {
  Json json = Json::array();
  for (const load::Bound& limit : limits) json.push_back(load::to_text(limit));
  return json;
}

Json constraints_to_json(const std::vector<space::Expression>& constraints) {
  Json json = Json::array();
  for (const space::Expression& constraint : constraints) json.push_back(constraint.text());
  return json;
}

Json search_to_json(const SearchSpec& search) {
  return {{"method", search.method}, {"seed", search.seed}};
}

Json budget_to_json(const BudgetSpec& budget) {
  Json json = Json::object();
  if (budget.launches) json["launches"] = *budget.launches;
  if (budget.points) json["points"] = *budget.points;
  if (budget.time_s) json["time"] = *budget.time_s;
  return json;
}

Json reference_to_json(const load::MetricValues& values) {
  Json json = Json::object();
  for (const auto& [metric, value] : values) json[metric] = value;
  return json;
}

/// Fixed arguments stand in the engine's JSON either bare or as {value, style}.
void spell_arguments(const engine::EngineSpec& engine, const Json& args, Spelling& spelling) {
  for (const engine::FixedArgument& argument : engine.args) {
    const bool bare = args.contains(argument.name) && !args.at(argument.name).is_object();
    note_spelling(argument.level, "engine.args." + argument.name + (bare ? "" : ".value"), spelling);
  }
}

}  // namespace

Json to_json(const StudySpec& spec) {
  Spelling spelling;
  Json json = Json::object();
  json["name"] = spec.name;
  json["engine"] = engine::to_json(spec.engine);
  if (json["engine"].contains("args")) spell_arguments(spec.engine, json["engine"]["args"], spelling);
  json["space"] = space_to_json(spec.space, spelling);
  json["constraints"] = constraints_to_json(spec.space.constraints());
  json["workload"] = load::to_json(spec.workload);
  json["objectives"] = objectives_to_json(spec.objectives);
  json["limits"] = limits_to_json(spec.limits);
  if (spec.baseline) json["baseline"] = space::to_json(*spec.baseline);
  json["search"] = search_to_json(spec.search);
  json["budget"] = budget_to_json(spec.budget);
  if (spec.price) json["price"] = {{"gpu_hour", spec.price->gpu_hour}, {"currency", spec.price->currency}};
  if (!spec.reference_point.empty()) json["reference_point"] = reference_to_json(spec.reference_point);
  hide_secrets(json, spec.secrets);
  if (!spelling.empty()) json["as_written"] = spelling;
  return json;
}

std::string study_text(const StudySpec& spec) {
  return to_json(spec).dump(2) + "\n";
}

}  // namespace paretune::spec
