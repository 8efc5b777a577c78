// Seeded random numbers that are the same on every machine and standard library: xoshiro256++ seeded by
// SplitMix64, with our own distributions (std:: distributions differ between libraries). Source: Blackman &
// Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace paretune::core {

/// Independent seed for one named use ("arrival", "prompts", "nsga2"), so that each can change without the
/// others.
std::uint64_t derive_seed(std::uint64_t root, std::string_view stream);

/// One thread. Copyable; a copy repeats the sequence.
class Random {
 public:
  using result_type = std::uint64_t;
  explicit Random(std::uint64_t seed);
  /// Starts from a state of the generator itself; not all of it zero.
  explicit Random(const std::array<std::uint64_t, 4>& state);

  std::uint64_t next();
  std::uint64_t operator()() { return next(); }
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

  double uniform();                                           ///< [0, 1), 53 bits
  double uniform(double low, double high);                    ///< [low, high)
  std::size_t index(std::size_t n);                           ///< {0 … n-1}, unbiased; n > 0
  std::int64_t integer(std::int64_t low, std::int64_t high);  ///< both ends included
  bool chance(double probability);
  double normal();             ///< mean 0, sd 1 (polar method)
  double exponential();        ///< mean 1
  double gamma(double shape);  ///< scale 1; Marsaglia & Tsang, ACM TOMS 26(3), 2000

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[index(i)]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_normal_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace paretune::core
