#include "report/failures.hpp"

#include <algorithm>

namespace paretune::report {

namespace {

using trial::LaunchRecord;
using trial::PointRecord;
using trial::PointStatus;

bool same_event(const engine::Failure& a, const engine::Failure& b) {
  return a.cls == b.cls && a.phase == b.phase;
}

bool worked(const PointRecord& record) {
  return record.status == PointStatus::Ok || record.status == PointStatus::Infeasible;
}

/// Did the same configuration (and, for a point, live setting) work in another try?
bool worked_elsewhere(const FailureRow& row, const std::vector<PointRecord>& records) {
  return std::any_of(records.begin(), records.end(), [&](const PointRecord& record) {
    const bool same =
        record.point.configuration == row.configuration && (!row.live || record.point.live == *row.live);
    const bool other_try = row.live.has_value() || record.launch != row.launch;
    return worked(record) && same && other_try;
  });
}

/// The points of one launch that failed in their own right.
std::vector<const PointRecord*> failed_points(const LaunchRecord& launch,
                                              const std::vector<PointRecord>& records) {
  std::vector<const PointRecord*> failed;
  for (const PointRecord& record : records) {
    if (record.launch != launch.number || !record.failure) continue;
    const bool of_the_start = launch.failure && record.failure->phase == engine::Phase::Start;
    if (!of_the_start) failed.push_back(&record);
  }
  return failed;
}

FailureRow point_row(const PointRecord& record) {
  return {record.launch, record.point.configuration, record.point.live, *record.failure};
}

}  // namespace

std::vector<FailureRow> collect_failures(const std::vector<LaunchRecord>& launches,
                                         const std::vector<PointRecord>& records) {
  std::vector<FailureRow> rows;
  for (const LaunchRecord& launch : launches) {
    const auto points = failed_points(launch, records);
    const bool told_by_a_point =
        launch.failure && std::any_of(points.begin(), points.end(), [&](const PointRecord* record) {
          return same_event(*record->failure, *launch.failure);
        });
    if (launch.failure && !told_by_a_point)
      rows.push_back({launch.number, launch.configuration, std::nullopt, *launch.failure});
    for (const PointRecord* record : points) rows.push_back(point_row(*record));
  }
  for (const PointRecord& record : records) {
    const bool launch_known = std::any_of(launches.begin(), launches.end(), [&](const LaunchRecord& launch) {
      return launch.number == record.launch;
    });
    if (record.failure && !launch_known) rows.push_back(point_row(record));
  }
  for (FailureRow& row : rows) {
    row.failure.flaky = row.failure.flaky || worked_elsewhere(row, records);
    if (!row.failure.log.empty()) continue;
    const auto launch = std::find_if(launches.begin(), launches.end(),
                                     [&](const LaunchRecord& l) { return l.number == row.launch; });
    if (launch != launches.end()) row.failure.log = launch->log;
  }
  return rows;
}

std::vector<FailureGroup> group_failures(const std::vector<FailureRow>& failures) {
  std::vector<FailureGroup> groups;
  for (const FailureRow& row : failures) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const FailureGroup& g) {
      return g.cls == row.failure.cls && g.phase == row.failure.phase;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {row.failure.cls, row.failure.phase, {}});
    group->rows.push_back(&row);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const FailureGroup& a, const FailureGroup& b) {
    return a.rows.size() > b.rows.size();
  });
  return groups;
}

std::vector<FindingGroup> group_findings(const std::vector<ReportPoint>& points) {
  std::vector<FindingGroup> groups;
  for (const ReportPoint& point : points) {
    for (const core::Finding& finding : point.findings) {
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const FindingGroup& g) { return g.finding.code == finding.code; });
      if (group == groups.end()) group = groups.insert(groups.end(), {finding, 0});
      ++group->points;
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const FindingGroup& a, const FindingGroup& b) {
    return a.finding.invalidates && !b.finding.invalidates;
  });
  return groups;
}

}  // namespace paretune::report
