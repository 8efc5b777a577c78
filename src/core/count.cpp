#include "paretune/core/count.hpp"

#include <algorithm>
#include <limits>

namespace paretune::core {

Count& Count::operator*=(const Count& other) {
  const bool is_zero = *this == Count() || other == Count();
  const bool overflow = __builtin_mul_overflow(value_, other.value_, &value_);
  saturated_ = !is_zero && (saturated_ || other.saturated_ || overflow);
  if (overflow) value_ = ~Wide{0};
  return *this;
}

Count& Count::operator+=(const Count& other) {
  const bool overflow = __builtin_add_overflow(value_, other.value_, &value_);
  saturated_ = saturated_ || other.saturated_ || overflow;
  if (overflow) value_ = ~Wide{0};
  return *this;
}

std::optional<std::uint64_t> Count::as_uint64() const {
  if (saturated_ || value_ > std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(value_);
}

std::string Count::to_string() const {
  if (saturated_ && value_ == ~Wide{0}) return "more than 3.4e38";
  std::string digits;
  for (Wide rest = value_; rest != 0; rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (digits.empty()) digits.push_back('0');
  std::reverse(digits.begin(), digits.end());
  return saturated_ ? "at least " + digits : digits;
}

}  // namespace paretune::core
