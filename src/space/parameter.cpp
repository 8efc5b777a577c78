#include "paretune/space/parameter.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "paretune/core/units.hpp"

namespace paretune::space {

namespace {

Level level_from(Value value) {
  std::string text = to_text(value);
  return {std::move(value), std::move(text)};
}

/// min + i*step, rounded to the decimals that min and step are written with: 0.9 + 5*0.01 is 0.95.
double stepped_value(const SteppedRange& range, std::size_t index) {
  const double sum = range.min + static_cast<double>(index) * range.step;
  if (range.integer) return sum;
  std::array<char, 400> digits{};  // a double has up to 309 digits before the point
  const int length = std::snprintf(digits.data(), digits.size(), "%.*f", range.decimals, sum);
  const std::string_view text(digits.data(), static_cast<std::size_t>(length));
  const core::Result<double> rounded = core::parse_number(text);
  return rounded ? *rounded : sum;
}

std::optional<std::size_t> stepped_index(const SteppedRange& range, double value) {
  const double position = std::round((value - range.min) / range.step);
  if (!(position >= 0) || position >= static_cast<double>(range.count)) return std::nullopt;
  const auto index = static_cast<std::size_t>(position);
  // A caller may have computed 0.1 + 0.2 where the file says 0.3.
  const double tolerance = range.integer ? 0 : 1e-9 * range.step;
  if (std::fabs(stepped_value(range, index) - value) > tolerance) return std::nullopt;
  return index;
}

std::optional<std::size_t> power_index(const PowerRange& range, double value) {
  for (std::size_t i = 0; i < range.count; ++i) {
    if (std::ldexp(static_cast<double>(range.min), static_cast<int>(i)) == value) return i;
  }
  return std::nullopt;
}

bool same_value(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return as_number(a) == as_number(b);
  return a == b;
}

}  // namespace

std::optional<std::size_t> level_count(const Domain& domain) {
  if (const auto* list = std::get_if<LevelList>(&domain)) return list->levels.size();
  if (const auto* range = std::get_if<SteppedRange>(&domain)) return range->count;
  if (const auto* range = std::get_if<PowerRange>(&domain)) return range->count;
  return std::nullopt;
}

Level level_at(const Domain& domain, std::size_t index) {
  const std::optional<std::size_t> count = level_count(domain);
  if (!count) throw std::invalid_argument("level_at: a continuous range has no levels");
  if (index >= *count) {
    throw std::out_of_range("level_at: level " + std::to_string(index) + " of " + std::to_string(*count));
  }
  if (const auto* list = std::get_if<LevelList>(&domain)) return list->levels[index];
  if (const auto* power = std::get_if<PowerRange>(&domain)) return level_from(power->min << index);
  const auto& range = std::get<SteppedRange>(domain);
  const double value = stepped_value(range, index);
  return level_from(range.integer ? Value(static_cast<std::int64_t>(value)) : Value(value));
}

std::optional<std::size_t> level_index(const Domain& domain, const Value& value) {
  if (const auto* list = std::get_if<LevelList>(&domain)) {
    for (std::size_t i = 0; i < list->levels.size(); ++i) {
      if (same_value(list->levels[i].value, value)) return i;
    }
    return std::nullopt;
  }
  if (!is_number(value)) return std::nullopt;
  if (const auto* range = std::get_if<SteppedRange>(&domain)) return stepped_index(*range, as_number(value));
  if (const auto* range = std::get_if<PowerRange>(&domain)) return power_index(*range, as_number(value));
  return std::nullopt;
}

}  // namespace paretune::space
