#include "search/ask_tell_front.hpp"

#include <nlohmann/json.hpp>

#include "paretune/core/version.hpp"
#include "paretune/pareto/front.hpp"

namespace paretune::search {

namespace {

using core::Json;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json objectives_json(const std::vector<Objective>& objectives) {
  Json list = Json::array();
  for (const Objective& objective : objectives) {
    list.push_back({{"metric", objective.metric},
                    {"direction", objective.direction == Direction::Max ? "max" : "min"},
                    {"unit", nullptr}});
  }
  return list;
}

Json reference_json(const std::vector<Objective>& objectives,
                    const std::optional<pareto::CostVector>& reference) {
  if (!reference) return nullptr;
  Json json = Json::object();
  for (std::size_t j = 0; j < objectives.size(); ++j) {
    const double cost = (*reference)[j];
    json[objectives[j].metric] = objectives[j].direction == Direction::Max ? -cost : cost;
  }
  return json;
}

Json point_json(const ToldPoint& told, bool knee) {
  Json metrics = Json::object();
  for (const auto& [name, value] : told.metrics) metrics[name] = number_or_null(value);
  return {{"id", told.observation.id},
          {"configuration", space::to_json(told.observation.point.configuration)},
          {"live", space::to_json(told.observation.point.live)},
          {"metrics", std::move(metrics)},
          {"repeats", 1},
          {"knee", knee}};
}

Json failures_json(const std::vector<ToldPoint>& told) {
  Json list = Json::array();
  for (const ToldPoint& point : told) {
    if (point.failure.empty()) continue;
    list.push_back({{"id", point.observation.id},
                    {"configuration", space::to_json(point.observation.point.configuration)},
                    {"live", space::to_json(point.observation.point.live)},
                    {"class", point.failure},
                    {"scope", point.observation.failure == FailureScope::Launch ? "launch" : "point"}});
  }
  return list;
}

}  // namespace

Json front_json(const AskTellProblem& setup, const std::vector<ToldPoint>& told, std::size_t asked) {
  const std::vector<Objective>& objectives = setup.problem.objectives;
  std::vector<pareto::Candidate> candidates;
  for (const ToldPoint& point : told) {
    // A failed point has no costs and so cannot be a member.
    candidates.push_back(
        {std::to_string(point.observation.id), point.observation.cost, point.observation.violation});
  }
  const pareto::Front front = pareto::find_front(candidates, objectives.size(), setup.reference);

  Json points = Json::array();
  for (std::size_t i : front.members) points.push_back(point_json(told[i], front.knee == i));
  Json json{{"schema_version", 1},
            {"paretune_version", core::version()},
            {"study", setup.name},
            {"objectives", objectives_json(objectives)},
            {"limits", setup.limit_texts},
            {"reference_point", reference_json(objectives, front.reference)},
            {"hypervolume", front.hypervolume},
            {"hypervolume_log", number_or_null(front.log_hypervolume)},
            {"points", std::move(points)},
            {"picks", Json::object()},
            {"failures", failures_json(told)},
            {"budget", {{"asked", asked}, {"points", told.size()}}}};
  if (front.knee) json["picks"]["knee"] = told[*front.knee].observation.id;
  if (front.nearest) {
    json["nearest"] = {{"id", told[front.nearest->index].observation.id},
                       {"violation", front.nearest->violation}};
  }
  return json;
}

}  // namespace paretune::search
