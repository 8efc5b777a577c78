// The named choices of a front, and how a value compares with the baseline's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"
#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// One cost per objective, maximised ones with their sign turned; empty if one of them is unknown.
pareto::CostVector costs_of(const spec::StudySpec& spec, const ReportPoint& point);

/// Which metric decides a pick.
struct PickMetrics {
  std::optional<std::string>
      throughput;  ///< first maximised throughput objective, else output_throughput if measured
  std::optional<std::string> latency;  ///< first minimised latency objective, else a ttft that was measured
};
PickMetrics pick_metrics(const spec::StudySpec& spec, const std::vector<const ReportPoint*>& candidates);

/// Highest throughput, lowest latency and knee of `candidates`; ties go to the earlier one.
/// @param knee  id of the knee, if there is one.
Picks choose_picks(const spec::StudySpec& spec, const std::vector<const ReportPoint*>& candidates,
                   std::optional<std::string> knee);

/// The same picks among the baseline's own points: what each pick is compared with. Points that meet the
/// limits are preferred; the knee is compared with the baseline's point at the same live setting, else with
/// its own knee.
struct BaselinePicks {
  const ReportPoint* throughput = nullptr;
  const ReportPoint* latency = nullptr;
  const ReportPoint* knee = nullptr;
};
BaselinePicks baseline_picks(const ReportData& data);

/// One point that was picked, perhaps under several names, and the point of the baseline it is compared with.
struct PickedPoint {
  std::vector<std::string> names;  ///< "highest throughput", "lowest latency", "knee"
  const ReportPoint* point = nullptr;
  const ReportPoint* baseline =
      nullptr;  ///< nullptr: no baseline; the same as `point`: the baseline is the best
};
std::vector<PickedPoint> picked_points(const ReportData& data);

/// A change against the baseline.
struct Change {
  std::optional<double> percent;  ///< unknown where the baseline is 0 and the value is not
  bool better = false, worse = false;
};
Change change_of(double baseline, double value, bool higher_is_better);
/// "+456.9 % better", "-77.8 % worse", "no change".
std::string to_text(const Change& change);

const ReportPoint* find_point(const ReportData& data, std::string_view id);

}  // namespace paretune::report
