#include "paretune/pareto/dominance.hpp"

#include <cstddef>
#include <stdexcept>

namespace paretune::pareto {

namespace {

void require_equal_length(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw std::invalid_argument("dominance: cost vectors of different length");
}

}  // namespace

bool dominates(std::span<const double> a, std::span<const double> b) {
  require_equal_length(a, b);
  bool better = false;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (a[j] > b[j]) return false;
    better = better || a[j] < b[j];
  }
  return better;
}

bool weakly_dominates(std::span<const double> a, std::span<const double> b) {
  require_equal_length(a, b);
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (a[j] > b[j]) return false;
  }
  return true;
}

bool constrained_dominates(std::span<const double> a, double violation_a, std::span<const double> b,
                           double violation_b) {
  if (violation_a > 0 || violation_b > 0) return violation_a < violation_b;
  return dominates(a, b);
}

}  // namespace paretune::pareto
