// Sites spread evenly over the space: the searcher `sobol` and the first points of NSGA-II.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "paretune/core/random.hpp"
#include "search/ledger.hpp"
#include "search/metric.hpp"
#include "search/sobol_sequence.hpp"

namespace paretune::search {

/// One thread. Holds a reference to the ledger.
class SobolDesign {
 public:
  SobolDesign(const Ledger& ledger, std::uint64_t seed);

  /// The next Sobol point that decodes to a new site; with candidates, the new candidate nearest to it.
  /// @return nullopt after 1,000 points in a row that did not (nearly all is used up, or hardly anything is
  /// valid).
  std::optional<space::Code> next();
  /// The new candidate nearest to a site; nullopt if none is left.
  std::optional<space::Code> nearest_candidate(const space::Code& site) const;

 private:
  space::Code decode();

  const Ledger& ledger_;
  SobolSequence sequence_;
  core::Random beyond_;  ///< coordinates past the dimensions of the sequence
  std::vector<Place> candidates_;
};

}  // namespace paretune::search
