#include "paretune/report/table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/report/csv.hpp"
#include "report/table_json.hpp"

namespace paretune::report {

namespace {

Cell cell_from_text(std::string text) {
  Cell cell{std::move(text), std::nullopt};
  if (const auto number = core::parse_number(core::trim(cell.text))) cell.number = *number;
  return cell;
}

void read_header(Table& table, const CsvRecord& header) {
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    std::string name(core::trim(header.cells[i]));
    if (name.empty()) name = "column " + std::to_string(i + 1);
    if (table.find(name)) {
      if (std::find(table.ambiguous.begin(), table.ambiguous.end(), name) == table.ambiguous.end()) {
        table.ambiguous.push_back(name);
      }
      std::size_t copy = 2;
      while (table.find(name + " (" + std::to_string(copy) + ")")) ++copy;
      name += " (" + std::to_string(copy) + ")";
    }
    table.columns.push_back(std::move(name));
  }
}

bool only_blank_beyond(const std::vector<std::string>& cells, std::size_t width) {
  for (std::size_t i = width; i < cells.size(); ++i) {
    if (!core::trim(cells[i]).empty()) return false;
  }
  return true;
}

std::string rows_word(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " row" : " rows");
}

core::Result<Table> read_csv(std::string_view text, const std::string& file) {
  const auto csv = parse_csv(text, guess_separator(text));
  if (!csv) return core::invalid_input(file + ": " + csv.error().message, csv.error().hint);
  Table table;
  if (csv->torn_line != 0) {
    table.messages.push_back(file + ":" + std::to_string(csv->torn_line) +
                             ": the last row was cut off and is left out");
  }
  if (csv->records.empty()) return core::invalid_input(file + " is empty", "a table needs a header line");
  read_header(table, csv->records[0]);
  std::size_t too_wide = 0, first_too_wide = 0;
  for (std::size_t i = 1; i < csv->records.size(); ++i) {
    const CsvRecord& record = csv->records[i];
    if (!only_blank_beyond(record.cells, table.columns.size())) {
      if (too_wide++ == 0) first_too_wide = record.line;
      continue;
    }
    TableRow row{file, i - 1, {}, {}};
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      row.cells.push_back(c < record.cells.size() ? cell_from_text(record.cells[c]) : Cell{});
    }
    table.rows.push_back(std::move(row));
  }
  if (too_wide > 0) {
    table.messages.push_back(file + ": " + rows_word(too_wide) +
                             " with more cells than the header left out (first at line " +
                             std::to_string(first_too_wide) + ")");
  }
  return table;
}

}  // namespace

std::optional<std::size_t> Table::find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::size_t Table::column(std::string_view name) {
  if (const auto index = find(name)) return *index;
  columns.emplace_back(name);
  for (TableRow& row : rows) row.cells.resize(columns.size());
  return columns.size() - 1;
}

TableFormat guess_format(std::string_view file, std::string_view text) {
  const std::string name = core::to_lower(file);
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return TableFormat::JsonLines;
  if (name.ends_with(".json")) return TableFormat::Json;
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return TableFormat::Csv;
  const std::string_view body = core::trim(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text);
  if (body.starts_with('[')) return TableFormat::Json;
  if (!body.starts_with('{')) return TableFormat::Csv;
  return core::Json::accept(body) ? TableFormat::Json : TableFormat::JsonLines;
}

core::Result<Table> read_table(std::string_view text, const std::string& file) {
  TableFormat format = guess_format(file, text);
  // Some tools write one object per line into a file that ends in .json.
  const std::string_view first_line = text.substr(0, text.find('\n'));
  if (format == TableFormat::Json && first_line.size() < text.size() && core::Json::accept(first_line) &&
      !core::Json::accept(text)) {
    format = TableFormat::JsonLines;
  }
  return read_table(text, file, format);
}

core::Result<Table> read_table(std::string_view text, const std::string& file, TableFormat format) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return core::invalid_input(file + " is UTF-16", "save it as UTF-8");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  switch (format) {
    case TableFormat::Csv:
      return read_csv(text, file);
    case TableFormat::Json:
      return read_json_table(text, file);
    case TableFormat::JsonLines:
      return read_json_lines(text, file);
  }
  return core::invalid_input(file + ": unknown format");
}

void append(Table& table, const Table& more) {
  std::vector<std::size_t> place;
  for (const std::string& name : more.columns) place.push_back(table.column(name));
  for (const TableRow& row : more.rows) {
    TableRow copy{row.input, row.number, std::vector<Cell>(table.columns.size()), row.source_json};
    for (std::size_t c = 0; c < row.cells.size(); ++c) copy.cells[place[c]] = row.cells[c];
    table.rows.push_back(std::move(copy));
  }
  for (const std::string& name : more.ambiguous) {
    if (std::find(table.ambiguous.begin(), table.ambiguous.end(), name) == table.ambiguous.end())
      table.ambiguous.push_back(name);
  }
  table.messages.insert(table.messages.end(), more.messages.begin(), more.messages.end());
}

}  // namespace paretune::report
