// What happens to a checked request before the scheduler: how long its answer will be, and whether the
// injected fault strikes. Seeded, in order of arrival; the same for HTTP and the virtual twin. One thread.
#pragma once

#include <cstdint>

#include "paretune/core/random.hpp"
#include "paretune/sim/options.hpp"
#include "paretune/sim/scheduler.hpp"
#include "sim/api.hpp"
#include "sim/fault.hpp"

namespace paretune::sim {

struct Admission {
  EngineRequest engine;
  bool fails = false;  ///< fault http-500: answer with an error
  bool stops = false;  ///< ends by itself before max_tokens (finish_reason "stop")
};

class Intake {
 public:
  explicit Intake(const SimOptions& options);
  /// Takes the block hashes out of `request`.
  Admission admit(GenerationRequest& request);

 private:
  Faults faults_;
  core::Random lengths_;
  core::Random dice_;
  std::uint64_t next_id_ = 1;
};

/// The scheduler of a server whose plan is `kv_tokens`.
SchedulerConfig scheduler_config(const SimOptions& options, std::int64_t kv_tokens);

}  // namespace paretune::sim
