#include "cli/console_observer.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "paretune/core/units.hpp"

namespace paretune::cli {
namespace {

/// "output_throughput 123.4 tok/s  ttft:p95 45.2 ms"
std::string objective_text(const spec::StudySpec& spec, const load::MetricValues& metrics) {
  std::string text;
  for (const auto& objective : spec.objectives) {
    const auto found = metrics.find(objective.metric.name);
    if (!text.empty()) text += "  ";
    text += objective.metric.name + ' ' + (found == metrics.end() ? "?" : core::format_short(found->second));
    if (!objective.metric.unit.empty()) text += ' ' + objective.metric.unit;
  }
  return text;
}

std::string failure_text(const engine::Failure& failure) {
  return fmt::format("{} ({}): {}", engine::to_string(failure.cls), engine::to_string(failure.phase),
                     failure.cause);
}

}  // namespace

ConsoleObserver::ConsoleObserver(Io& io, const spec::StudySpec& spec, store::StudyData data, bool verbose)
    : io_(io), spec_(spec), data_(std::move(data)), verbose_(verbose) {
  update_standing();
}

ConsoleObserver::~ConsoleObserver() {
  clear_status();
}

void ConsoleObserver::on_launch(const trial::LaunchRecord& launch) {
  current_launch_ = launch.number;
  const std::string text = fmt::format("launch {}: {}", launch.number, space::describe(launch.configuration));
  if (io_.err_tty) {
    status(text + "  starting");
  } else {
    line(text);
  }
}

void ConsoleObserver::on_ready(const trial::LaunchRecord& launch) {
  spent_s_ += launch.ready_s;
  if (io_.err_tty)
    line(fmt::format("launch {}: {}  ready after {}", launch.number, space::describe(launch.configuration),
                     core::format_duration(launch.ready_s)));
}

void ConsoleObserver::on_launch_ended(const trial::LaunchRecord& launch) {
  if (!launch.failure) return;
  data_.launches.push_back(launch);
  line(fmt::format("launch {}: {}  failed: {}", launch.number, space::describe(launch.configuration),
                   failure_text(*launch.failure)));
}

void ConsoleObserver::on_progress(const space::Point& point, const load::Progress& progress) {
  if (!io_.err_tty) return;
  status(fmt::format("launch {}  {}  {}  {} done {} failed  |  {}{}", current_launch_,
                     space::describe(point.live), core::format_duration(progress.elapsed_s),
                     progress.finished, progress.failed, standing(), remaining()));
}

void ConsoleObserver::on_point(const trial::PointRecord& point) {
  data_.points.push_back(point);
  spent_s_ += point.seconds;
  ++new_points_;
  update_standing();

  const std::string what = point.failure ? "failed: " + failure_text(*point.failure)
                                         : objective_text(spec_, point.measurement.metrics) + "  " +
                                               trial::to_string(point.status);
  line(fmt::format("  {}  {}  [{}]", space::describe(point.point.live), what, standing()));
  for (const auto& finding : point.measurement.findings) {
    if (finding.invalidates || verbose_) line("    finding " + finding.code + ": " + finding.message);
  }
  if (verbose_ && !point.reason.empty()) line("    asked because: " + point.reason);
}

void ConsoleObserver::update_standing() {
  front_ = report::summarize_front(spec_, data_.points, front_.reference);
}

void ConsoleObserver::on_note(const std::string& note) {
  line(note);
}

std::string ConsoleObserver::standing() const {
  std::string points = std::to_string(data_.points.size());
  if (spec_.budget.points) points += "/" + std::to_string(*spec_.budget.points);
  return fmt::format("points {}, front {}, hypervolume {}", points, front_.size,
                     core::format_short(front_.hypervolume));
}

std::string ConsoleObserver::remaining() const {
  if (new_points_ == 0) return {};
  const double per_point = spent_s_ / static_cast<double>(new_points_);
  std::optional<double> points_left;
  if (spec_.budget.points) {
    points_left = static_cast<double>(*spec_.budget.points) - static_cast<double>(data_.points.size());
  } else if (spec_.budget.launches) {
    const double left = static_cast<double>(*spec_.budget.launches) - current_launch_;
    points_left = left * static_cast<double>(spec_.workload.levels().size());
  }
  std::optional<double> seconds;
  if (points_left) seconds = std::max(0.0, *points_left) * per_point;
  if (spec_.budget.time_s) {
    const double left = std::max(0.0, *spec_.budget.time_s - spent_s_);
    seconds = seconds ? std::min(*seconds, left) : left;
  }
  return seconds ? ", ETA " + core::format_duration(*seconds) : std::string();
}

void ConsoleObserver::line(const std::string& text) {
  clear_status();
  io_.err << text << '\n';
  io_.err.flush();
}

void ConsoleObserver::status(const std::string& text) {
  const auto width = static_cast<std::size_t>(std::max(20, io_.width - 1));
  io_.err << "\r\x1b[K" << text.substr(0, width);
  io_.err.flush();
  status_shown_ = true;
}

void ConsoleObserver::clear_status() {
  if (!status_shown_) return;
  io_.err << "\r\x1b[K";
  status_shown_ = false;
}

}  // namespace paretune::cli
