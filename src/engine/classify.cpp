// From a log and an exit status to one failure: the line nearest to the cause decides, not the last one.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "engine/log_lines.hpp"
#include "engine/signatures.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/failure.hpp"

namespace paretune::engine {
namespace {

constexpr std::size_t kLastLines = 20;

struct Verdict {
  FailureClass cls = FailureClass::Crash;
  Rank rank = Rank::Echo;
  Advice advice = Advice::OfClass;
  std::string cause;
};

/// "package.SomeError: text", the last line of a Python traceback.
std::string_view exception_name(std::string_view message) {
  const std::size_t colon = message.find(':');
  if (colon == std::string_view::npos || message.find(' ') < colon) return {};
  const std::string_view name = message.substr(0, colon);
  return name.ends_with("Error") || name.ends_with("Exception") ? name : std::string_view{};
}

std::optional<Verdict> judge_exception(const std::string& message, Phase phase) {
  const std::string_view name = exception_name(message);
  if (name.empty()) return std::nullopt;
  Verdict verdict{FailureClass::Crash, Rank::General, Advice::OfClass, message};
  const bool refused =
      name.ends_with("ValueError") || name.ends_with("ValidationError") || name.ends_with("TypeError");
  if (phase == Phase::Start && refused) verdict.cls = FailureClass::BadConfiguration;
  return verdict;
}

std::optional<Verdict> judge_line(const std::string& line, Phase phase) {
  const std::string lower = core::to_lower(line);
  const Signature* best = nullptr;
  for (const Signature& signature : signatures()) {
    if ((best == nullptr || signature.rank < best->rank) && matches(signature.pattern, lower))
      best = &signature;
  }
  const std::string message = message_of(line);
  if (best != nullptr) return Verdict{best->cls, best->rank, best->advice, message};
  return judge_exception(message, phase);
}

/// The earliest of the lines nearest to the cause.
std::optional<Verdict> judge_lines(const std::vector<std::string>& lines, Phase phase) {
  std::optional<Verdict> best;
  for (const std::string& line : lines) {
    auto verdict = judge_line(line, phase);
    if (verdict && (!best || verdict->rank < best->rank)) best = std::move(verdict);
  }
  return best;
}

/// Without a known text: the first line that calls itself an error, else the last line.
std::string telling_line(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const std::string lower = core::to_lower(line);
    for (const std::string_view word : {"error:", "fatal:", "error ", "panicked at"}) {
      if (lower.find(word) != std::string::npos) return message_of(line);
    }
  }
  return lines.empty() ? "" : message_of(lines.back());
}

/// A shell or container reports a child's signal as 128 + number.
std::optional<int> signal_of(const ExitStatus& exit) {
  if (exit.signal) return exit.signal;
  if (!exit.exit_code || *exit.exit_code <= 128) return std::nullopt;
  const int number = *exit.exit_code - 128;
  constexpr std::array kDeadly{SIGKILL, SIGILL, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGTERM, SIGINT};
  return std::find(kDeadly.begin(), kDeadly.end(), number) == kDeadly.end() ? std::nullopt
                                                                            : std::optional(number);
}

std::string ending_of(const ExitStatus& exit) {
  if (exit.signal) {
    const char* name = sigabbrev_np(*exit.signal);
    return "the server was ended by signal " + std::to_string(*exit.signal) +
           (name == nullptr ? "" : std::string(" (SIG") + name + ")");
  }
  if (exit.exit_code) return "the server ended with exit code " + std::to_string(*exit.exit_code);
  return "the server is gone";
}

/// What the exit status says by itself; Cause only where it is as good as a log line.
Verdict judge_exit(const ExitStatus& exit) {
  const int number = signal_of(exit).value_or(0);
  Verdict verdict{FailureClass::Crash, Rank::Echo, Advice::OfClass, ending_of(exit)};
  if (number == SIGKILL) {
    verdict = {FailureClass::OutOfMemory, Rank::General, Advice::HostMemory,
               ending_of(exit) + ", which paretune did not send: probably the kernel's out-of-memory killer"};
  } else if (number == SIGILL) {
    verdict = {FailureClass::Unsupported, Rank::General, Advice::OfClass,
               ending_of(exit) + ": the build uses instructions that this processor lacks"};
  }
  return verdict;
}

Verdict judge(const std::vector<std::string>& lines, Phase phase, const ExitStatus& exit) {
  const Verdict by_exit = judge_exit(exit);
  const auto by_log = judge_lines(lines, phase);
  if (by_log && (by_log->rank == Rank::Cause || by_log->rank < by_exit.rank)) return *by_log;
  if (by_exit.rank <= Rank::General) return by_exit;
  if (by_log) return *by_log;
  Verdict verdict = by_exit;
  const std::string line = telling_line(lines);
  if (!line.empty()) verdict.cause += ": " + line;
  if (exit.exit_code == 2 && phase == Phase::Start && !line.empty())
    verdict.cls = FailureClass::BadConfiguration;
  return verdict;
}

}  // namespace

Failure classify_failure(Phase phase, const ExitStatus& exit, std::string_view log_tail) {
  std::vector<std::string> lines = log_lines(log_tail);
  const Verdict verdict = judge(lines, phase, exit);
  Failure failure;
  failure.cls = verdict.cls;
  failure.phase = phase;
  failure.exit_code = exit.exit_code;
  failure.signal = exit.signal;
  failure.cause = verdict.cause;
  failure.advice = advice_text(verdict.cls, verdict.advice);
  if (verdict.cls == FailureClass::Crash && exit.exit_code == 0 && phase == Phase::Start) {
    failure.advice = "the command must stay in the foreground until it is stopped (docker run without -d)";
  }
  failure.environment = verdict.advice == Advice::MissingEngine;
  failure.flag = flag_in(verdict.cause);
  if (lines.size() > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  failure.last_lines = std::move(lines);
  return failure;
}

}  // namespace paretune::engine
