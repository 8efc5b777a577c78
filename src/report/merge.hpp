// Repeated measurements of one point become one: mean, interval, status.
#pragma once

#include <vector>

#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// One ReportPoint per id, in order of first measurement. Failed and invalid measurements count only where a
/// point has no valid one. Feasibility is judged again on the merged metrics; a limit on a metric that is
/// unknown counts as broken by 100 %, since nothing shows that it is met. Front, knee, baseline and launch
/// command are not set here.
std::vector<ReportPoint> merge_points(const spec::StudySpec& spec,
                                      const std::vector<trial::PointRecord>& records);

/// The unit of a metric; for costs the currency of the study.
std::string shown_unit(const spec::StudySpec& spec, const load::Metric& metric);

/// Relative violation of one limit: 0 if met, absolute excess where the bound is 0.
double limit_violation(const load::Bound& bound, double value);

/// Value and 95 % interval of repeats.
struct Combined {
  double value = 0;
  std::optional<std::pair<double, double>> ci95;
};

struct Repeat {
  double value = 0;
  std::optional<std::pair<double, double>> ci95;
};

/// Weighted by 1 / width^2 where every repeat has an interval; the interval is then widened by the spread
/// between the repeats where that is larger than the intervals say (Birge, Phys. Rev. 40, 1932). Else the
/// plain mean, with Student's interval from 3 repeats on.
/// @param repeats  at least one.
Combined combine_repeats(const std::vector<Repeat>& repeats);

}  // namespace paretune::report
