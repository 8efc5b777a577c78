// For a fixed set of points of four costs: which of some members are still non-dominated after being cut to
// the box of a corner point. The same question as LimitSet, asked n times about one set, so the comparisons
// are done beforehand: "members whose cost j is not below that of point q" is a bit set, kept for every q and
// j. What a cut member dominates is then an intersection of at most four bit sets. Memory: n^2 / 2 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace paretune::pareto {

/// One thread.
class CutFilter {
 public:
  static constexpr std::size_t kCosts = 4;
  using Row = std::array<double, kCosts>;

  /// @param rows  negative costs (relative to the reference point). Kept by copy; callers name points by
  /// index.
  explicit CutFilter(const std::vector<Row>& rows);

  void add_member(std::size_t point);
  /// The members cut to the box of `corner`, by their last cost: a superset of the non-dominated ones that is
  /// a little larger than necessary. @return false, with `cut` undefined, if a member weakly dominates the
  /// corner.
  bool cut_members(std::size_t corner, std::vector<Row>& cut);

 private:
  const std::uint64_t* not_below(std::size_t point, std::size_t cost) const {
    return sets_.data() + (point * kCosts + cost) * words_;
  }
  std::size_t choose_pivot(const Row& corner) const;
  void drop_dominated(std::size_t pivot, std::size_t corner);

  std::size_t words_;
  std::vector<std::size_t> position_;  ///< point -> bit position; larger boxes first
  std::vector<Row> rows_;              ///< by position
  std::vector<std::uint64_t> sets_;    ///< by position and cost
  std::vector<std::uint64_t> members_;
  std::vector<std::uint64_t> open_;  ///< members neither chosen nor dominated yet
  std::size_t first_open_word_ = 0;
};

}  // namespace paretune::pareto
