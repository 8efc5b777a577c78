// The present front of an ask/tell session, in the form of front.json (design §6) as far as it applies to
// metrics of free names: no units, no launch commands, one pick.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "paretune/core/json.hpp"
#include "search/ask_tell_problem.hpp"

namespace paretune::search {

struct ToldPoint {
  Observation observation;
  std::map<std::string, std::optional<double>> metrics;
  std::string failure;  ///< "" = measured
};

/// Points are ordered by their first objective, best first. With nothing feasible: no points, and `nearest`
/// names the point with the smallest summed relative violation.
core::Json front_json(const AskTellProblem& setup, const std::vector<ToldPoint>& told, std::size_t asked);

}  // namespace paretune::search
