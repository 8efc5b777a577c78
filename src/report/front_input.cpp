#include "paretune/report/front_input.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "paretune/core/text.hpp"
#include "report/front_columns.hpp"
#include "report/front_source.hpp"

namespace paretune::report {

namespace {

/// What the request means on this table.
struct Plan {
  std::vector<std::size_t> objective_columns, limit_columns, group_columns;
  std::optional<std::size_t> id_column;
};

core::Result<void> read_request(FrontAnswer& answer, const FrontRequest& request, bool known_metrics) {
  for (const std::string& text : request.objectives) {
    auto objective = read_objective(text, answer.table, known_metrics);
    if (!objective) return objective.error();
    answer.objectives.push_back(std::move(*objective));
  }
  for (const std::string& text : request.limits) {
    auto limits = read_limits(text, answer.table, known_metrics);
    if (!limits) return limits.error();
    answer.limits.insert(answer.limits.end(), limits->begin(), limits->end());
  }
  return {};
}

core::Result<Plan> make_plan(FrontAnswer& answer, const FrontRequest& request, bool known_metrics) {
  Plan plan;
  for (const FrontObjective& objective : answer.objectives) {
    const std::size_t column = *answer.table.find(objective.column);
    if (std::find(plan.objective_columns.begin(), plan.objective_columns.end(), column) !=
        plan.objective_columns.end()) {
      return core::invalid_input("objective '" + objective.column + "' is given twice");
    }
    plan.objective_columns.push_back(column);
  }
  for (const FrontLimit& limit : answer.limits)
    plan.limit_columns.push_back(*answer.table.find(limit.column));
  for (const std::string& name : request.group_by) {
    const auto column = resolve_column(name, answer.table, known_metrics);
    if (!column) return core::invalid_input("--group-by: " + column.error().message, column.error().hint);
    plan.group_columns.push_back(*answer.table.find(*column));
  }
  if (!request.id_column.empty()) {
    const auto column = resolve_column(request.id_column, answer.table, known_metrics);
    if (!column) return core::invalid_input("--id: " + column.error().message, column.error().hint);
    answer.id_column = *column;
  } else if (answer.table.find("id")) {
    answer.id_column = "id";
  }
  if (!answer.id_column.empty()) plan.id_column = answer.table.find(answer.id_column);
  return plan;
}

std::string rows_word(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " row" : " rows");
}

/// Rows with a number in every objective and limit; the others are counted in messages.
std::vector<std::size_t> usable_rows(FrontAnswer& answer, const Plan& plan) {
  std::vector<std::size_t> needed = plan.objective_columns;
  needed.insert(needed.end(), plan.limit_columns.begin(), plan.limit_columns.end());
  std::map<std::size_t, std::size_t> missing;  // column -> rows
  std::vector<std::size_t> usable;
  for (std::size_t r = 0; r < answer.table.rows.size(); ++r) {
    const TableRow& row = answer.table.rows[r];
    const auto hole = std::find_if(needed.begin(), needed.end(),
                                   [&](std::size_t column) { return !row.cells[column].number; });
    if (hole == needed.end()) {
      usable.push_back(r);
    } else {
      ++missing[*hole];
    }
  }
  for (const auto& [column, count] : missing) {
    answer.messages.push_back(rows_word(count) + " without a number in '" + answer.table.columns[column] +
                              "' left out");
  }
  return usable;
}

std::vector<Label> row_ids(const FrontAnswer& answer, const Plan& plan,
                           const std::vector<std::size_t>& rows) {
  if (plan.id_column) return read_labels(answer.table, *plan.id_column, rows, true);
  // Several inputs: counted on, so that ids stay unique.
  std::map<std::string, std::size_t> offset;
  std::size_t next = 0;
  std::vector<std::size_t> of_row;
  for (const TableRow& row : answer.table.rows) {
    const auto [place, is_new] = offset.emplace(row.input, next);
    of_row.push_back(place->second + row.number);
    next = std::max(next, of_row.back() + 1);
  }
  std::vector<Label> ids;
  for (const std::size_t r : rows) ids.emplace_back(static_cast<std::int64_t>(of_row[r]));
  return ids;
}

FrontRow make_row(const FrontAnswer& answer, const Plan& plan, std::size_t r, Label id) {
  FrontRow row{std::move(id), r, {}, {}, 0};
  const std::vector<Cell>& cells = answer.table.rows[r].cells;
  for (const std::size_t column : plan.objective_columns) row.values.push_back(*cells[column].number);
  for (std::size_t i = 0; i < answer.limits.size(); ++i) {
    row.violation.push_back(violation_of(answer.limits[i], *cells[plan.limit_columns[i]].number));
  }
  row.total_violation = std::accumulate(row.violation.begin(), row.violation.end(), 0.0);
  return row;
}

void fill_groups(FrontAnswer& answer, const Plan& plan, const std::vector<std::size_t>& rows) {
  const std::vector<Label> ids = row_ids(answer, plan, rows);
  std::vector<std::vector<Label>> labels;
  for (const std::size_t column : plan.group_columns)
    labels.push_back(read_labels(answer.table, column, rows, false));
  std::map<std::vector<std::string>, std::size_t> group_of;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> key;
    for (const auto& column : labels) key.push_back(to_text(column[i]));
    const auto [place, is_new] = group_of.emplace(std::move(key), answer.groups.size());
    if (is_new) {
      FrontGroup group;
      for (std::size_t c = 0; c < labels.size(); ++c) {
        group.key.emplace_back(answer.table.columns[plan.group_columns[c]], labels[c][i]);
      }
      answer.groups.push_back(std::move(group));
    }
    answer.groups[place->second].rows.push_back(make_row(answer, plan, rows[i], ids[i]));
  }
  if (answer.groups.empty() && !answer.grouped) answer.groups.emplace_back();
}

