#include "paretune/core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "paretune/core/text.hpp"

namespace paretune::core {

namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 5> kUnits{{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}}};

/// Reads a finite decimal number at the front of `text` and removes it.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

Error bad_duration(std::string_view text) {
  return invalid_input("'" + std::string(text) + "' is no duration", "write it like 90s, 10m, 1.5h or 250ms");
}

std::string printf_number(const char* format, double value) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string strip_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

Result<double> parse_duration_s(std::string_view text) {
  const std::string_view whole = text;
  text = trim(text);
  if (auto plain = parse_number(text); plain && *plain >= 0) return *plain;
  double total = 0;
  std::size_t next_unit = 0;
  do {
    const std::optional<double> amount = take_number(text);
    if (!amount) return bad_duration(whole);
    text = trim(text);
    const std::size_t letters = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    const std::string_view name = text.substr(0, letters);
    while (next_unit < kUnits.size() && kUnits[next_unit].name != name) ++next_unit;
    if (next_unit == kUnits.size()) return bad_duration(whole);
    total += *amount * kUnits[next_unit++].seconds;
    text = trim(text.substr(name.size()));
  } while (!text.empty());
  if (!std::isfinite(total)) return bad_duration(whole);
  return total;
}

Result<double> parse_fraction(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const bool percent = !trimmed.empty() && trimmed.back() == '%';
  const auto number = parse_number(trim(percent ? trimmed.substr(0, trimmed.size() - 1) : trimmed));
  if (!number) return invalid_input("'" + std::string(text) + "' is no fraction", "write it like 0.01 or 1%");
  return percent ? *number / 100 : *number;
}

Result<double> parse_number(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool bad_sign = digits.size() < text.size() && !digits.empty() && digits[0] == '-';
  if (digits.empty() || bad_sign || error != std::errc{} || end != digits.data() + digits.size() ||
      !std::isfinite(value)) {
    return invalid_input("'" + std::string(text) + "' is no number");
  }
  return value;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size() || error != std::errc{}) {
    const bool too_large = error == std::errc::result_out_of_range;
    return invalid_input("'" + std::string(text) + "' is " +
                         (too_large ? "too large for a whole number of 64 bits" : "no whole number"));
  }
  return value;
}

std::string format_number(double value) {
  if (value == 0) return "0";
  // Fixed notation inside these bounds; beyond, it would print rows of zeros.
  const double size = std::fabs(value);
  const bool fixed = size >= 1e-9 && size < 1e21;
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          fixed ? std::chars_format::fixed : std::chars_format::scientific);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::to_string(value);
}

std::string format_short(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 1e15 || size < 1e-9) return printf_number("%.3e", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(size)));
  const int decimals = magnitude >= 3 ? 0 : 3 - magnitude;
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return strip_zeros({buffer.data(), static_cast<std::size_t>(length)});
}

std::string format_duration(double seconds) {
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (!std::isfinite(seconds)) return "unlimited";
  // The bounds are those of the rounded text, so that 59.97 s prints as a minute and not as "60.0 s".
  if (seconds < 0.9995) return printf_number("%.0f ms", seconds * 1e3);
  if (seconds < 59.95) return printf_number("%.1f s", seconds);
  std::array<char, 64> buffer{};
  const double whole_s = std::round(seconds);
  const double minutes = std::floor(whole_s / 60);
  int length = 0;
  if (whole_s < 3600) {
    length = std::snprintf(buffer.data(), buffer.size(), "%.0fm %02.0fs", minutes, whole_s - 60 * minutes);
  } else {
    const double whole_minutes = std::round(seconds / 60);
    const double hours = std::floor(whole_minutes / 60);
    length = std::snprintf(buffer.data(), buffer.size(), "%.0fh %02.0fm", hours, whole_minutes - 60 * hours);
  }
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string format_bytes(double bytes) {
  if (bytes < 0) return "-" + format_bytes(-bytes);
  if (bytes < 1024) return printf_number("%.0f B", bytes);
  static constexpr std::array<const char*, 6> kNames{"%.1f KiB", "%.1f MiB", "%.1f GiB",
                                                     "%.1f TiB", "%.1f PiB", "%.1f EiB"};
  std::size_t unit = 0;
  bytes /= 1024;
  while (bytes >= 1023.95 && unit + 1 < kNames.size()) {
    bytes /= 1024;
    ++unit;
  }
  return printf_number(kNames[unit], bytes);
}

}  // namespace paretune::core
