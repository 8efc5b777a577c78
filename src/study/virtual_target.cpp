#include "study/virtual_target.hpp"

#include <stdexcept>

#include "paretune/sim/options.hpp"
#include "paretune/sim/server.hpp"
#include "paretune/trial/measure_failure.hpp"

namespace paretune::study {
namespace {

class VirtualTarget final : public trial::Target {
 public:
  VirtualTarget(const spec::StudySpec& spec, std::optional<double> price) : spec_(spec), price_(price) {}

  trial::TargetLaunch launch(int number, const space::Configuration& configuration, std::stop_token stop,
                             const trial::SpawnCallback& on_spawn) override;
  trial::TargetMeasurement measure(const space::LiveSetting& live, std::uint64_t seed, std::stop_token stop,
                                   const trial::ProgressCallback& progress) override;
  core::Result<void> stop() override {
    up_ = false;
    return {};
  }
  double now_s() override { return now_s_; }

 private:
  spec::StudySpec spec_;
  std::optional<double> price_;
  sim::SimOptions options_;
  space::Configuration configuration_;
  bool up_ = false;
  double now_s_ = 0;  ///< virtual
};

engine::Failure failure_of(const core::Error& error) {
  engine::Failure failure;
  failure.phase = engine::Phase::Start;
  failure.cls = error.code == core::ErrorCode::OutOfMemory ? engine::FailureClass::OutOfMemory
                                                           : engine::FailureClass::BadConfiguration;
  failure.exit_code = 1;  // what the HTTP server would have returned
  failure.cause = error.message;
  failure.advice = error.hint;
  return failure;
}

trial::TargetLaunch VirtualTarget::launch(int /*number*/, const space::Configuration& configuration,
                                          std::stop_token /*stop*/,
                                          const trial::SpawnCallback& /*on_spawn*/) {
  trial::TargetLaunch result;
  up_ = false;
  configuration_ = configuration;
  if (auto plan = engine::plan_launch(spec_.engine, spec_.space, configuration, 0)) result.argv = plan->argv;
  auto options = sim::options_for(spec_.engine, spec_.space, configuration);
  if (!options) {
    result.failure = failure_of(options.error());
    return result;
  }
  options_ = *options;
  if (auto capacity = sim::plan_capacity(options_); !capacity) {
    result.failure = failure_of(capacity.error());
    return result;
  }
  result.seconds = sim::start_seconds(options_) / options_.speed;
  now_s_ += result.seconds;
  result.up = up_ = true;
  return result;
}

trial::TargetMeasurement VirtualTarget::measure(const space::LiveSetting& live, std::uint64_t seed,
                                                std::stop_token stop,
                                                const trial::ProgressCallback& progress) {
  if (!up_) throw std::logic_error("VirtualTarget::measure without a launch");
  trial::TargetMeasurement result;
  load::LoadLevel level;
  level.open_loop = spec_.workload.open_loop();
  level.value = space::as_number(live.at(spec_.workload.live_name()));
  auto endpoint = sim::make_virtual_endpoint(options_);
  if (!endpoint) {
    result.failure = trial::failure_of_error(endpoint.error());
    result.server_down = true;
    return result;
  }
  load::WindowOptions window_options;
  window_options.seed = seed;
  window_options.address.model = options_.model;
  const core::TimePoint begin = (*endpoint)->clock().now();
  auto window = load::generate_load(**endpoint, spec_.workload, level, window_options, stop, progress);
  result.seconds = core::to_seconds((*endpoint)->clock().now() - begin);
  now_s_ += result.seconds;
  if (!window) {
    result.failure = trial::failure_of_error(window.error());
    return result;
  }
  if (stop.stop_requested()) {
    result.interrupted = true;
    return result;
  }
  result.measurement =
      load::summarize(*window, spec_.workload, level,
                      {.gpus = trial::gpus_of(spec_.engine, configuration_), .gpu_hour_price = price_});
  result.failure = trial::failure_of_window(*window, result.measurement);
  return result;
}

}  // namespace

std::unique_ptr<trial::Target> make_virtual_target(const spec::StudySpec& spec,
                                                   std::optional<double> gpu_hour_price) {
  return std::make_unique<VirtualTarget>(spec, gpu_hour_price);
}

}  // namespace paretune::study
