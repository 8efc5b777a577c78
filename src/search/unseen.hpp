// Draws uniformly among the sites that may still be chosen: the searcher `random`, and what every other
// method falls back to when its own ideas are used up.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "paretune/core/random.hpp"
#include "search/ledger.hpp"

namespace paretune::search {

/// One thread. Holds a reference to the ledger.
class Unseen {
 public:
  Unseen(const Ledger& ledger, core::Random random) : ledger_(ledger), random_(random) {}

  /// Rejection first; when most of a listable space is used up, from a list of what is left.
  /// @return nullopt when nothing is left. In a space of over a million points, or a continuous one, nullopt
  /// means
  ///         that none was found in 20,000 draws.
  std::optional<space::Code> draw();

 private:
  std::optional<space::Code> draw_by_rejection(std::size_t tries);
  std::optional<space::Code> draw_from_list();
  void make_list();

  const Ledger& ledger_;
  core::Random random_;
  bool listed_ = false;
  bool listable_ = true;
  std::vector<space::Code> list_;
};

}  // namespace paretune::search
