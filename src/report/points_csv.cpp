#include <algorithm>
#include <cmath>
#include <set>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/report/csv.hpp"
#include "paretune/report/report_data.hpp"

namespace paretune::report {

namespace {

using Names = std::vector<std::string>;

/// The names of one group of columns and how they are written in the header.
struct ColumnGroup {
  Names names, titles;
};

/// A title that is taken already (the load level and the measured concurrency, say) gets the group's prefix.
ColumnGroup titled(Names names, const std::string& prefix, std::set<std::string>& taken) {
  ColumnGroup group{std::move(names), {}};
  for (const std::string& name : group.names) {
    std::string title = name;
    if (taken.count(title) > 0) title = prefix + "." + name;
    taken.insert(title);
    group.titles.push_back(std::move(title));
  }
  return group;
}

void add_new(Names& names, const std::map<std::string, space::Value>& values) {
  for (const auto& [name, value] : values) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

/// In the order of the space; then what only the records hold (a baseline outside the space).
Names parameter_names(const ReportData& data) {
  Names names;
  for (const space::Parameter& parameter : data.spec.space.parameters()) {
    if (!parameter.live) names.push_back(parameter.name);
  }
  for (const trial::LaunchRecord& launch : data.launches) add_new(names, launch.configuration);
  for (const trial::PointRecord& record : data.records) add_new(names, record.point.configuration);
  return names;
}

Names live_names(const ReportData& data) {
  Names names;
  for (const space::Parameter& parameter : data.spec.space.parameters()) {
    if (parameter.live) names.push_back(parameter.name);
  }
  for (const trial::PointRecord& record : data.records) add_new(names, record.point.live);
  return names;
}

Names metric_columns(const ReportData& data) {
  Names names = load::metric_names();
  for (const trial::PointRecord& record : data.records) {
    for (const auto& [name, value] : record.measurement.metrics) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

class Writer {
 public:
  explicit Writer(const ReportData& data) : data_(data) {
    std::set<std::string> taken(kFirst.begin(), kFirst.end());
    taken.insert(kLast.begin(), kLast.end());
    parameters_ = titled(parameter_names(data), "parameter", taken);
    live_ = titled(live_names(data), "live", taken);
    metrics_ = titled(metric_columns(data), "metric", taken);
  }

  std::string write() {
    Names header = kFirst;
    for (const ColumnGroup* group : {&parameters_, &live_, &metrics_}) {
      header.insert(header.end(), group->titles.begin(), group->titles.end());
    }
    header.insert(header.end(), kLast.begin(), kLast.end());
    text_ = csv_line(header);
    for (const trial::LaunchRecord& launch : data_.launches) write_launch(launch);
    for (const trial::PointRecord& record : data_.records) {
      if (!has_launch(record.launch)) write_point(record);
    }
    return std::move(text_);
  }

 private:
  /// The launch's points; a launch that failed without one gets a row of its own.
  void write_launch(const trial::LaunchRecord& launch) {
    bool failure_told = false;
    for (const trial::PointRecord& record : data_.records) {
      if (record.launch != launch.number) continue;
      write_point(record);
      failure_told = failure_told || tells(record, launch);
    }
    if (launch.failure && !failure_told) write_failed_launch(launch);
  }

  /// Is the failure of the launch already in the row of this point?
  static bool tells(const trial::PointRecord& record, const trial::LaunchRecord& launch) {
    if (!record.failure || !launch.failure) return false;
    const bool same =
        record.failure->cls == launch.failure->cls && record.failure->phase == launch.failure->phase;
    return same || record.failure->phase == engine::Phase::Start;
  }

  void write_point(const trial::PointRecord& record) {
    const bool has_process = record.pid > 0;
    Names cells{record.id, std::to_string(record.launch), has_process ? std::to_string(record.pid) : "",
                trial::to_string(record.status),
                record.failure ? engine::to_string(record.failure->cls) : ""};
    add_values(cells, parameters_, record.point.configuration);
    add_values(cells, live_, record.point.live);
    for (const std::string& name : metrics_.names)
      cells.push_back(is_known(record, name) ? metric_text(record.measurement.metrics, name) : "");
    cells.insert(cells.end(),
                 {record.started, core::format_number(record.seconds), std::to_string(record.repeat),
                  record.failure ? record.failure->cause : "", record.reason});
    text_ += csv_line(cells);
  }

  /// A window without one good answer has no throughput: its 0 would enter somebody's mean.
  static bool is_known(const trial::PointRecord& record, const std::string& metric) {
    return !record.failure || record.measurement.ok > 0 || metric == "error_rate";
  }

  void write_failed_launch(const trial::LaunchRecord& launch) {
    const bool has_process = launch.process.pid > 0;
    Names cells{trial::point_id({launch.configuration, {}}), std::to_string(launch.number),
                has_process ? std::to_string(launch.process.pid) : "",
                trial::to_string(trial::PointStatus::Failed), engine::to_string(launch.failure->cls)};
    add_values(cells, parameters_, launch.configuration);
    cells.resize(cells.size() + live_.names.size() + metrics_.names.size());
    cells.insert(cells.end(),
                 {launch.started, core::format_number(launch.seconds > 0 ? launch.seconds : launch.ready_s),
                  "", launch.failure->cause, ""});
    text_ += csv_line(cells);
  }

  bool has_launch(int number) const {
    return std::any_of(data_.launches.begin(), data_.launches.end(),
                       [&](const trial::LaunchRecord& launch) { return launch.number == number; });
  }

  static void add_values(Names& cells, const ColumnGroup& group,
                         const std::map<std::string, space::Value>& values) {
    for (const std::string& name : group.names) {
      const auto value = values.find(name);
      cells.push_back(value == values.end() ? "" : core::printable(space::to_text(value->second)));
    }
  }

  static std::string metric_text(const load::MetricValues& metrics, const std::string& name) {
    const auto value = metrics.find(name);
    return value == metrics.end() || !std::isfinite(value->second) ? "" : core::format_number(value->second);
  }

  inline static const Names kFirst{"id", "launch", "pid", "status", "class"};
  inline static const Names kLast{"started", "seconds", "repeat", "cause", "reason"};
  const ReportData& data_;
  ColumnGroup parameters_, live_, metrics_;
  std::string text_;
};

}  // namespace

std::string render_points_csv(const ReportData& data) {
  return Writer(data).write();
}

}  // namespace paretune::report
