// For each distinct row, in lexicographic order, the set of rows that dominate it, as a bit set.
// Source: the idea of merge non-dominated sorting (Moreno, Rodriguez, Nebro & Lozano, IEEE TCYB 2021): the
// dominators of a row are the intersection, over the objectives, of the rows that are not worse. Here the
// sets "not worse in objective j" are prefixes of a sorted list, kept at every block boundary and corrected
// to the exact row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

class DominatorSets {
 public:
  /// @param rows  distinct rows in lexicographic order; positions below are indices into it. Keeps no
  /// reference.
  DominatorSets(const CostMatrix& costs, const std::vector<std::size_t>& rows);

  /// Bits of the positions that dominate `position`: all are smaller than it, so (position + 63) / 64 words
  /// count. Valid until the next call.
  const std::vector<std::uint64_t>& of(std::size_t position);

 private:
  /// Rows sorted by one objective.
  struct Prefixes {
    std::vector<std::uint32_t> order;      ///< positions, ascending cost
    std::vector<std::uint32_t> not_worse;  ///< per position: how many rows have a cost <= its cost
    std::vector<std::uint64_t>
        block_words;  ///< bit set of order[0 … b * block), for every b, one after the other
  };
  Prefixes make_prefixes(const CostMatrix& costs, const std::vector<std::size_t>& rows,
                         std::size_t objective) const;

  std::size_t words_;
  std::size_t block_;
  std::vector<Prefixes>
      prefixes_;  ///< of objectives 1 … m-1: the lexicographic order takes care of objective 0
  std::vector<std::uint64_t> set_;
};

}  // namespace paretune::pareto
