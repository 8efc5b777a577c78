// Study records turned into what every output shows: front, picks, baseline, failures. Computed once,
// formatted many times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paretune/core/json.hpp"
#include "paretune/core/result.hpp"
#include "paretune/spec/study_spec.hpp"
#include "paretune/store/store.hpp"

namespace paretune::report {

/// One point: repeats of the same id merged (mean weighted by their precision where known, else plain).
struct ReportPoint {
  std::string id;
  int launch = 0;  ///< of the first measurement
  space::Point point;
  trial::PointStatus status = trial::PointStatus::Ok;
  double violation = 0;
  load::MetricValues metrics;
  std::map<std::string, std::pair<double, double>> ci95;
  int repeats = 1;
  std::optional<double> gpus;
  bool on_front = false;
  bool knee = false;
  bool baseline = false;
  /// Chance that no other point beats it, from the intervals; unknown where a rival has none
  /// (membership.hpp).
  std::optional<double> probability_on_front;
  std::vector<core::Finding> findings;
  std::vector<std::string> launch_command;
};

struct FailureRow {
  int launch = 0;
  space::Configuration configuration;
  std::optional<space::LiveSetting> live;
  engine::Failure failure;
};

struct Picks {
  std::optional<std::string> throughput, latency, knee;  ///< point ids
};

struct ReportData {
  spec::StudySpec spec;
  std::vector<ReportPoint> points;  ///< all measured, in order of measurement
  std::vector<std::string> front;   ///< ids, sorted by the first objective, best first
  std::vector<trial::PointRecord> records;
  std::vector<trial::LaunchRecord> launches;
  std::vector<FailureRow> failures;
  Picks picks;
  std::vector<std::string> baseline_points;  ///< ids
  load::MetricValues reference_point;
  double hypervolume = 0;              ///< raw units
  double hypervolume_log = 0;          ///< product of log ratios to the reference; NaN where undefined
  std::optional<std::string> nearest;  ///< if nothing is feasible: smallest violation
  double seconds = 0;
  std::string environment_json;
};

ReportData build_report(const spec::StudySpec& spec, const store::StudyData& data, double seconds,
                        std::string environment_json);

/// What progress lines show, without the costly parts of a report (chances, failures).
struct FrontSummary {
  std::size_t size = 0;
  double hypervolume = 0;
  std::vector<double> reference;  ///< costs; empty without a front
};
/// @param widest  reference of the summary before, or empty: the new one lies nowhere inside it, so that the
/// hypervolume of a growing study does not fall when a new point replaces the worst end of the front. Without
/// it the result is the report's.
FrontSummary summarize_front(const spec::StudySpec& spec, const std::vector<trial::PointRecord>& records,
                             const std::vector<double>& widest = {});

std::string render_front_json(const ReportData& data);
std::string render_points_csv(const ReportData& data);
std::string render_html(const ReportData& data);
/// Front table, picks against the baseline in %, launch command ready to paste; failures; nearest when
/// nothing is feasible.
std::string render_table(const ReportData& data, bool color, int width);
/// Scatter of the first two objectives as text.
std::string render_plot(const ReportData& data, bool color, int width, int height);

}  // namespace paretune::report
