#include "report/front_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/load/metric.hpp"

namespace paretune::report {

namespace {

/// The smallest violation shown for a strict limit that is met only with equality.
constexpr double kJustBroken = 1e-15;
/// Whole numbers beyond this do not survive readers that hold numbers as doubles.
constexpr double kLargestExact = 9007199254740992.0;

std::optional<bool> maximize_from(std::string_view word) {
  const std::string lower = core::to_lower(word);
  if (lower == "max" || lower == "maximize" || lower == "maximise") return true;
  if (lower == "min" || lower == "minimize" || lower == "minimise") return false;
  return std::nullopt;
}

/// What a bound may be written in, and its factor to the base unit of its kind.
struct Unit {
  std::string_view name;
  char kind;  ///< t = time, p = percent
  double factor;
};
constexpr std::array<Unit, 6> kUnits{
    {{"us", 't', 1e-6}, {"ms", 't', 1e-3}, {"s", 't', 1}, {"m", 't', 60}, {"min", 't', 60}, {"%", 'p', 1}}};
/// Columns whose name says their unit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNameUnits{{{"_us", "us"},
                                                                                   {"_ms", "ms"},
                                                                                   {"_s", "s"},
                                                                                   {"_sec", "s"},
                                                                                   {"_seconds", "s"},
                                                                                   {"_pct", "%"},
                                                                                   {"_percent", "%"}}};

const Unit* unit_named(std::string_view name) {
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

const Unit* unit_of_column(std::string_view column) {
  const std::string name = core::to_lower(column);
  for (const auto& [ending, unit] : kNameUnits) {
    if (name.ends_with(ending)) return unit_named(unit);
  }
  return nullptr;
}

bool is_metric_name(const std::string& column) {
  const auto metric = load::parse_metric(column);
  return metric && metric->name == column;
}

core::Result<double> read_bound(std::string_view text, const std::string& column) {
  const std::string_view value = core::trim(text);
  if (const auto plain = core::parse_number(value)) return *plain;
  const std::size_t digits = value.find_last_of("0123456789.");
  const std::string_view unit_text =
      core::trim(value.substr(digits == std::string_view::npos ? 0 : digits + 1));
  const auto amount =
      core::parse_number(core::trim(value.substr(0, digits == std::string_view::npos ? 0 : digits + 1)));
  if (!amount) {
    return core::invalid_input("'" + std::string(value) + "' is no number",
                               "write a limit like '" + column + " <= 80'");
  }
  const Unit* unit = unit_named(unit_text);
  const Unit* own = unit_of_column(column);
  if (unit == nullptr || own == nullptr || unit->kind != own->kind) {
    return core::invalid_input("'" + std::string(value) + "': column '" + column +
                                   "' is not known to be in '" + std::string(unit_text) + "'",
                               "write a plain number in the column's own unit");
  }
  return *amount * unit->factor / own->factor;
}

struct Operator {
  std::size_t at = 0, length = 0;
  bool upper = true, strict = false;
};

std::vector<Operator> find_operators(std::string_view text) {
  std::vector<Operator> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '<' && text[i] != '>') continue;
    const bool with_equal = i + 1 < text.size() && text[i + 1] == '=';
    found.push_back({i, with_equal ? 2u : 1u, text[i] == '<', !with_equal});
    if (with_equal) ++i;
  }
  return found;
}

core::Error bad_limit(std::string_view text) {
  return core::invalid_input("limit '" + std::string(text) + "': not of the form COLUMN <= NUMBER",
                             "use <=, >=, < or >, and one limit per --limit (or join them with 'and')");
}

core::Result<FrontLimit> read_limit(const std::string& text, const Table& table, bool known_metrics) {
  const std::vector<Operator> operators = find_operators(text);
  if (operators.empty()) return bad_limit(text);
  // A column name may hold an operator itself: the first split whose left side is a column wins.
  const Operator* chosen = nullptr;
  for (const Operator& candidate : operators) {
    if (table.find(core::trim(std::string_view(text).substr(0, candidate.at))) && chosen == nullptr)
      chosen = &candidate;
  }
  if (chosen == nullptr) chosen = &operators.front();
  const std::string name(core::trim(std::string_view(text).substr(0, chosen->at)));
  const std::string value(core::trim(std::string_view(text).substr(chosen->at + chosen->length)));
  if (name.empty() || value.empty()) return bad_limit(text);
  const auto column = resolve_column(name, table, known_metrics);
  if (!column)
    return core::invalid_input("limit '" + text + "': " + column.error().message, column.error().hint);

  FrontLimit limit{*column, chosen->upper, chosen->strict, 0, {}};
  const std::string word = std::string(limit.upper ? "<" : ">") + (limit.strict ? "" : "=");
  const bool has_unit = !core::parse_number(value);
  if (has_unit && (known_metrics || is_metric_name(*column))) {
    const auto bound = load::parse_bound(*column + (limit.upper ? " <= " : " >= ") + value);
    if (!bound)
      return core::invalid_input("limit '" + text + "': " + bound.error().message, bound.error().hint);
    limit.bound = bound->value;
  } else {
    const auto bound = read_bound(value, *column);
    if (!bound)
      return core::invalid_input("limit '" + text + "': " + bound.error().message, bound.error().hint);
    limit.bound = *bound;
  }
  limit.text = limit.column + " " + word + " " + core::format_number(limit.bound);
  return limit;
}

