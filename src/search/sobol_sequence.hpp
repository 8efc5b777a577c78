// Scrambled Sobol points: evenly spread, different for every seed, the same on every machine.
// Sources: Joe & Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30(5), 2008 (direction numbers, from Boost.Random, up to 3,667 dimensions); Owen scrambling by
// hashing: Burley, "Practical Hash-based Owen Scrambling", J. Comput. Graph. Tech. 9(4), 2020.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace paretune::search {

/// One thread. Each coordinate is one dimension of ONE sequence with its own scramble: two sequences that
/// differ only in the seed must not be used as two coordinates, since their points would be correlated.
class SobolSequence {
 public:
  static constexpr std::size_t kMaxDimensions = 3667;

  /// @param dimensions  1 … kMaxDimensions. @throws std::invalid_argument outside.
  SobolSequence(std::size_t dimensions, std::uint64_t seed);
  ~SobolSequence();
  SobolSequence(SobolSequence&&) noexcept;
  SobolSequence& operator=(SobolSequence&&) noexcept;

  /// The next point, in [0, 1)^d. The first 2^k points have one point in each of 2^k equal slices of every
  /// coordinate.
  std::vector<double> next();

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
  std::vector<std::uint32_t> scrambles_;  ///< one per dimension
};

}  // namespace paretune::search
