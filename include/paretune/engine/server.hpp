// One server life: plan (pure), launch with its own process group under a guard that ends it when we die,
// readiness by health path and child liveness, stop. Nothing that we did not start is ever signalled.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "paretune/core/clock.hpp"
#include "paretune/core/result.hpp"
#include "paretune/engine/engine_spec.hpp"
#include "paretune/engine/failure.hpp"
#include "paretune/engine/memory_gate.hpp"

namespace paretune::engine {

/// What will be executed. argv goes to execvp as it is; no shell.
struct LaunchPlan {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  ///< added to our environment
  std::string host;
  int port = 0;
  std::string ready_path;
  double ready_timeout_s = 600;
  double stop_grace_s = 10;
};

/// Pure. Order: command, fixed args in file order, parameters in space order, host and port.
/// @return Error{InvalidInput} for a template that names an unknown parameter.
core::Result<LaunchPlan> plan_launch(const EngineSpec& spec, const space::Space& space,
                                     const space::Configuration& configuration, int port);

/// Facts that prove later that a process is ours (kept in the store; read by resume after kill -9).
struct ProcessIdentity {
  pid_t pid = 0;                  ///< also the process group
  std::uint64_t start_ticks = 0;  ///< field 22 of /proc/PID/stat
  std::string boot_id;            ///< of /proc/sys/kernel/random/boot_id
  std::string token;              ///< value of PARETUNE_LAUNCH in its environment
};

/// A ready server. Destroying it stops it. One thread.
class RunningServer {
 public:
  virtual ~RunningServer() = default;
  virtual pid_t pid() const = 0;  ///< 0 for an endpoint we did not start
  virtual const load::EndpointAddress& address() const = 0;
  virtual std::optional<ExitStatus> poll_exit() = 0;  ///< set once it has ended
  virtual Failure describe_death(Phase phase) = 0;    ///< classified from exit status and log
  /// TERM to the group, grace, KILL to the group, wait for the port. @return Error if something survived.
  virtual core::Result<void> stop() = 0;
};

struct LaunchOptions {
  std::string log_file;  ///< absolute or relative to the working directory; directory is made
  std::string log_name;  ///< how messages and result files call it: "logs/3/server.log"
  std::size_t log_cap_bytes = 16u << 20;
  std::function<void(const ProcessIdentity&, const std::vector<std::string>& argv)>
      on_spawn;               ///< before readiness
  MemoryProbe device_memory;  ///< if given, the start waits until the devices are empty (memory_gate.hpp)
};

struct LaunchOutcome {
  std::unique_ptr<RunningServer> server;  ///< null on failure
  std::optional<Failure> failure;
  std::vector<std::string> argv;  ///< as executed
  pid_t pid = 0;
  double seconds = 0;  ///< until ready or failed
};

/// Chooses a free port (again if it was taken meanwhile), starts, waits for readiness: child alive, health
/// path 200, the expected model listed, one generated token. A child that dies is reported at once.
LaunchOutcome launch(const EngineSpec& spec, const space::Space& space,
                     const space::Configuration& configuration, const LaunchOptions& options,
                     std::stop_token stop);

/// Stops a server left behind by an earlier paretune, only if all facts prove that it is ours.
/// @return true if it was alive and has been stopped; false if gone or not provably ours.
core::Result<bool> stop_leftover(const ProcessIdentity& identity, double grace_s);

/// A server whose paretune is gone and that its guard did not end.
struct Orphan {
  pid_t pid = 0;
  std::string command;  ///< its command line, shortened
  bool stopped = false;
};

/// Stops every server of this user that an earlier paretune launched and left: proven by the launch token in
/// its environment and by its launcher being gone. Servers of a paretune that lives are left alone.
std::vector<Orphan> stop_orphans();

/// Where a `kind: endpoint` server is, with API key and headers.
load::EndpointAddress endpoint_address(const EngineSpec& spec);

}  // namespace paretune::engine
