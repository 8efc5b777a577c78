#include "paretune/pareto/reference.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace paretune::pareto {

namespace {

/// A range below this share of the worst value is rounding, not a front.
constexpr double kNoRange = 1e-9;
constexpr double kMargin = 0.1;

CostMatrix finite_rows(const CostMatrix& costs) {
  CostMatrix finite(costs.objectives());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::span<const double> row = costs.row(i);
    if (std::ranges::all_of(row, [](double cost) { return std::isfinite(cost); })) finite.add(row);
  }
  return finite;
}

double beyond(double ideal, double nadir) {
  const double range = nadir - ideal;
  if (range <= kNoRange * std::abs(nadir)) return nadir + kMargin * (nadir != 0 ? std::abs(nadir) : 1.0);
  const double reference = nadir + kMargin * range;
  return nadir < 0 ? std::min(reference, nadir / 2) : reference;
}

template <class Choose>
CostVector column_wise(const CostMatrix& costs, Choose choose) {
  if (costs.empty()) throw std::invalid_argument("ideal and nadir need at least one point");
  CostVector result(costs.row(0).begin(), costs.row(0).end());
  for (std::size_t i = 1; i < costs.size(); ++i) {
    for (std::size_t j = 0; j < result.size(); ++j) result[j] = choose(result[j], costs.at(i, j));
  }
  return result;
}

}  // namespace

CostVector ideal_point(const CostMatrix& costs) {
  return column_wise(costs, [](double a, double b) { return std::min(a, b); });
}

CostVector nadir_point(const CostMatrix& front) {
  return column_wise(front, [](double a, double b) { return std::max(a, b); });
}

std::optional<CostVector> choose_reference(const CostMatrix& front,
                                           std::span<const std::optional<double>> given) {
  const std::size_t m = front.objectives();
  if (!given.empty() && given.size() != m) {
    throw std::invalid_argument(
        "choose_reference: the given point has another number of costs than the front");
  }
  const CostMatrix finite = finite_rows(front);
  const bool all_given =
      !given.empty() && std::ranges::all_of(given, [](const auto& g) { return g.has_value(); });
  if (finite.empty() && !all_given) return std::nullopt;
  CostVector reference(m, 0.0);
  if (!finite.empty()) {
    const CostVector ideal = ideal_point(finite);
    const CostVector nadir = nadir_point(finite);
    for (std::size_t j = 0; j < m; ++j) reference[j] = beyond(ideal[j], nadir[j]);
  }
  for (std::size_t j = 0; j < given.size(); ++j) reference[j] = given[j].value_or(reference[j]);
  return reference;
}

}  // namespace paretune::pareto
