// The front of a list of named candidates with limits: what reports, `front` and ask/tell show.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

struct Candidate {
  std::string id;
  CostVector
      cost;  ///< m costs; a point without usable costs (NaN, -infinity, wrong length, empty) is left out
  double violation = 0;  ///< summed relative violation of the limits; 0 = feasible; NaN = not known, left out
};

/// The candidate that comes nearest to the limits, for "nothing meets the limits" messages.
struct Nearest {
  std::size_t index = 0;  ///< into the candidates
  double violation = 0;
};

struct Front {
  std::vector<std::size_t> members;  ///< indices of the non-dominated feasible candidates, by first cost,
                                     ///< then the next costs, then index; equal points are all in
  std::size_t distinct = 0;             ///< how many different points the members are
  std::optional<CostVector> reference;  ///< nullopt if there is no member and none was given
  double hypervolume = 0;
  std::optional<double> log_hypervolume;  ///< nullopt where logarithms have no meaning
  std::optional<std::size_t> knee;        ///< index of the candidate
  std::optional<Nearest> nearest;         ///< set only when no candidate is feasible; ties: the first
  std::vector<std::size_t> unusable;      ///< indices that were left out
};

/// An infeasible candidate dominates nobody and is never a member.
/// @param objectives  m >= 1
/// @param given  reference costs where the user gave them: empty, or m entries
Front find_front(std::span<const Candidate> candidates, std::size_t objectives,
                 std::span<const std::optional<double>> given = {});

}  // namespace paretune::pareto
