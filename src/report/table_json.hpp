// JSON and JSON lines as tables; the JSON half of table.hpp.
#pragma once

#include <string>
#include <string_view>

#include "paretune/core/json.hpp"
#include "paretune/core/result.hpp"
#include "paretune/report/table.hpp"

namespace paretune::report {

core::Result<Table> read_json_table(std::string_view text, const std::string& file);
core::Result<Table> read_json_lines(std::string_view text, const std::string& file);

/// Parses strictly. @return Error{InvalidInput} "FILE:LINE:COLUMN: what".
core::Result<core::Json> parse_json(std::string_view text, const std::string& file);

/// The list of row objects in a JSON document; nullptr if it holds none (then an object is one row itself).
const core::Json* find_rows(const core::Json& document);

/// Adds one object as a row. `keep_source` keeps the object's own text in the row.
void add_object(Table& table, const core::Json& object, const std::string& file, std::size_t number,
                bool keep_source);

}  // namespace paretune::report
