// What a `front` request says about columns: objectives, limits, ids. Names are resolved against a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/report/front_input.hpp"
#include "paretune/report/table.hpp"

namespace paretune::report {

/// @param known_metrics  the table holds paretune's own results: names of metrics may be aliases, bounds have
/// units, and a metric without a direction takes its natural one.
core::Result<std::string> resolve_column(const std::string& name, const Table& table, bool known_metrics);
core::Result<FrontObjective> read_objective(const std::string& text, const Table& table, bool known_metrics);
/// "a <= 5 and b >= 600": one limit per part.
core::Result<std::vector<FrontLimit>> read_limits(const std::string& text, const Table& table,
                                                  bool known_metrics);

/// max(0, (value - bound) / |bound|) with the sign of the limit, absolute where the bound is 0; above 0
/// whenever the limit is broken.
double violation_of(const FrontLimit& limit, double value);

/// One label per row of `rows`; numbers only if every cell of the column is a number written in its shortest
/// form, so that "07" and "1.10" stay text. An empty cell is named by `fallback(row)`.
std::vector<Label> read_labels(const Table& table, std::size_t column, const std::vector<std::size_t>& rows,
                               bool empty_is_row_number);

}  // namespace paretune::report
