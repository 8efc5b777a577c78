#include "paretune/pareto/hypervolume.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "pareto/volumes.hpp"

namespace paretune::pareto {

namespace {

/// log(c) for a minimised metric, -log(-c) for a maximised one; the sign is that of the whole column.
double signed_log(double cost) {
  return cost > 0 ? std::log(cost) : -std::log(-cost);
}

bool column_has_one_sign(const CostMatrix& costs, std::size_t objective, double reference) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!(costs.at(i, objective) * reference > 0)) return false;
  }
  return reference != 0;
}

}  // namespace

ShiftedCosts shift(const CostMatrix& costs, std::span<const double> reference) {
  const std::size_t m = costs.objectives();
  if (reference.size() != m) {
    throw std::invalid_argument(
        "hypervolume: the reference point has another number of costs than the points");
  }
  if (!std::ranges::all_of(reference, [](double r) { return std::isfinite(r); })) {
    throw std::invalid_argument("hypervolume: the reference point is not finite");
  }
  ShiftedCosts shifted;
  shifted.objectives = m;
  shifted.values.reserve(costs.values().size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::span<const double> row = costs.row(i);
    bool inside = true;
    for (std::size_t j = 0; j < m; ++j) inside = inside && row[j] < reference[j];
    if (!inside) continue;
    for (std::size_t j = 0; j < m; ++j) shifted.values.push_back(row[j] - reference[j]);
    shifted.rows.push_back(i);
  }
  return shifted;
}

double volume_1d(const ShiftedCosts& costs) {
  return -*std::min_element(costs.values.begin(), costs.values.end());
}

double volume_2d(const ShiftedCosts& costs) {
  std::vector<std::pair<double, double>> points(costs.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {costs.row(i)[0], costs.row(i)[1]};
  std::sort(points.begin(), points.end());
  double area = 0;
  double lowest = 0;
  for (const auto& [x, y] : points) {
    if (y >= lowest) continue;
    area += x * (y - lowest);
    lowest = y;
  }
  return area;
}

double volume(const ShiftedCosts& costs) {
  if (costs.size() == 0) return 0;
  switch (costs.objectives) {
    case 1:
      return volume_1d(costs);
    case 2:
      return volume_2d(costs);
    case 3:
      return volume_3d(costs);
    case 4:
      return volume_4d(costs);
    default:
      return volume_by_slices(costs);
  }
}

double hypervolume(const CostMatrix& costs, std::span<const double> reference) {
  return volume(shift(costs, reference));
}

std::optional<double> log_hypervolume(const CostMatrix& costs, std::span<const double> reference) {
  const std::size_t m = costs.objectives();
  if (reference.size() != m) {
    throw std::invalid_argument(
        "log_hypervolume: the reference point has another number of costs than the points");
  }
  for (std::size_t j = 0; j < m; ++j) {
    if (!column_has_one_sign(costs, j, reference[j])) return std::nullopt;
  }
  CostMatrix logs(m);
  CostVector row(m);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    std::transform(costs.row(i).begin(), costs.row(i).end(), row.begin(), signed_log);
    logs.add(row);
  }
  CostVector log_reference(m);
  std::transform(reference.begin(), reference.end(), log_reference.begin(), signed_log);
  return hypervolume(logs, log_reference);
}

}  // namespace paretune::pareto
