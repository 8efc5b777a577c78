// Our end of one server process under its guard (guard.hpp): start, learn of its end at once, end it.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/process/guard.hpp"
#include "paretune/core/clock.hpp"
#include "paretune/core/result.hpp"
#include "paretune/engine/failure.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::engine {

/// One thread. Destroying it ends the server.
class GuardedProcess {
 public:
  struct Options {
    std::vector<std::string> argv;
    std::map<std::string, std::string> environment;  ///< added to ours
    std::string log_file;                            ///< made or emptied; its directory must be there
    std::size_t log_cap_bytes = 16u << 20;
    double orphan_grace_s = 5;
  };

  /// @return Error{Environment} program not found, no process can be made; Error{Io} the log cannot be
  /// written.
  static core::Result<std::unique_ptr<GuardedProcess>> start(const Options& options);
  ~GuardedProcess();
  GuardedProcess(const GuardedProcess&) = delete;
  GuardedProcess& operator=(const GuardedProcess&) = delete;

  pid_t pid() const { return identity_.pid; }
  const ProcessIdentity& identity() const { return identity_; }
  /// errno of execve, 0 if the program runs (or that is not known yet).
  int exec_error() const { return exec_error_; }
  /// Set once the server has ended; its log is complete then. Does not block.
  std::optional<ExitStatus> poll_exit();
  /// Waits until the server has ended or `limit` is over. @return true if it has ended.
  bool wait_exit(core::Duration limit);
  /// TERM to everything it started, grace, KILL. Returns when nothing is left.
  /// @return Error{Environment} naming the pids that would not die.
  core::Result<void> stop(double grace_s);
  /// Did we ask for the end? (Then a SIGKILL is our own.)
  bool stop_requested() const { return stop_requested_; }

 private:
  GuardedProcess(pid_t guard, int socket) : guard_(guard), socket_(socket) {}
  core::Result<void> await_start();
  bool receive(core::Duration limit);  ///< one packet; false on time-out
  void guard_is_gone();
  core::Result<void> finish(double grace_s);

  pid_t guard_;
  int socket_;
  ProcessIdentity identity_;
  int exec_error_ = 0;
  bool stop_requested_ = false;
  bool done_ = false;        ///< the guard reported Empty or is gone
  bool guard_lost_ = false;  ///< it ended without a last report
  int survivors_ = 0;
  std::optional<ExitStatus> exit_;
};

}  // namespace paretune::engine
