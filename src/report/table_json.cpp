#include "report/table_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "report/json_text.hpp"

namespace paretune::report {

namespace {

using core::Json;

/// Members of these objects are columns under their own names: the form of our own result files.
constexpr std::array<std::string_view, 3> kTransparent{"metrics", "configuration", "live"};
constexpr std::array<std::string_view, 6> kRowKeys{"points", "results", "rows", "data", "trials", "runs"};

Cell cell_from_json(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_number()) {
    const double number = value.get<double>();
    return {value.is_number_float() ? core::format_number(number) : value.dump(), number};
  }
  if (!value.is_string()) return {json_text(value), std::nullopt};
  Cell cell{value.get<std::string>(), std::nullopt};
  if (const auto number = core::parse_number(core::trim(cell.text))) cell.number = *number;
  return cell;
}

void flatten(Table& table, TableRow& row, const Json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.items()) {
    const bool transparent =
        prefix.empty() && std::find(kTransparent.begin(), kTransparent.end(), key) != kTransparent.end();
    if (value.is_object()) {
      flatten(table, row, value, transparent ? "" : prefix + key + ".");
      continue;
    }
    const std::size_t column = table.column(prefix + key);
    row.cells.resize(table.columns.size());
    Cell& cell = row.cells[column];
    // The live setting and the measured concurrency share a name: the first one seen (the setting) stays.
    if (cell.text.empty()) cell = cell_from_json(value);
  }
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_object(); });
}

std::string at_line(const std::string& file, std::size_t line) {
  return file + ":" + std::to_string(line);
}

std::string place(const std::string& file, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return file + ":" + std::to_string(line) + ":" + std::to_string(before.size() - line_start + 1);
}

}  // namespace

core::Result<Json> parse_json(std::string_view text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // "[json.exception…] parse error at line 1, column 2: what": only the last part is for people.
    const std::string what = error.what();
    const std::size_t colon = what.find(": ");
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    return core::invalid_input(place(file, text, byte) + ": no valid JSON: " +
                               core::printable(colon == std::string::npos ? what : what.substr(colon + 2)));
  }
}

const Json* find_rows(const Json& document) {
  if (is_list_of_objects(document)) return &document;
  if (!document.is_object()) return nullptr;
  for (const std::string_view key : kRowKeys) {
    const auto found = document.find(key);
    if (found != document.end() && is_list_of_objects(*found)) return &*found;
  }
  return nullptr;
}

void add_object(Table& table, const Json& object, const std::string& file, std::size_t number,
                bool keep_source) {
  TableRow row{file, number, std::vector<Cell>(table.columns.size()), keep_source ? json_text(object) : ""};
  flatten(table, row, object, "");
  table.rows.push_back(std::move(row));
}

core::Result<Table> read_json_table(std::string_view text, const std::string& file) {
  if (core::trim(text).empty()) return core::invalid_input(file + " is empty");
  const auto document = parse_json(text, file);
  if (!document) return document.error();
  Table table;
  if (const Json* rows = find_rows(*document)) {
    std::size_t number = 0;
    for (const Json& object : *rows) add_object(table, object, file, number++, false);
    return table;
  }
  if (!document->is_object()) {
    return core::invalid_input(file + " holds no rows", "a list of objects is needed, or an object with one");
  }
  add_object(table, *document, file, 0, false);
  return table;
}

core::Result<Table> read_json_lines(std::string_view text, const std::string& file) {
  if (core::trim(text).empty()) return core::invalid_input(file + " is empty");
  Table table;
  std::size_t line_number = 0, number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool last = end == std::string_view::npos;
    const std::string_view line = core::trim(text.substr(0, end));
    text.remove_prefix(last ? text.size() : end + 1);
    ++line_number;
    if (line.empty()) continue;
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_object()) {
      add_object(table, object, file, number, false);
    } else if (last) {
      table.messages.push_back(at_line(file, line_number) + ": the last line was cut off (" +
                               std::to_string(line.size()) + " bytes) and is left out");
    } else {
      table.messages.push_back(at_line(file, line_number) + ": no JSON object; the line is left out");
    }
    ++number;
  }
  return table;
}

}  // namespace paretune::report
