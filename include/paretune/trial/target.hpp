// Where launches and windows happen: real processes and sockets, or the virtual twin. The study loop sees
// only this.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "paretune/engine/server.hpp"
#include "paretune/load/measure.hpp"
#include "paretune/trial/record.hpp"

namespace paretune::trial {

struct TargetLaunch {
  bool up = false;
  std::optional<engine::Failure> failure;
  std::vector<std::string> argv;
  pid_t pid = 0;
  double seconds = 0;
  std::string version;
};

struct TargetMeasurement {
  load::Measurement measurement;
  std::optional<engine::Failure> failure;  ///< the point could not be measured
  bool server_down = false;                ///< the whole launch is over
  bool interrupted = false;                ///< a stop was requested: nothing to keep
  double seconds = 0;
};

/// Called right after the process exists, before readiness: its identity must be stored so that resume can
/// find it.
using SpawnCallback =
    std::function<void(const engine::ProcessIdentity&, const std::vector<std::string>& argv)>;
using ProgressCallback = std::function<void(const load::Progress&)>;

/// One server at a time. One thread. Destroying it stops the server.
class Target {
 public:
  virtual ~Target() = default;
  /// Stops what runs, starts `configuration`. Always returns; a bad server is a failure, not an exception.
  virtual TargetLaunch launch(int number, const space::Configuration& configuration, std::stop_token stop,
                              const SpawnCallback& on_spawn) = 0;
  virtual TargetMeasurement measure(const space::LiveSetting& live, std::uint64_t seed, std::stop_token stop,
                                    const ProgressCallback& progress) = 0;
  /// @return what could not be stopped, if anything.
  virtual core::Result<void> stop() = 0;
  /// Simulated or real seconds; budgets count these.
  virtual double now_s() = 0;
};

struct RealTargetOptions {
  engine::EngineSpec engine;  ///< with `gpus` parsed
  space::Space space;
  load::Workload workload;
  std::string directory;  ///< of the study; logs go below it
  std::optional<double> gpu_hour_price;
};
std::unique_ptr<Target> make_real_target(RealTargetOptions options);

}  // namespace paretune::trial