/// Splits at "and", but not inside a column name: "prompt and decode <= 5" is one limit.
std::vector<std::string> split_and(const std::string& text) {
  const std::string lower = core::to_lower(text);
  std::vector<std::string> parts;
  std::string part;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t at = std::min(lower.find(" and ", begin), text.size());
    part += text.substr(begin, at - begin);
    begin = at + 5;
    const bool last = begin > text.size();
    if (last || !find_operators(part).empty()) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += " and ";
    }
  }
  return parts;
}

/// A number only if the cell is written as we would write it.
std::optional<Label> exact_number(const Cell& cell) {
  if (!cell.number) return std::nullopt;
  const std::string_view text = core::trim(cell.text);
  if (core::format_number(*cell.number) != text) return std::nullopt;
  if (std::floor(*cell.number) != *cell.number) return Label(*cell.number);
  if (std::fabs(*cell.number) > kLargestExact) return std::nullopt;
  return Label(static_cast<std::int64_t>(*cell.number));
}

}  // namespace

core::Result<std::string> resolve_column(const std::string& name, const Table& table, bool known_metrics) {
  if (std::find(table.ambiguous.begin(), table.ambiguous.end(), name) != table.ambiguous.end()) {
    return core::invalid_input("the table holds the column '" + name + "' more than once",
                               "name it '" + name + "' and '" + name + " (2)' in the header");
  }
  if (table.find(name)) return name;
  if (known_metrics) {
    const auto metric = load::parse_metric(name);
    if (metric && table.find(metric->name)) return metric->name;
  }
  std::string hint = core::did_you_mean(name, table.columns);
  if (!hint.empty()) hint += " ";
  hint += "columns: " + core::join(table.columns, ", ");
  return core::invalid_input("there is no column '" + name + "'", hint);
}

core::Result<FrontObjective> read_objective(const std::string& text, const Table& table, bool known_metrics) {
  const std::size_t colon = text.rfind(':');
  std::optional<bool> maximize;
  std::string name = text;
  if (colon != std::string::npos) {
    maximize = maximize_from(core::trim(std::string_view(text).substr(colon + 1)));
    if (maximize) name = core::trim(std::string_view(text).substr(0, colon));
  }
  auto column = resolve_column(name, table, known_metrics);
  if (!column && maximize) {  // ttft:max is a metric as well
    auto whole = resolve_column(text, table, known_metrics);
    if (whole) {
      column = std::move(whole);
      maximize.reset();
    }
  }
  if (!column)
    return core::invalid_input("objective '" + text + "': " + column.error().message, column.error().hint);
  FrontObjective objective{*column, false, {}};
  const auto metric = load::parse_metric(*column);
  const bool is_metric = metric && metric->name == *column;
  if (is_metric) objective.unit = metric->unit;
  if (!maximize && known_metrics && is_metric) maximize = metric->higher_is_better;
  if (!maximize) {
    return core::invalid_input("objective '" + text + "' has no direction",
                               "write '" + *column + ":max' or '" + *column + ":min'");
  }
  objective.maximize = *maximize;
  return objective;
}

core::Result<std::vector<FrontLimit>> read_limits(const std::string& text, const Table& table,
                                                  bool known_metrics) {
  std::vector<FrontLimit> limits;
  for (const std::string& part : split_and(text)) {
    auto limit = read_limit(std::string(core::trim(part)), table, known_metrics);
    if (!limit) return limit.error();
    limits.push_back(std::move(*limit));
  }
  return limits;
}

double violation_of(const FrontLimit& limit, double value) {
  const double excess = limit.upper ? value - limit.bound : limit.bound - value;
  if (excess < 0 || (excess == 0 && !limit.strict)) return 0;
  const double relative = limit.bound == 0 ? excess : excess / std::fabs(limit.bound);
  return std::max(relative, kJustBroken);
}

std::vector<Label> read_labels(const Table& table, std::size_t column, const std::vector<std::size_t>& rows,
                               bool empty_is_row_number) {
  std::vector<Label> numbers, texts;
  bool all_numbers = true;
  for (const std::size_t r : rows) {
    const Cell& cell = table.rows[r].cells[column];
    const auto number = exact_number(cell);
    all_numbers = all_numbers && number.has_value();
    if (number) numbers.push_back(*number);
    const bool by_row = cell.text.empty() && empty_is_row_number;
    texts.emplace_back(by_row ? std::to_string(table.rows[r].number) : cell.text);
  }
  return all_numbers ? numbers : texts;
}

std::string to_text(const Label& label) {
  if (const auto* whole = std::get_if<std::int64_t>(&label)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&label)) return core::format_number(*real);
  return std::get<std::string>(label);
}

}  // namespace paretune::report
