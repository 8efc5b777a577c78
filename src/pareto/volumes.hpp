// The volume kernels behind hypervolume(): they work on costs relative to the reference point, so that the
// reference is 0 and every cost that counts is negative.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

/// n x m costs minus the reference, row by row; only rows that are negative throughout.
struct ShiftedCosts {
  std::size_t objectives = 0;
  std::vector<double> values;
  std::vector<std::size_t> rows;  ///< where each came from

  std::size_t size() const { return rows.size(); }
  const double* row(std::size_t i) const { return values.data() + i * objectives; }
};

/// @throws std::invalid_argument if `reference` has another length than the costs or is not finite.
ShiftedCosts shift(const CostMatrix& costs, std::span<const double> reference);

double volume(const ShiftedCosts& costs);  ///< any m; dispatches to the kernels below

double volume_1d(const ShiftedCosts& costs);
double volume_2d(const ShiftedCosts& costs);
double volume_3d(const ShiftedCosts& costs);
double volume_4d(const ShiftedCosts& costs);
double volume_by_slices(const ShiftedCosts& costs);  ///< m >= 5

/// `points`: rows of five negative costs, one after the other, in ascending order of the fifth. Takes count^2
/// / 2 bytes.
double volume_5d(const double* points, std::size_t count);

}  // namespace paretune::pareto
