// The real thing behind trial::Target: server processes from `engine`, load over sockets from `load`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <utility>

#include "paretune/core/clock.hpp"
#include "paretune/engine/catalog.hpp"
#include "paretune/trial/measure_failure.hpp"
#include "paretune/trial/target.hpp"

namespace paretune::trial {
namespace {

constexpr std::chrono::milliseconds kDeathPatience{1000};

class RealTarget final : public Target {
 public:
  explicit RealTarget(RealTargetOptions options) : options_(std::move(options)) {}
  ~RealTarget() override = default;

  TargetLaunch launch(int number, const space::Configuration& configuration, std::stop_token stop,
                      const SpawnCallback& on_spawn) override;
  TargetMeasurement measure(const space::LiveSetting& live, std::uint64_t seed, std::stop_token stop,
                            const ProgressCallback& progress) override;
  core::Result<void> stop() override;
  double now_s() override { return core::to_seconds(clock_.now().time_since_epoch()); }

 private:
  load::LoadLevel level_of(const space::LiveSetting& live) const;
  load::WindowOptions window_options(std::uint64_t seed) const;
  std::optional<double> gpus() const;
  bool has_ended(const load::Window& window) const;

  RealTargetOptions options_;
  core::SteadyClock clock_;
  std::unique_ptr<engine::RunningServer> server_;
  space::Configuration configuration_;
};

TargetLaunch RealTarget::launch(int number, const space::Configuration& configuration, std::stop_token stop,
                                const SpawnCallback& on_spawn) {
  TargetLaunch result;
  if (auto stopped = this->stop(); !stopped) {
    // A survivor would share device and memory with the next server: its figures would be wrong.
    engine::Failure survivor;
    survivor.cls = engine::FailureClass::DeviceBusy;
    survivor.phase = engine::Phase::Stop;
    survivor.environment = true;
    survivor.cause = stopped.error().message;
    survivor.advice = "end the old server by hand, then resume";
    result.failure = std::move(survivor);
    return result;
  }
  engine::LaunchOptions launch_options;
  launch_options.log_name = "logs/" + std::to_string(number) + "/server.log";
  launch_options.log_file = options_.directory + "/" + launch_options.log_name;
  launch_options.on_spawn = on_spawn;
  auto outcome = engine::launch(options_.engine, options_.space, configuration, launch_options, stop);
  result.argv = std::move(outcome.argv);
  result.pid = outcome.pid;
  result.seconds = outcome.seconds;
  result.failure = std::move(outcome.failure);
  server_ = std::move(outcome.server);
  result.up = server_ != nullptr;
  configuration_ = configuration;
  return result;
}

load::LoadLevel RealTarget::level_of(const space::LiveSetting& live) const {
  load::LoadLevel level;
  level.open_loop = options_.workload.open_loop();
  level.value = space::as_number(live.at(options_.workload.live_name()));
  return level;
}

load::WindowOptions RealTarget::window_options(std::uint64_t seed) const {
  load::WindowOptions window;
  window.seed = seed;
  window.address = server_->address();
  window.address.timeouts = options_.workload.timeouts;
  return window;
}

std::optional<double> RealTarget::gpus() const {
  return gpus_of(options_.engine, configuration_);
}

/// A dying server closes its sockets a moment before its end can be seen: after lost connections, look for a
/// while.
bool RealTarget::has_ended(const load::Window& window) const {
  const bool lost = std::any_of(window.records.begin(), window.records.end(), [](const auto& record) {
    return record.outcome == load::Outcome::Connect || record.outcome == load::Outcome::Truncated;
  });
  if (!lost) return server_->poll_exit().has_value();
  const auto deadline = std::chrono::steady_clock::now() + kDeathPatience;
  while (!server_->poll_exit()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

TargetMeasurement RealTarget::measure(const space::LiveSetting& live, std::uint64_t seed,
                                      std::stop_token stop, const ProgressCallback& progress) {
  if (!server_) throw std::logic_error("RealTarget::measure without a running server");
  TargetMeasurement result;
  const core::TimePoint begin = clock_.now();
  const load::LoadLevel level = level_of(live);
  const load::WindowOptions options = window_options(seed);
  const auto connections = static_cast<std::size_t>(
      level.open_loop ? options_.workload.max_concurrency.value_or(1024) : std::llround(level.value));

  // A server that dies ends the window at once instead of filling it with refused connections.
  std::stop_source window_stop;
  const std::stop_callback forward(stop, [&window_stop] { window_stop.request_stop(); });
  bool died = false;
  const auto watch = [&](const load::Progress& state) {
    if (!died && server_->poll_exit()) {
      died = true;
      window_stop.request_stop();
    }
    if (progress) progress(state);
  };

  auto endpoint = load::make_http_endpoint(options.address, connections);
  if (!endpoint) {
    result.failure = failure_of_error(endpoint.error());
    return result;
  }
  auto window =
      load::generate_load(**endpoint, options_.workload, level, options, window_stop.get_token(), watch);
  result.seconds = core::to_seconds(clock_.now() - begin);
  if (!window) {
    result.failure = failure_of_error(window.error());
    result.server_down = server_->poll_exit().has_value();
    return result;
  }
  result.measurement = load::summarize(*window, options_.workload, level,
                                       {.gpus = gpus(), .gpu_hour_price = options_.gpu_hour_price});
  died = died || has_ended(*window);
  if (died) {
    result.server_down = true;
    result.failure = server_->describe_death(engine::Phase::Measure);
  } else if (stop.stop_requested()) {
    result.interrupted = true;
  } else {
    result.failure = failure_of_window(*window, result.measurement);
  }
  return result;
}

core::Result<void> RealTarget::stop() {
  if (!server_) return {};
  auto stopped = server_->stop();
  server_.reset();
  return stopped;
}

}  // namespace

std::unique_ptr<Target> make_real_target(RealTargetOptions options) {
  return std::make_unique<RealTarget>(std::move(options));
}

}  // namespace paretune::trial
