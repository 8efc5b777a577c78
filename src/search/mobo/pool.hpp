// The launches and live settings that may be proposed: everything where the space can be enumerated, else a sample around
// what is known to be good.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/search/searcher.hpp"

namespace paretune::search {

struct Pool {
  std::vector<space::Code> launches;  ///< canonical restart codes (live axes 0), each once
  std::vector<space::Code> levels;    ///< codes of which only the live axes count
  std::vector<std::vector<bool>> exists;  ///< launches x levels; false: not a valid point, or not a candidate

  /// The full code of a point.
  space::Code point(const space::Space& space, std::size_t launch, std::size_t level) const;
};

/// Spaces up to this many launches are scored as a whole.
inline constexpr std::size_t kWholePool = 6000;

/// Can the pool be built once for the whole study?
bool is_enumerable(const space::Space& space, std::size_t most = kWholePool);

Pool whole_pool(const Problem& problem);

/// Random launches, neighbours of `good` launches (one step on one axis) and jumps around them; invalid ones dropped.
Pool sampled_pool(const Problem& problem, const std::vector<space::Code>& good, std::size_t count, core::Random& random);

/// Codes one step away from a launch: ordered axes by one level, unordered ones by every other level, reals by +-5 % and +-20 %.
std::vector<space::Code> neighbours(const space::Space& space, const space::Code& launch, core::Random& random);

/// A pool of given launches with all levels.
Pool pool_of(const Problem& problem, std::vector<space::Code> launches);

}  // namespace paretune::search
