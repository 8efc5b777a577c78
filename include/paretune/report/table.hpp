// A table of any results, read from CSV, JSON or JSON lines: columns by their own names, one cell per row and
// column. Rows that cannot be read are put aside with a message, never dropped in silence. Plain data; one
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"

namespace paretune::report {

struct Cell {
  std::string text;              ///< as written; "" = unknown. Nested JSON is its JSON text
  std::optional<double> number;  ///< set if the text is a finite number (JSON strings too)
};

struct TableRow {
  std::string input;        ///< the file it came from, as the user named it
  std::size_t number = 0;   ///< 0-based within its input; rows put aside are counted
  std::vector<Cell> cells;  ///< one per column
  std::string source_json;  ///< a point of a paretune file as it stood there; empty for other tables
};

struct Table {
  std::vector<std::string> columns;    ///< unique
  std::vector<std::string> ambiguous;  ///< names that a header holds more than once
  std::vector<TableRow> rows;
  std::vector<std::string> messages;  ///< what was put aside and why, for stderr

  std::optional<std::size_t> find(std::string_view column) const;
  /// Index of the column; a new one is added, empty in the rows so far.
  std::size_t column(std::string_view name);
};

enum class TableFormat { Csv, Json, JsonLines };

/// By the end of the name (.csv .tsv .json .jsonl .ndjson), else by the first character of the text.
TableFormat guess_format(std::string_view file, std::string_view text);

/// - CSV: first record = header; separator guessed from it. A repeated column name gets " (2)" and is
/// ambiguous; a row
///   with fewer cells than the header is filled up with unknown cells, one with more is put aside.
/// - JSON: a list of objects; or an object that holds one under points, results, rows, data, trials or runs;
/// or one
///   object = one row. Nested objects are flattened with dots, except `metrics`, `configuration` and `live`,
///   whose members become columns as they are.
/// - JSON lines: one object per line, split on LF only (U+0085 and U+2028 are text). A line that is no object
/// is put
///   aside with its number; a last line that was cut off likewise.
/// @param file  name for messages. @return Error{InvalidInput} "FILE:LINE…: what".
core::Result<Table> read_table(std::string_view text, const std::string& file);
core::Result<Table> read_table(std::string_view text, const std::string& file, TableFormat format);

/// Appends rows and messages; columns are matched by name.
void append(Table& table, const Table& more);

}  // namespace paretune::report
