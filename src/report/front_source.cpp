#include "report/front_source.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/load/metric.hpp"
#include "paretune/report/study_report.hpp"
#include "report/front_json.hpp"
#include "report/table_json.hpp"

namespace paretune::report {

namespace {

using core::Json;

bool is_paretune_document(const Json& document) {
  return document.is_object() && document.contains("points") && document["points"].is_array() &&
         document.contains("objectives") && document["objectives"].is_array();
}

std::string text_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

core::Result<FrontSource> read_document(const Json& document, const std::string& file) {
  FrontSource source;
  source.paretune = true;
  for (const Json& objective : document["objectives"]) {
    source.objectives.push_back(text_member(objective, "metric") + ":" + text_member(objective, "direction"));
    source.table.column(text_member(objective, "metric"));
  }
  const auto limits = document.find("limits");
  if (limits != document.end() && limits->is_array()) {
    for (const Json& limit : *limits) {
      if (limit.is_string()) source.limits.push_back(limit.get<std::string>());
    }
  }
  std::size_t number = 0;
  for (const Json& point : document["points"]) {
    if (!point.is_object()) return core::invalid_input(file + ": a point is no object");
    add_object(source.table, point, file, number++, true);
  }
  // Nothing met the limits: the nearest point is then the only one that the file tells of.
  const auto nearest = document.find("nearest");
  if (number == 0 && nearest != document.end() && nearest->is_object()) {
    add_object(source.table, *nearest, file, number, true);
  }
  return source;
}

core::Result<FrontSource> read_directory(const std::string& directory) {
  auto data = load_report(directory);
  if (!data) return data.error();
  FrontSource source;
  source.paretune = true;
  for (const auto& objective : data->spec.objectives) {
    source.objectives.push_back(objective.metric.name + (objective.maximize ? ":max" : ":min"));
    source.table.column(objective.metric.name);
  }
  for (const auto& limit : data->spec.limits) {
    source.limits.push_back(load::to_text(limit));
    source.table.column(limit.metric.name);
  }
  std::size_t number = 0, left_out = 0;
  for (const ReportPoint& point : data->points) {
    const bool usable =
        point.status == trial::PointStatus::Ok || point.status == trial::PointStatus::Infeasible;
    if (usable) {
      add_object(source.table, point_json(point), directory, number++, true);
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    source.table.messages.push_back(directory + ": " + std::to_string(left_out) +
                                    " failed or invalid points left out");
  }
  source.study = std::make_shared<const ReportData>(std::move(*data));
  return source;
}

/// Our own points.csv: rows that must never enter a front are known by their status.
void drop_unusable_measurements(Table& table) {
  static const std::vector<std::string> kFirstColumns{"id", "launch", "pid", "status", "class"};
  if (table.columns.size() < kFirstColumns.size() ||
      !std::equal(kFirstColumns.begin(), kFirstColumns.end(), table.columns.begin())) {
    return;
  }
  const auto removed = std::erase_if(table.rows, [](const TableRow& row) {
    return row.cells[3].text == "failed" || row.cells[3].text == "invalid";
  });
  if (removed > 0)
    table.messages.push_back(std::to_string(removed) + " failed or invalid measurements left out");
}

core::Result<FrontSource> read_input(const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::is_directory(input, ignored)) return read_directory(input);
  const auto text = core::read_file(input == "-" ? "/dev/stdin" : input);
  if (!text) return text.error();
  const std::string name = input == "-" ? "standard input" : input;
  if (guess_format(input, *text) == TableFormat::Json) {
    const Json document =
        Json::parse(text->starts_with("\xEF\xBB\xBF") ? text->substr(3) : *text, nullptr, false);
    if (is_paretune_document(document)) return read_document(document, name);
  }
  auto table = read_table(*text, name);
  if (!table) return table.error();
  FrontSource source;
  source.table = std::move(*table);
  drop_unusable_measurements(source.table);
  return source;
}

}  // namespace

core::Result<FrontSource> read_sources(const FrontRequest& request) {
  if (request.inputs.empty()) return core::invalid_input("no input", "name a file, a study directory or -");
  FrontSource all;
  all.paretune = true;
  bool first = true;
  for (const std::string& input : request.inputs) {
    auto source = read_input(input);
    if (!source) return source.error();
    all.paretune = all.paretune && source->paretune;
    const bool differs = source->objectives != all.objectives || source->limits != all.limits;
    if (first) {
      all.objectives = source->objectives;
      all.limits = source->limits;
      all.study = request.inputs.size() == 1 ? source->study : nullptr;
    } else if (differs && request.objectives.empty()) {
      return core::invalid_input(
          "'" + input + "' and '" + request.inputs.front() + "' have different objectives or limits",
          "say which to use: --objective METRIC:max|min, --limit EXPR");
    }
    append(all.table, source->table);
    first = false;
  }
  return all;
}

}  // namespace paretune::report
