// Bounds: "ttft:p95 <= 200ms". `<` and `>` mean `<=` and `>=`: on measured reals the difference cannot be
// seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/load/metric.hpp"
#include "paretune/load/metric_names.hpp"

namespace paretune::load {

namespace {

struct Split {
  std::string_view name;
  bool upper = true;
  std::string_view value;
};

core::Result<Split> split_bound(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  const std::string shown = "'" + std::string(core::trim(text)) + "'";
  if (at == std::string_view::npos) {
    return core::invalid_input(shown + " is no bound",
                               "write METRIC <= VALUE, for example ttft:p95 <= 200ms");
  }
  if (text[at] == '=') {
    return core::invalid_input(shown + " needs <= or >=",
                               "a measured value is never exactly equal to a number");
  }
  Split split;
  split.name = core::trim(text.substr(0, at));
  split.upper = text[at] == '<';
  std::string_view rest = text.substr(at + 1);
  if (!rest.empty() && rest[0] == '=') rest.remove_prefix(1);
  split.value = core::trim(rest);
  if (split.name.empty() || split.value.empty() ||
      split.value.find_first_of("<>=") != std::string_view::npos) {
    return core::invalid_input(shown + " is no bound",
                               "write METRIC <= VALUE, for example ttft:p95 <= 200ms");
  }
  return split;
}

struct UnitScale {
  std::string_view unit;
  double scale;
};
constexpr std::array<UnitScale, 5> kLatencyUnits{
    {{"ms", 1}, {"s", 1e3}, {"us", 1e-3}, {"µs", 1e-3}, {"m", 6e4}}};
constexpr std::array<UnitScale, 5> kTokenUnits{
    {{"tok/s", 1}, {"tokens/s", 1}, {"token/s", 1}, {"tps", 1}, {"/s", 1}}};
constexpr std::array<UnitScale, 6> kRequestUnits{
    {{"requests/s", 1}, {"request/s", 1}, {"req/s", 1}, {"rps", 1}, {"qps", 1}, {"/s", 1}}};
constexpr std::array<UnitScale, 1> kFractionUnits{{{"%", 0.01}}};

std::span<const UnitScale> units_of(const Metric& metric) {
  if (metric.unit == "ms") return kLatencyUnits;
  if (metric.unit == "tok/s") return kTokenUnits;
  if (metric.unit == "requests/s") return kRequestUnits;
  if (metric.name == "error_rate" || metric.name == "quality_loss") return kFractionUnits;
  return {};
}

core::Error unit_error(std::string_view unit, const Metric& metric) {
  std::vector<std::string> known;
  for (const UnitScale& entry : units_of(metric)) known.emplace_back(entry.unit);
  return core::invalid_input(
      "'" + std::string(unit) + "' is no unit of " + metric.name,
      known.empty() ? "it is a plain number" : "use " + core::join(known, ", ") + " or none");
}

core::Result<double> parse_value(std::string_view text, const Metric& metric) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
  // "1e" of a unit would be taken for an exponent; no unit starts with e, so only the number part can hold
  // one.
  const auto number = core::parse_number(text.substr(0, end));
  if (!number) return core::invalid_input("'" + std::string(text) + "' is no number", number.error().hint);
  if (*number < 0)
    return core::invalid_input("a bound on " + metric.name + " cannot be negative: " + std::string(text));
  const std::string_view unit = core::trim(text.substr(end));
  if (unit.empty()) return *number;
  for (const UnitScale& entry : units_of(metric)) {
    if (entry.unit == unit) return *number * entry.scale;
  }
  return unit_error(unit, metric);
}

core::Result<Bound> make_bound(Metric metric, const Split& split) {
  const auto value = parse_value(split.value, metric);
  if (!value) return value.error();
  if (metric.name == "error_rate" && *value > 1) {
    return core::invalid_input("error_rate is a fraction of 0 to 1, not " + std::string(split.value),
                               "did you mean '" + std::string(split.value) + "%'?");
  }
  return Bound{std::move(metric), split.upper, *value};
}

}  // namespace

core::Result<Bound> parse_bound(std::string_view text) {
  const auto split = split_bound(text);
  if (!split) return split.error();
  auto metric = parse_metric(split->name);
  if (!metric) return metric.error();
  return make_bound(std::move(*metric), *split);
}

core::Result<Bound> parse_request_bound(std::string_view text) {
  const auto split = split_bound(text);
  if (!split) return split.error();
  const std::string base = resolve_latency(split->name);
  static const std::array<std::string, 4> kAllowed{"ttft", "tpot", "itl", "e2e"};
  if (std::find(kAllowed.begin(), kAllowed.end(), base) == kAllowed.end()) {
    return core::invalid_input("'" + std::string(split->name) + "' is no bound of one request",
                               "use ttft, tpot, itl or e2e");
  }
  if (parse_metric(split->name).ok()) {
    return core::invalid_input(
        "'" + std::string(split->name) + "' names a statistic, but this bound is per request",
        "write " + base + " <= " + std::string(split->value));
  }
  if (!split->upper) {
    return core::invalid_input("a bound of one request needs <=, not '" + std::string(core::trim(text)) +
                               "'");
  }
  return make_bound(Metric{base, "ms", false}, *split);
}

std::string to_text(const Bound& bound) {
  return bound.metric.name + (bound.upper ? " <= " : " >= ") + core::format_number(bound.value) +
         (bound.metric.unit == "ms" ? "ms" : "");
}

}  // namespace paretune::load
