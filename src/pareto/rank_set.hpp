// A set of integers 0 … n-1 with predecessor and successor in O(log_64 n): one bit per member, and above it
// one bit per word that is not empty. The balanced tree of the sweeps, without pointers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace paretune::pareto {

class RankSet {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  explicit RankSet(std::size_t n) {
    do {
      n = (n + 63) / 64;
      levels_.emplace_back(n, 0);
    } while (n > 1);
  }

  void insert(std::size_t i) {
    for (auto& level : levels_) {
      level[i / 64] |= std::uint64_t{1} << (i % 64);
      i /= 64;
    }
  }

  void erase(std::size_t i) {
    for (auto& level : levels_) {
      level[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      if (level[i / 64] != 0) return;
      i /= 64;
    }
  }

  /// Largest member smaller than `i`; kNone if there is none.
  std::size_t before(std::size_t i) const {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const std::uint64_t below = levels_[l][i / 64] & ((std::uint64_t{1} << (i % 64)) - 1);
      if (below != 0) {
        i = i / 64 * 64 + 63 - static_cast<std::size_t>(std::countl_zero(below));
        while (l-- > 0) i = i * 64 + 63 - static_cast<std::size_t>(std::countl_zero(levels_[l][i]));
        return i;
      }
      i /= 64;
    }
    return kNone;
  }

  /// Smallest member larger than `i`; kNone if there is none.
  std::size_t after(std::size_t i) const {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const std::uint64_t above = levels_[l][i / 64] & (~std::uint64_t{1} << (i % 64));
      if (above != 0) {
        i = i / 64 * 64 + static_cast<std::size_t>(std::countr_zero(above));
        while (l-- > 0) i = i * 64 + static_cast<std::size_t>(std::countr_zero(levels_[l][i]));
        return i;
      }
      i /= 64;
    }
    return kNone;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace paretune::pareto
