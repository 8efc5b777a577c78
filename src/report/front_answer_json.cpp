#include <algorithm>
#include <nlohmann/json.hpp>

#include "paretune/core/version.hpp"
#include "paretune/pareto/dominance.hpp"
#include "paretune/report/front_input.hpp"
#include "report/front_json.hpp"
#include "report/json_text.hpp"

namespace paretune::report {

namespace {

using core::Json;

constexpr std::size_t kShownDominators = 10;

Json label_json(const Label& label) {
  return std::visit([](const auto& value) { return Json(value); }, label);
}

bool several_inputs(const FrontAnswer& answer) {
  const auto& rows = answer.table.rows;
  return std::any_of(rows.begin(), rows.end(),
                     [&](const TableRow& row) { return row.input != rows.front().input; });
}

/// Numbers are metrics; everything else describes the row.
void add_columns(Json& json, const FrontAnswer& answer, const TableRow& row) {
  Json configuration = Json::object(), metrics = Json::object();
  for (std::size_t c = 0; c < answer.table.columns.size(); ++c) {
    const std::string& name = answer.table.columns[c];
    if (name == answer.id_column || row.cells[c].text.empty()) continue;
    if (row.cells[c].number) {
      metrics[name] = *row.cells[c].number;
    } else {
      configuration[name] = row.cells[c].text;
    }
  }
  json["configuration"] = std::move(configuration);
  json["live"] = Json::object();
  json["metrics"] = std::move(metrics);
}

Json row_json(const FrontAnswer& answer, const FrontRow& front_row) {
  const TableRow& row = answer.table.rows[front_row.row];
  Json json = {{"id", label_json(front_row.id)}};
  if (row.source_json.empty()) {
    json["row"] = row.number;
    add_columns(json, answer, row);
  } else {
    const Json source = Json::parse(row.source_json, nullptr, false);
    for (const auto& [key, value] : source.items()) json[key] = value;
    // Judged against other rivals than the study's: not known here.
    json["probability_on_front"] = nullptr;
  }
  if (several_inputs(answer)) json["input"] = row.input;
  return json;
}

Json nearest_json(const FrontAnswer& answer, const FrontGroup& group) {
  if (!group.front.nearest) return nullptr;
  const FrontRow& row = group.rows[group.front.nearest->index];
  Json json = row_json(answer, row);
  json["violation"] = group.front.nearest->violation;
  json["limits"] = Json::array();
  for (std::size_t k = 0; k < answer.limits.size(); ++k) {
    const std::size_t column = *answer.table.find(answer.limits[k].column);
    json["limits"].push_back({{"limit", answer.limits[k].text},
                              {"value", *answer.table.rows[row.row].cells[column].number},
                              {"violation", row.violation[k]}});
  }
  return json;
}

pareto::CostVector costs_of(const FrontAnswer& answer, const FrontRow& row) {
  pareto::CostVector costs = row.values;
  for (std::size_t j = 0; j < costs.size(); ++j)
    costs[j] = answer.objectives[j].maximize ? -costs[j] : costs[j];
  return costs;
}

std::vector<std::size_t> in_input_order(const FrontGroup& group) {
  std::vector<std::size_t> members = group.front.members;
  std::sort(members.begin(), members.end());
  return members;
}

/// Feasible rows that are not on the front, each with members of the front that beat it.
Json dominated_json(const FrontAnswer& answer, const FrontGroup& group) {
  const std::vector<std::size_t> members = in_input_order(group);
  Json json = Json::array();
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    const FrontRow& row = group.rows[i];
    if (row.total_violation > 0 || std::binary_search(members.begin(), members.end(), i)) continue;
    Json by = Json::array();
    for (const std::size_t member : members) {
      if (by.size() >= kShownDominators) break;
      const FrontRow& rival = group.rows[member];
      if (pareto::dominates(costs_of(answer, rival), costs_of(answer, row)))
        by.push_back(label_json(rival.id));
    }
    json.push_back({{"id", label_json(row.id)}, {"by", std::move(by)}});
  }
  return json;
}

Json infeasible_json(const FrontGroup& group) {
  Json json = Json::array();
  for (const FrontRow& row : group.rows) {
    if (row.total_violation > 0)
      json.push_back({{"id", label_json(row.id)}, {"violation", row.total_violation}});
  }
  return json;
}

Json reference_json(const FrontAnswer& answer, const FrontGroup& group) {
  Json json = Json::object();
  for (std::size_t j = 0; group.front.reference && j < answer.objectives.size(); ++j) {
    const double cost = (*group.front.reference)[j];
    json[answer.objectives[j].column] = answer.objectives[j].maximize ? -cost : cost;
  }
  return json;
}

void add_group(Json& json, const FrontAnswer& answer, const FrontGroup& group) {
  const pareto::Front& front = group.front;
  json["reference_point"] = reference_json(answer, group);
  json["hypervolume"] = finite_or_null(front.hypervolume);
  json["hypervolume_log"] = front.log_hypervolume ? finite_or_null(*front.log_hypervolume) : Json(nullptr);
  json["distinct_points"] = front.distinct;
  json["points"] = Json::array();
  for (const std::size_t member : in_input_order(group)) {
    Json point = row_json(answer, group.rows[member]);
    point["knee"] = front.knee == member;
    json["points"].push_back(std::move(point));
  }
  json["nearest"] = nearest_json(answer, group);
  json["dominated"] = dominated_json(answer, group);
  json["infeasible"] = infeasible_json(group);
}

Json head_json(const FrontAnswer& answer) {
  Json json = {{"schema_version", 1},
               {"paretune_version", core::version()},
               {"objectives", Json::array()},
               {"limits", Json::array()}};
  for (const FrontObjective& objective : answer.objectives) {
    json["objectives"].push_back({{"metric", objective.column},
                                  {"direction", objective.maximize ? "max" : "min"},
                                  {"unit", objective.unit}});
  }
  for (const FrontLimit& limit : answer.limits) json["limits"].push_back(limit.text);
  return json;
}

}  // namespace

std::string render_front_answer_json(const FrontAnswer& answer) {
  if (answer.study) return render_front_json(*answer.study);
  Json json = head_json(answer);
  if (answer.grouped) {
    json["groups"] = Json::array();
    for (const FrontGroup& group : answer.groups) {
      Json entry = {{"key", Json::object()}};
      for (const auto& [column, label] : group.key) entry["key"][column] = label_json(label);
      add_group(entry, answer, group);
      json["groups"].push_back(std::move(entry));
    }
  } else {
    add_group(json, answer, answer.groups.front());
  }
  json["messages"] = answer.messages;
  return json_text(json, 2) + "\n";
}

}  // namespace paretune::report
