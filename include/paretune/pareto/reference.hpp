// Which reference point the hypervolume of a front is taken to.
// Source: the rule of BoTorch's infer_reference_point (nadir + 10 % of the range), restated for our costs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

/// Best value of each cost. @throws std::invalid_argument for no points.
CostVector ideal_point(const CostMatrix& costs);
/// Worst value of each cost among the given points (pass the non-dominated ones).
CostVector nadir_point(const CostMatrix& front);

/// The reference of a front, cost by cost:
/// - the given value, where there is one (a user's "worst acceptable");
/// - else nadir + 0.1 * range;
/// - no range (one point, or all equal): nadir + 0.1 * |nadir|, and 0.1 if that is 0 too;
/// - where that would pass half the distance from the nadir to 0 although all costs are negative (a maximised
///   positive metric, such as a throughput over decades): nadir / 2, so that the metric stays positive.
/// Only rows with finite costs count. Deterministic and independent of the order of the rows.
/// @param front  feasible, non-dominated points: never all observations, or one collapsed run stretches the
/// scale.
/// @param given  empty, or m entries.
/// @return m costs; nullopt if there is no finite row and not every cost is given.
std::optional<CostVector> choose_reference(const CostMatrix& front,
                                           std::span<const std::optional<double>> given = {});

}  // namespace paretune::pareto