void find_fronts(FrontAnswer& answer) {
  for (FrontGroup& group : answer.groups) {
    std::vector<pareto::Candidate> candidates;
    for (const FrontRow& row : group.rows) {
      pareto::Candidate candidate{to_text(row.id), row.values, row.total_violation};
      for (std::size_t j = 0; j < candidate.cost.size(); ++j) {
        if (answer.objectives[j].maximize) candidate.cost[j] = -candidate.cost[j];
      }
      candidates.push_back(std::move(candidate));
    }
    group.front = pareto::find_front(candidates, answer.objectives.size());
  }
}

core::Result<FrontAnswer> evaluate(Table table, const FrontRequest& request, bool known_metrics) {
  FrontAnswer answer;
  answer.table = std::move(table);
  answer.messages = answer.table.messages;
  answer.grouped = !request.group_by.empty();
  if (request.objectives.empty()) {
    return core::invalid_input("no objective",
                               "say what is better: --objective COLUMN:max or COLUMN:min; columns: " +
                                   core::join(answer.table.columns, ", "));
  }
  if (const auto read = read_request(answer, request, known_metrics); !read) return read.error();
  const auto plan = make_plan(answer, request, known_metrics);
  if (!plan) return plan.error();
  const std::vector<std::size_t> rows = usable_rows(answer, *plan);
  if (rows.empty()) answer.messages.emplace_back("there are no rows to compare");
  fill_groups(answer, *plan, rows);
  find_fronts(answer);
  return answer;
}

}  // namespace

bool FrontAnswer::any_point() const {
  if (study) return !study->front.empty();
  return std::any_of(groups.begin(), groups.end(),
                     [](const FrontGroup& group) { return !group.front.members.empty(); });
}

core::Result<FrontAnswer> evaluate_front(Table table, const FrontRequest& request) {
  return evaluate(std::move(table), request, false);
}

core::Result<FrontAnswer> evaluate_front(const FrontRequest& request) {
  auto source = read_sources(request);
  if (!source) return source.error();
  FrontRequest complete = request;
  if (complete.limits.empty()) complete.limits = source->limits;
  const bool plain = request.objectives.empty() && request.limits.empty() && request.group_by.empty() &&
                     request.id_column.empty();
  if (complete.objectives.empty()) complete.objectives = source->objectives;
  auto answer = evaluate(std::move(source->table), complete, source->paretune);
  if (answer && plain) answer->study = std::move(source->study);
  return answer;
}

}  // namespace paretune::report
