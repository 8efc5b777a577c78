#include "report/merge.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <set>

namespace paretune::report {

namespace {

constexpr double kNormal95 = 1.959963984540054;

using trial::PointRecord;
using trial::PointStatus;

bool has_width(const Repeat& repeat) {
  return repeat.ci95 && std::isfinite(repeat.ci95->first) && std::isfinite(repeat.ci95->second) &&
         repeat.ci95->second > repeat.ci95->first;
}

double standard_error(const Repeat& repeat) {
  return (repeat.ci95->second - repeat.ci95->first) / (2 * kNormal95);
}

Combined weighted(const std::vector<Repeat>& repeats) {
  double weights = 0, sum = 0, chi2 = 0;
  for (const Repeat& repeat : repeats) {
    const double weight = 1 / (standard_error(repeat) * standard_error(repeat));
    weights += weight;
    sum += weight * repeat.value;
  }
  const double mean = sum / weights;
  for (const Repeat& repeat : repeats) {
    const double z = (repeat.value - mean) / standard_error(repeat);
    chi2 += z * z;
  }
  const double birge = std::sqrt(chi2 / static_cast<double>(repeats.size() - 1));
  const double half = kNormal95 * std::sqrt(1 / weights) * std::max(1.0, birge);
  return {mean, std::pair{mean - half, mean + half}};
}

Combined plain(const std::vector<Repeat>& repeats) {
  const auto n = static_cast<double>(repeats.size());
  double mean = 0, squares = 0;
  for (const Repeat& repeat : repeats) mean += repeat.value / n;
  for (const Repeat& repeat : repeats) squares += (repeat.value - mean) * (repeat.value - mean);
  if (repeats.size() < 3) return {mean, std::nullopt};
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  const double half = t * std::sqrt(squares / (n - 1) / n);
  return {mean, std::pair{mean - half, mean + half}};
}

/// The measurements of one point that count: the valid ones, else the invalid, else the failed.
std::vector<const PointRecord*> counting(const std::vector<const PointRecord*>& records) {
  const auto rank = [](const PointRecord* record) {
    switch (record->status) {
      case PointStatus::Ok:
      case PointStatus::Infeasible:
        return 0;
      case PointStatus::Invalid:
        return 1;
      case PointStatus::Failed:
        return 2;
    }
    return 2;
  };
  int best = 2;
  for (const PointRecord* record : records) best = std::min(best, rank(record));
  std::vector<const PointRecord*> chosen;
  std::copy_if(records.begin(), records.end(), std::back_inserter(chosen),
               [&](const PointRecord* record) { return rank(record) == best; });
  return chosen;
}

void merge_metrics(ReportPoint& point, const std::vector<const PointRecord*>& records) {
  std::set<std::string> names;
  for (const PointRecord* record : records) {
    for (const auto& [name, value] : record->measurement.metrics) names.insert(name);
  }
  for (const std::string& name : names) {
    std::vector<Repeat> repeats;
    for (const PointRecord* record : records) {
      const auto value = record->measurement.metrics.find(name);
      if (value == record->measurement.metrics.end() || !std::isfinite(value->second)) continue;
      Repeat repeat{value->second, std::nullopt};
      const auto interval = record->measurement.ci95.find(name);
      if (interval != record->measurement.ci95.end()) repeat.ci95 = interval->second;
      repeats.push_back(repeat);
    }
    if (repeats.empty()) continue;
    const Combined combined = combine_repeats(repeats);
    point.metrics[name] = combined.value;
    if (combined.ci95) point.ci95[name] = *combined.ci95;
  }
}

void judge(ReportPoint& point, const spec::StudySpec& spec) {
  if (point.status == PointStatus::Failed || point.status == PointStatus::Invalid) return;
  point.violation = 0;
  for (const load::Bound& bound : spec.limits) {
    const auto value = point.metrics.find(bound.metric.name);
    point.violation += value == point.metrics.end() ? 1.0 : limit_violation(bound, value->second);
  }
  point.status = point.violation > 0 ? PointStatus::Infeasible : PointStatus::Ok;
}

void add_findings(ReportPoint& point, const std::vector<core::Finding>& findings) {
  for (const core::Finding& finding : findings) {
    const bool known = std::any_of(point.findings.begin(), point.findings.end(),
                                   [&](const core::Finding& other) { return other.code == finding.code; });
    if (!known) point.findings.push_back(finding);
  }
}

ReportPoint merge_one(const spec::StudySpec& spec, const std::vector<const PointRecord*>& all) {
  const std::vector<const PointRecord*> records = counting(all);
  const PointRecord& first = *records.front();
  ReportPoint point;
  point.id = first.id;
  point.launch = first.launch;
  point.point = first.point;
  point.status = first.status;
  point.violation = first.violation;
  point.gpus = first.gpus;
  point.repeats = first.status == PointStatus::Failed ? 0 : static_cast<int>(records.size());
  if (first.status != PointStatus::Failed) merge_metrics(point, records);
  for (const PointRecord* record : records) add_findings(point, record->measurement.findings);
  judge(point, spec);
  return point;
}

}  // namespace

std::string shown_unit(const spec::StudySpec& spec, const load::Metric& metric) {
  if (metric.unit != "currency") return metric.unit;
  return spec.price ? spec.price->currency : "";
}

double limit_violation(const load::Bound& bound, double value) {
  const double excess = bound.upper ? value - bound.value : bound.value - value;
  if (!(excess > 0)) return 0;
  return bound.value == 0 ? excess : excess / std::fabs(bound.value);
}

Combined combine_repeats(const std::vector<Repeat>& repeats) {
  if (repeats.size() == 1) return {repeats[0].value, repeats[0].ci95};
  return std::all_of(repeats.begin(), repeats.end(), has_width) ? weighted(repeats) : plain(repeats);
}

std::vector<ReportPoint> merge_points(const spec::StudySpec& spec, const std::vector<PointRecord>& records) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const PointRecord*>> by_id;
  for (const PointRecord& record : records) {
    auto& list = by_id[record.id];
    if (list.empty()) order.push_back(record.id);
    list.push_back(&record);
  }
  std::vector<ReportPoint> points;
  for (const std::string& id : order) points.push_back(merge_one(spec, by_id[id]));
  return points;
}

}  // namespace paretune::report
