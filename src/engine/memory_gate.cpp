#include "paretune/engine/memory_gate.hpp"

#include <cmath>

#include "engine/process/capture.hpp"
#include "engine/process/exec_image.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::engine {
namespace {

constexpr double kQueryLimit_s = 10;

const std::vector<std::string>& nvidia_smi_command() {
  static const std::vector<std::string> command{"nvidia-smi", "--query-gpu=memory.used,memory.total",
                                                "--format=csv,noheader,nounits"};
  return command;
}

Failure device_busy(const DeviceMemory& memory, double limit_s) {
  Failure failure;
  failure.cls = FailureClass::DeviceBusy;
  failure.cause = "device memory still in use after " + core::format_number(limit_s) + " s (" +
                  core::format_short(memory.used_mib) + " of " + core::format_short(memory.total_mib) +
                  " MiB)";
  failure.advice = "another process holds device memory: wait for it or stop it";
  return failure;
}

}  // namespace

GateResult wait_for_device_memory(const MemoryProbe& probe, const GateRule& rule, core::Clock& clock,
                                  std::stop_token stop) {
  GateResult result;
  if (!probe) return result;
  const core::TimePoint start = clock.now();
  while (true) {
    const auto memory = probe();
    ++result.probes;
    result.waited_s = core::to_seconds(clock.now() - start);
    if (!memory || memory->total_mib <= 0 || memory->used_mib / memory->total_mib < rule.used_below)
      return result;
    if (result.waited_s >= rule.limit_s) {
      result.failure = device_busy(*memory, rule.limit_s);
      return result;
    }
    if (!clock.sleep_for(core::from_seconds(rule.every_s), stop)) {
      result.failure = Failure{};
      result.failure->cls = FailureClass::Interrupted;
      result.failure->cause = "a stop was requested";
      return result;
    }
  }
}

MemoryProbe nvidia_smi_memory() {
  if (!ExecImage::prepare({"nvidia-smi"}, {})) return {};
  return []() -> std::optional<DeviceMemory> {
    const auto captured = run_captured(nvidia_smi_command(), {}, kQueryLimit_s);
    if (!captured || captured->exit.exit_code != 0) return std::nullopt;
    return parse_nvidia_smi(captured->output);
  };
}

std::optional<DeviceMemory> parse_nvidia_smi(std::string_view output) {
  std::optional<DeviceMemory> fullest;
  for (const std::string& line : core::split(output, '\n')) {
    const auto parts = core::split(line, ',');
    if (parts.size() != 2) continue;
    const auto used = core::parse_number(core::trim(parts[0]));
    const auto total = core::parse_number(core::trim(parts[1]));
    if (!used || !total || *total <= 0) continue;
    if (!fullest || *used / *total > fullest->used_mib / fullest->total_mib)
      fullest = DeviceMemory{*used, *total};
  }
  return fullest;
}

}  // namespace paretune::engine
