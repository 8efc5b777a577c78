// Exact counts that may exceed 64 bits (the size of a search space). Saturates at 2^128 - 1 instead of
// wrapping.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace paretune::core {

class Count {
 public:
  Count() = default;
  Count(std::uint64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)

  Count& operator*=(const Count& other);
  Count& operator+=(const Count& other);
  friend Count operator*(Count a, const Count& b) { return a *= b; }
  friend Count operator+(Count a, const Count& b) { return a += b; }
  friend bool operator==(const Count&, const Count&) = default;
  friend bool operator<(const Count& a, const Count& b) { return a.value_ < b.value_; }

  /// For a count that was given up: the true one is at least `bound`. Sums and products with it stay lower
  /// bounds.
  static Count at_least(const Count& bound) {
    Count count = bound;
    count.saturated_ = true;
    return count;
  }

  /// @return true if this is only a lower bound.
  bool saturated() const { return saturated_; }
  double approximate() const { return static_cast<double>(value_); }
  std::optional<std::uint64_t> as_uint64() const;  ///< nullopt if it does not fit
  std::string to_string() const;                   ///< exact decimal, "at least 1234" or "more than 3.4e38"

 private:
  __extension__ using Wide = unsigned __int128;
  Wide value_ = 0;
  bool saturated_ = false;
};

}  // namespace paretune::core
