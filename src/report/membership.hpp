// How sure the front is: the chance of each point to be on it, from the intervals of the measurements.
#pragma once

#include <optional>
#include <vector>

#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// For each point the share of 1,000 draws in which it meets every limit and no other point that meets them
/// dominates it. A draw takes each objective and limit metric of each point from a normal around its value
/// with the standard error of its 95 % interval, independently (the metrics of one window are correlated, so
/// this errs towards 0.5). Points that could not reach the front even at 4 standard errors in their favour
/// are left out of the draws and get 0.
/// @return one entry per point; nullopt for points without usable costs, and for all where a point that takes
/// part in the draws has an objective without interval: then the chance is not known. Deterministic: the seed
/// is fixed.
std::vector<std::optional<double>> probability_on_front(const spec::StudySpec& spec,
                                                        const std::vector<ReportPoint>& points);

}  // namespace paretune::report
