// The front of any results: tables of other tools (CSV, JSON, JSON lines), our own front.json, a study
// directory. What the `front` command does, without printing. Columns of tables are free text and go by their
// own names; names of metrics (with aliases) are known only in paretune's own results. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/pareto/front.hpp"
#include "paretune/report/report_data.hpp"
#include "paretune/report/table.hpp"

namespace paretune::report {

struct FrontRequest {
  std::vector<std::string> inputs;  ///< files, study directories, "-" for standard input
  std::vector<std::string>
      objectives;                   ///< "METRIC:max" or "METRIC:min"; may be empty for paretune's own results
  std::vector<std::string> limits;  ///< "COLUMN <= NUMBER" or >=, <, >; several may be joined with `and`
  std::vector<std::string> group_by;  ///< columns; rows of different groups are never compared
  std::string id_column;              ///< default: the column `id`, else the 0-based row
};

/// An id or the value of a group column: a number where the whole column holds numbers.
using Label = std::variant<std::int64_t, double, std::string>;
std::string to_text(const Label& label);

struct FrontObjective {
  std::string column;
  bool maximize = false;
  std::string unit;  ///< known for paretune's metrics, else empty
};

/// column <= bound or >= bound, in the column's own unit.
struct FrontLimit {
  std::string column;
  bool upper = true;
  bool strict = false;  ///< < or >
  double bound = 0;
  std::string text;  ///< "tpot_ms <= 5"
};

struct FrontRow {
  Label id;
  std::size_t row = 0;            ///< index into FrontAnswer::table.rows
  std::vector<double> values;     ///< one per objective, as in the table
  std::vector<double> violation;  ///< one per limit, relative; 0 = met
  double total_violation = 0;
};

struct FrontGroup {
  std::vector<std::pair<std::string, Label>> key;  ///< empty without group_by
  std::vector<FrontRow> rows;                      ///< usable rows in order of input
  pareto::Front front;                             ///< indices are into `rows`
};

struct FrontAnswer {
  std::vector<FrontObjective> objectives;
  std::vector<FrontLimit> limits;
  std::string id_column;  ///< in use; empty = row numbers
  bool grouped = false;
  std::vector<FrontGroup> groups;     ///< one if not grouped, else by first appearance
  std::vector<std::string> messages;  ///< for stderr: rows left out, odd input
  Table table;
  /// Set when the input is one study directory and nothing was asked but its own front: shown by the study's
  /// outputs.
  std::shared_ptr<const ReportData> study;

  bool any_point() const;  ///< false: exit 3
};

/// @return Error{InvalidInput}: unreadable input, unknown column ("did you mean"), objective without a
/// direction, no objective for a table, bad limit. Error{NotFound}: no such file or study.
core::Result<FrontAnswer> evaluate_front(const FrontRequest& request);

/// The same on a table that is there already (no inputs are read).
core::Result<FrontAnswer> evaluate_front(Table table, const FrontRequest& request);

/// Form of front.json with `nearest`, `dominated`, `infeasible` and, if grouped, `groups` (docs/results.md).
std::string render_front_answer_json(const FrontAnswer& answer);
/// For people: one table per group; equal points share a line.
std::string render_front_answer_table(const FrontAnswer& answer, bool color, int width);

}  // namespace paretune::report
