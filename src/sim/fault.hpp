// The faults that `--fault` can inject, parsed. Shared by the HTTP server, the twin and the capacity plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "paretune/core/result.hpp"
#include "paretune/sim/options.hpp"

namespace paretune::sim {

struct Faults {
  bool oom_at_launch = false;
  std::optional<std::uint64_t> crash_after;  ///< answered requests until the process aborts
  std::optional<std::uint64_t> stall_after;  ///< output tokens until the engine hangs
  double http_500 = 0;                       ///< probability of an error answer
  double start_factor = 1;                   ///< slow-start: start-up takes so many times longer
};

/// @return Error{InvalidInput} for anything but the forms in the help of --fault. Empty text: no fault.
core::Result<Faults> parse_faults(const std::string& text);
/// Of options whose fault text was checked by set_flag(); an unreadable text injects nothing.
Faults faults_of(const SimOptions& options);

}  // namespace paretune::sim
