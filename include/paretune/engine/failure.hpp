// How a launch or a measurement failed: class, phase, cause and advice (design §6).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/json.hpp"

namespace paretune::engine {

enum class FailureClass {
  OutOfMemory,
  BadFlag,           ///< the engine does not know a flag
  BadConfiguration,  ///< known flags, refused values or combination
  Unsupported,       ///< device, model or build lacks it
  PortInUse,
  DeviceBusy,
  Crash,
  TimeoutStart,
  TimeoutMeasure,
  Unhealthy,  ///< alive but not serving (500s, wrong model)
  TooManyErrors,
  Interrupted,
};

enum class Phase { Start, Warmup, Measure, Stop };

/// The words of result files: "out_of_memory", "start" …
const char* to_string(FailureClass failure);
const char* to_string(Phase phase);
std::optional<FailureClass> failure_class_from(std::string_view word);
std::optional<Phase> phase_from(std::string_view word);

struct Failure {
  FailureClass cls = FailureClass::Crash;
  Phase phase = Phase::Start;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string cause;                    ///< one line: the log line or fact that decided
  std::string advice;                   ///< what the user may change
  std::string log;                      ///< path of the server log, relative to the study directory
  std::string flag;                     ///< the guilty flag if the log names one, without dashes; else empty
  std::vector<std::string> last_lines;  ///< of the log, printable
  bool flaky = false;                   ///< the same configuration worked at another try
  /// The machine's fault (program missing, log not writable, device busy, endpoint not reachable): not held
  /// against the configuration, and every other configuration would meet it too (exit 4).
  bool environment = false;

  /// The same configuration would fail again (memory, flags, support), as opposed to accidents.
  bool deterministic() const;
};

core::Json to_json(const Failure& failure);
Failure failure_from_json(const core::Json& json);

/// How a child process ended.
struct ExitStatus {
  std::optional<int> exit_code;
  std::optional<int> signal;
};

/// Reads the log of a server that ended (or hung) and names class, cause line, guilty flag and advice.
/// Signatures: reference engines §2.7–7.7; generic rules for unknown programs.
Failure classify_failure(Phase phase, const ExitStatus& exit, std::string_view log_tail);

}  // namespace paretune::engine
