// Reading and writing quantities. Plain numbers for durations are seconds (design §2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "paretune/core/result.hpp"

namespace paretune::core {

/// "90s", "10m", "1.5h", "250ms", "2h30m", "12" (seconds). @return seconds, finite and >= 0.
Result<double> parse_duration_s(std::string_view text);

/// "1%" -> 0.01, "0.01" -> 0.01.
Result<double> parse_fraction(std::string_view text);

/// A finite decimal number that takes the whole text. No locale.
Result<double> parse_number(std::string_view text);
Result<std::int64_t> parse_integer(std::string_view text);

/// Shortest decimal text that reads back to the same double: 0.95 -> "0.95", 1e-05 -> "0.00001", 3 -> "3".
std::string format_number(double value);

/// For people: 4 significant digits, no exponent below 1e15 ("1234", "12.35", "0.001234").
std::string format_short(double value);

/// For people: "850 ms", "12.3 s", "4m 05s", "1h 02m".
std::string format_duration(double seconds);

/// For people: "512 B", "16.0 GiB".
std::string format_bytes(double bytes);

}  // namespace paretune::core
