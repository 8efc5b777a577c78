// Ctrl-C and TERM: the first asks for a stop, the second ends the process at once (the guard ends the
// servers).
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace paretune::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP are blocked in this thread and its children threads, and are
/// taken by a thread of its own. Make it before any other thread starts.
class StopOnSignal {
 public:
  /// @param on_first  called once from the signal thread, e.g. to tell the user.
  explicit StopOnSignal(std::function<void()> on_first = {});
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread thread_;
};

}  // namespace paretune::cli
