#include <algorithm>
#include <cmath>

#include "paretune/search/searcher.hpp"

namespace paretune::search {

std::optional<std::vector<double>> costs_of(std::span<const Objective> objectives,
                                            const std::vector<std::optional<double>>& values) {
  if (values.size() != objectives.size()) return std::nullopt;
  std::vector<double> costs;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!values[j] || !std::isfinite(*values[j])) return std::nullopt;
    costs.push_back(objectives[j].direction == Direction::Max ? -*values[j] : *values[j]);
  }
  return costs;
}

double violation_of(const Limit& limit, double value) {
  const double excess = limit.upper ? value - limit.bound : limit.bound - value;
  // A value that is no number meets no limit.
  if (std::isnan(excess)) return std::isnan(value) || std::isnan(limit.bound) ? HUGE_VAL : 0.0;
  return std::max(0.0, limit.bound == 0 ? excess : excess / std::abs(limit.bound));
}

}  // namespace paretune::search
