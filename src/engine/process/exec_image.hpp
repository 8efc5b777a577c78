// Everything execve needs, prepared before fork: after fork only async-signal-safe calls are allowed, and
// finding a program or building an environment is none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "paretune/core/result.hpp"

namespace paretune::engine {

/// Moves only: the pointer arrays point into the strings, which a move leaves where they are.
class ExecImage {
 public:
  ExecImage(ExecImage&&) noexcept = default;
  ExecImage& operator=(ExecImage&&) noexcept = default;
  ExecImage(const ExecImage&) = delete;
  ExecImage& operator=(const ExecImage&) = delete;
  ~ExecImage() = default;

  /// @param environment  added to (and over) our own environment; a PATH in it is the one that is searched.
  /// @return Error{Environment} if the program cannot be found or executed; nothing has been started then.
  static core::Result<ExecImage> prepare(std::vector<std::string> argv,
                                         const std::map<std::string, std::string>& environment);

  const char* path() const { return path_.c_str(); }
  char* const* argv() const { return argv_pointers_.data(); }
  char* const* environment() const { return environment_pointers_.data(); }

 private:
  ExecImage() = default;

  std::string path_;
  std::vector<std::string> argv_;
  std::vector<std::string> environment_;
  std::vector<char*> argv_pointers_;
  std::vector<char*> environment_pointers_;
};

/// In the child, after fork: fresh session and process group, default signals, standard streams, no other
/// descriptors, no core file, first choice of the kernel's out-of-memory killer, TERM when its parent dies.
/// Never returns; if execve fails, `errno` is written to `report` (a close-on-exec socket or pipe, -1 = none)
/// as an int; the exit code is 127.
[[noreturn]] void exec_child(const ExecImage& image, int output, int report);

/// Closes every descriptor from 3 on but these. Async-signal-safe.
void close_all_but(int first, int second = -1, int third = -1);

/// Default dispositions for every signal. Async-signal-safe.
void reset_signal_dispositions();

}  // namespace paretune::engine
