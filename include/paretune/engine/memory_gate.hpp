// Waits before a launch until the devices are empty: drivers give memory back some seconds after a process
// has ended, and a server that starts too early fails its memory check (issue vllm-project/vllm-omni#4165 and
// others). Free functions; the clock and the probe are arguments, so tests run without devices and without
// waiting.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "paretune/core/clock.hpp"
#include "paretune/engine/failure.hpp"

namespace paretune::engine {

/// Of the device with the greatest used share.
struct DeviceMemory {
  double used_mib = 0;
  double total_mib = 0;
};

/// nullopt = cannot be told (then nothing is waited for).
using MemoryProbe = std::function<std::optional<DeviceMemory>()>;

struct GateRule {
  double used_below = 0.05;  ///< share of the device at which a launch may start
  double limit_s = 60;
  double every_s = 2;
};

struct GateResult {
  double waited_s = 0;
  int probes = 0;
  std::optional<Failure> failure;  ///< device_busy or interrupted; not the configuration's fault
};

GateResult wait_for_device_memory(const MemoryProbe& probe, const GateRule& rule, core::Clock& clock,
                                  std::stop_token stop);

/// Asks `nvidia-smi`. An empty function if that program is not in PATH.
MemoryProbe nvidia_smi_memory();

/// Reads lines "used, total" in MiB. @return nullopt if there is no such line.
std::optional<DeviceMemory> parse_nvidia_smi(std::string_view output);

}  // namespace paretune::engine
