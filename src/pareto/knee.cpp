#include "paretune/pareto/knee.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "paretune/pareto/reference.hpp"

namespace paretune::pareto {

namespace {

constexpr double kDisagreement = 1.1;
/// Products that differ by less than rounding are a tie, so that equal-valued choices do not depend on units.
constexpr double kTie = 1e-12;

struct Compromise {
  double gain = 1.0;  ///< product of normalised gains
  double sum = 0.0;   ///< of normalised costs
};

Compromise weigh(std::span<const double> cost, const CostVector& ideal, const CostVector& nadir) {
  Compromise compromise;
  for (std::size_t j = 0; j < cost.size(); ++j) {
    const double range = nadir[j] - ideal[j];
    if (!(range > 0)) continue;
    const double z = cost[j] == ideal[j] ? 0.0 : (cost[j] - ideal[j]) / range;
    // With an infinite range every finite cost is as good as the best, and inf / inf is the worst.
    const double normalised = std::isnan(z) ? 1.0 : z;
    compromise.gain *= kDisagreement - normalised;
    compromise.sum += normalised;
  }
  return compromise;
}

}  // namespace

std::optional<std::size_t> knee(const CostMatrix& front) {
  if (front.empty()) return std::nullopt;
  const CostVector ideal = ideal_point(front);
  const CostVector nadir = nadir_point(front);
  std::vector<Compromise> compromises;
  for (std::size_t i = 0; i < front.size(); ++i) compromises.push_back(weigh(front.row(i), ideal, nadir));

  double best_gain = 0;
  for (const Compromise& c : compromises) best_gain = std::max(best_gain, c.gain);
  double best_sum = std::numeric_limits<double>::infinity();
  for (const Compromise& c : compromises) {
    if (c.gain >= best_gain - kTie) best_sum = std::min(best_sum, c.sum);
  }
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (compromises[i].gain < best_gain - kTie || compromises[i].sum > best_sum + kTie) continue;
    if (!best || std::ranges::lexicographical_compare(front.row(i), front.row(*best))) best = i;
  }
  return best;
}

}  // namespace paretune::pareto
