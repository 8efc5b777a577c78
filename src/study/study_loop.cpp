#include "study/study_loop.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "paretune/core/clock.hpp"
#include "paretune/core/random.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/study/observation.hpp"

namespace paretune::study {
namespace {

bool is_interrupted(const trial::LaunchRecord& launch) {
  return launch.failure && launch.failure->cls == engine::FailureClass::Interrupted;
}

/// Says nothing about its configuration.
bool is_accident(const trial::LaunchRecord& launch) {
  return launch.failure && (launch.failure->flaky || launch.failure->environment);
}

std::optional<double> gpus_measured(const load::Measurement& measurement) {
  const auto found = measurement.metrics.find("gpus");
  if (found == measurement.metrics.end()) return std::nullopt;
  return found->second;
}

}  // namespace

StudyLoop::StudyLoop(const spec::StudySpec& spec, trial::Target& target, store::Store& store,
                     Observer& observer, std::stop_token stop)
    : spec_(spec), target_(target), store_(store), observer_(observer), stop_(std::move(stop)) {}

core::Result<Summary> StudyLoop::run() {
  begin_s_ = target_.now_s();
  auto searcher = search::make_searcher(spec_.search.method, problem_of(spec_));
  if (!searcher) return searcher.error();
  searcher_ = std::move(*searcher);
  if (auto restored = restore(); !restored) return restored.error();

  while (!stop_.stop_requested()) {
    const auto task = next_task();
    if (!task) return finish(End::Exhausted);
    if (const auto end = budget_end(*task)) return finish(*end);
    const auto up = ensure_running(*task);
    if (!up) return up.error();
    if (forced_end_) return finish(*forced_end_);
    if (!*up) continue;
    if (auto measured = measure(*task); !measured) return measured.error();
  }
  return finish(End::Interrupted);
}

core::Result<void> StudyLoop::restore() {
  auto data = store_.load();
  if (!data) return data.error();
  if (const auto elapsed = store_.fact("elapsed_s")) {
    if (const auto seconds = core::parse_number(*elapsed)) earlier_s_ = *seconds;
  }
  restore_launches(*data);
  restore_points(*data);
  if (spec_.baseline) queue_curve(*spec_.baseline, "baseline");
  std::set<space::Configuration> seen;
  for (const auto& launch : data->launches) {
    if (seen.insert(launch.configuration).second)
      queue_curve(launch.configuration, "rest of an interrupted curve");
  }
  return {};
}

void StudyLoop::restore_launches(const store::StudyData& data) {
  const auto settings = live_settings(spec_.workload);
  for (const auto& launch : data.launches) {
    last_launch_ = std::max(last_launch_, launch.number);
    if (is_interrupted(launch) || is_accident(launch)) continue;
    ++launches_;
    if (!launch.failure) continue;
    ruled_out_.insert(launch.configuration);
    search::Observation failed;
    failed.point = {launch.configuration, settings.front()};
    failed.failure = search::FailureScope::Launch;
    searcher_->tell({&failed, 1});
  }
}

void StudyLoop::restore_points(const store::StudyData& data) {
  std::vector<search::Observation> known;
  for (const auto& point : data.points) {
    ++points_;
    measured_.insert(point.point);
    known.push_back(observe(spec_, point, 0));
    if (known.back().failure == search::FailureScope::Launch) ruled_out_.insert(point.point.configuration);
  }
  searcher_->tell(known);
}

void StudyLoop::queue_curve(const space::Configuration& configuration, const std::string& reason) {
  for (const auto& live : live_settings(spec_.workload)) {
    queue_.push_back({.point = {configuration, live}, .proposal = 0, .reason = reason});
  }
}

std::optional<Task> StudyLoop::next_task() {
  while (!queue_.empty()) {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    if (!measured_.contains(task.point) && !ruled_out_.contains(task.point.configuration)) return task;
  }
  search::AskContext context;
  if (running_) context.running = running_->configuration;
  auto proposals = searcher_->ask(context);
  if (proposals.empty()) return std::nullopt;
  auto& proposal = proposals.front();
  return Task{std::move(proposal.point), proposal.id, std::move(proposal.reason)};
}

std::optional<End> StudyLoop::budget_end(const Task& task) {
  if (spec_.budget.points && points_ >= *spec_.budget.points) return End::BudgetPoints;
  if (spec_.budget.time_s && elapsed_s() >= *spec_.budget.time_s) return End::BudgetTime;
  const bool needs_launch = !running_ || running_->configuration != task.point.configuration;
  if (needs_launch && spec_.budget.launches && launches_ >= *spec_.budget.launches)
    return End::BudgetLaunches;
  return std::nullopt;
}

/// @return false if the server could not be started (recorded and told), or a stop came meanwhile.
core::Result<bool> StudyLoop::ensure_running(const Task& task) {
  if (running_ && running_->configuration == task.point.configuration) return true;
  if (auto ended = end_launch(); !ended) return ended.error();

  trial::LaunchRecord launch;
  auto up = launch_once(task, launch);
  if (up && !*up && may_be_accident(launch)) up = launch_again(task, launch);
  if (!up || *up) return up;
  if (!launch.failure || is_interrupted(launch)) return false;
  if (launch.failure->environment) return give_up(*launch.failure);
  rule_out(task);
  if (flag_is_in_fixed_part(*launch.failure)) {
    explanation_ = fmt::format("the engine does not know '--{}', which every configuration uses: {}",
                               launch.failure->flag, launch.failure->cause);
    forced_end_ = End::Hopeless;
  }
  return false;
}

bool StudyLoop::may_be_accident(const trial::LaunchRecord& launch) const {
  const bool crashed = launch.failure && launch.failure->cls == engine::FailureClass::Crash;
  return crashed && launch.failure->signal && !stop_.stop_requested();
}

/// Death by a signal at start may be an accident: one more try tells it from a bad configuration.
core::Result<bool> StudyLoop::launch_again(const Task& task, trial::LaunchRecord& launch) {
  observer_.on_note(
      fmt::format("launch {} died by signal {}; trying once more", launch.number, *launch.failure->signal));
  trial::LaunchRecord first = std::exchange(launch, {});
  first.failure->flaky = true;
  --launches_;
  if (auto put = store_.put_launch(first); !put) return put.error();
  auto up = launch_once(task, launch);
  if (!up || *up || !launch.failure || is_interrupted(launch)) return up;
  first.failure->flaky = false;
  ++launches_;
  if (auto put = store_.put_launch(first); !put) return put.error();
  return up;
}

/// The machine's fault is held against no configuration: every other one would meet it too.
core::Error StudyLoop::give_up(const engine::Failure& failure) {
  if (auto put = store_.put_fact("elapsed_s", core::format_number(elapsed_s())); !put) return put.error();
  return core::environment_error(failure.cause, failure.advice);
}

core::Result<bool> StudyLoop::launch_once(const Task& task, trial::LaunchRecord& launch) {
  launch.number = ++last_launch_;
  launch.configuration = task.point.configuration;
  launch.started = core::utc_timestamp();
  launch.log = fmt::format("logs/{}/server.log", launch.number);
  ++launches_;
  core::Result<void> stored = store_.put_launch(launch);
  if (!stored) return stored.error();
  observer_.on_launch(launch);

  running_since_s_ = target_.now_s();
  const auto on_spawn = [&](const engine::ProcessIdentity& process, const std::vector<std::string>& argv) {
    launch.process = process;
    launch.argv = core::mask_secrets(argv);
    stored = store_.put_launch(launch);  // before readiness: resume must find the process after kill -9
  };
  trial::TargetLaunch outcome = target_.launch(launch.number, task.point.configuration, stop_, on_spawn);
  if (!stored) return stored.error();
  launch.argv = core::mask_secrets(outcome.argv);
  launch.ready_s = outcome.seconds;
  launch.version = outcome.version;
  launch.failure = outcome.failure;
  if (!outcome.up) {
    launch.ended = true;
    launch.seconds = target_.now_s() - running_since_s_;
    if (is_interrupted(launch) || is_accident(launch)) --launches_;
  }
  if (stored = store_.put_launch(launch); !stored) return stored.error();
  if (!outcome.up) {
    observer_.on_launch_ended(launch);
    return false;
  }
  running_ = launch;
  observer_.on_ready(launch);
  return true;
}

void StudyLoop::rule_out(const Task& task) {
  ruled_out_.insert(task.point.configuration);
  search::Observation failed;
  failed.point = task.point;
  failed.id = task.proposal;
  failed.failure = search::FailureScope::Launch;
  searcher_->tell({&failed, 1});
}

bool StudyLoop::flag_is_in_fixed_part(const engine::Failure& failure) const {
  if (failure.cls != engine::FailureClass::BadFlag || failure.flag.empty()) return false;
  const std::string bare = failure.flag.starts_with("no-") ? failure.flag.substr(3) : failure.flag;
  return spec_.space.find(failure.flag) == nullptr && spec_.space.find(bare) == nullptr;
}

core::Result<void> StudyLoop::measure(const Task& task) {
  trial::PointRecord record;
  record.id = trial::point_id(task.point);
  record.launch = running_->number;
  record.pid = running_->process.pid;
  record.point = task.point;
  record.started = core::utc_timestamp();
  record.reason = task.reason;

  // Prompts repeat for the same study seed and point, and differ between points: a warm prefix cache must not
  // help.
  const std::uint64_t seed =
      core::derive_seed(spec_.search.seed, fmt::format("window/{}/{}", record.id, record.repeat));
  auto outcome = target_.measure(task.point.live, seed, stop_, [&](const load::Progress& progress) {
    observer_.on_progress(task.point, progress);
  });
  if (outcome.interrupted) return {};  // the open window is the only thing that an interruption loses
  if (outcome.failure && outcome.failure->environment) {
    if (auto ended = end_launch(); !ended) return ended;
    return give_up(*outcome.failure);
  }

  record.measurement = std::move(outcome.measurement);
  record.failure = std::move(outcome.failure);
  record.seconds = outcome.seconds;
  record.gpus = gpus_measured(record.measurement);
  if (record.failure) {
    record.failure->log = running_->log;
    record.status = trial::PointStatus::Failed;
  } else {
    record.status = status_of(spec_, record.measurement);
    record.violation = violation_of(spec_, record.measurement.metrics);
  }
  if (auto kept = keep_point(task, record); !kept) return kept;
  if (outcome.server_down) return end_launch();
  return {};
}

/// Stored first, told and shown after: what the searcher and the user have seen is never lost.
core::Result<void> StudyLoop::keep_point(const Task& task, trial::PointRecord& record) {
  if (auto stored = store_.put_point(record); !stored) return stored;
  if (auto stored = store_.put_fact("elapsed_s", core::format_number(elapsed_s())); !stored) return stored;
  ++points_;
  measured_.insert(record.point);
  const search::Observation observation = observe(spec_, record, task.proposal);
  if (observation.failure == search::FailureScope::Launch) ruled_out_.insert(record.point.configuration);
  searcher_->tell({&observation, 1});
  observer_.on_point(record);
  return {};
}

core::Result<void> StudyLoop::end_launch() {
  if (!running_) return {};
  if (auto stopped = target_.stop(); !stopped) observer_.on_note(stopped.error().message);
  running_->ended = true;
  running_->seconds = target_.now_s() - running_since_s_;
  auto stored = store_.put_launch(*running_);
  observer_.on_launch_ended(*running_);
  running_.reset();
  return stored;
}

double StudyLoop::elapsed_s() {
  return earlier_s_ + target_.now_s() - begin_s_;
}

core::Result<Summary> StudyLoop::finish(End end) {
  if (auto ended = end_launch(); !ended) return ended.error();
  Summary summary;
  summary.end = end;
  summary.launches = launches_;
  summary.points = points_;
  summary.seconds = elapsed_s();
  summary.explanation = explanation_.empty() ? to_string(end) : explanation_;
  if (auto put = store_.put_fact("elapsed_s", core::format_number(summary.seconds)); !put) return put.error();
  if (end != End::Interrupted) {
    if (auto put = store_.put_fact("finished", summary.explanation); !put) return put.error();
  }
  return summary;
}

}  // namespace paretune::study
