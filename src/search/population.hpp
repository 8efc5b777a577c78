// What NSGA-II knows: the told sites with their ranks, the parents among them, and how promising a new site
// looks from its neighbours.
#pragma once

#include <cstddef>
#include <vector>

#include "search/base_searcher.hpp"
#include "search/code_set.hpp"
#include "search/metric.hpp"

namespace paretune::search {

/// Ranks of sites. Deb's rules (NSGA-II, IEEE TEVC 6(2), 2002, §VI): feasible points by non-dominated
/// sorting, then the infeasible by violation, then what failed. A site is as good as its best point: its rank
/// is the lowest of its points, its crowding distance the largest among its points of that rank.
struct SiteRank {
  std::size_t rank = 0;
  double crowding = 0;
  bool failed = false;  ///< no point has costs
  bool better_than(const SiteRank& other) const;
};

/// @param sites  outcomes by site. @param objectives  m
std::vector<SiteRank> rank_sites(const std::vector<std::vector<Outcome>>& sites, std::size_t objectives);

/// One thread. Holds a reference to the space.
class Population {
 public:
  /// @param parents  how many of the best sites breed
  Population(const space::Space& space, std::size_t objectives, std::size_t parents);

  void record(const space::Code& site, const Outcome& outcome);

  /// Sites that have costs.
  std::size_t usable();
  /// The best sites, best first; sites that failed only if there are no others.
  const std::vector<const space::Code*>& parents();
  /// Expected badness of a site in [0, 1] from the told ones near it: 0 = like the front, 1 = like a failure
  /// or like what two fronts dominate, 0.5 = nothing is known. Kernel regression (Nadaraya & Watson, 1964) on
  /// the distance of metric.hpp, shrunk to 0.5.
  double badness(const space::Code& site);

 private:
  void update();
  void forget_worst(const std::vector<std::size_t>& best_first);

  const space::Space& space_;
  std::size_t objectives_;
  std::size_t parent_count_;
  CodeMap<std::size_t> index_;
  std::vector<Place> places_;
  std::vector<std::vector<Outcome>> outcomes_;  ///< by place
  std::vector<SiteRank> ranks_;                 ///< by place
  std::vector<const space::Code*> parents_;
  bool changed_ = false;
};

}  // namespace paretune::search
