// One row per thing that failed: a launch, or a point of a launch that ran. And what was found about the
// measurements.
#pragma once

#include <string>
#include <vector>

#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// By launch. A launch that failed at its start is one row however many points it took along; a server that
/// died while a point was measured is one row with that live setting. `flaky` is set where the same
/// configuration worked elsewhere.
std::vector<FailureRow> collect_failures(const std::vector<trial::LaunchRecord>& launches,
                                         const std::vector<trial::PointRecord>& records);

/// Rows of the same class and phase, most frequent first.
struct FailureGroup {
  engine::FailureClass cls = engine::FailureClass::Crash;
  engine::Phase phase = engine::Phase::Start;
  std::vector<const FailureRow*> rows;
};
std::vector<FailureGroup> group_failures(const std::vector<FailureRow>& failures);

/// One kind of finding and how many points have it; those that invalidate first.
struct FindingGroup {
  core::Finding finding;  ///< the first one
  std::size_t points = 0;
};
std::vector<FindingGroup> group_findings(const std::vector<ReportPoint>& points);

}  // namespace paretune::report
