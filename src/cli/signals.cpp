#include "cli/signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "paretune/cli/app.hpp"

namespace paretune::cli {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

StopOnSignal::StopOnSignal(std::function<void()> on_first) {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::jthread([this, set, on_first = std::move(on_first)](const std::stop_token& done) {
    const timespec tick{0, 100'000'000};
    while (!done.stop_requested()) {
      if (sigtimedwait(&set, nullptr, &tick) < 0) continue;
      // Everything stored is already committed, so leaving without unwinding loses nothing.
      if (stop_.stop_requested()) _exit(static_cast<int>(ExitCode::Interrupted));
      stop_.request_stop();
      if (on_first) on_first();
    }
  });
}

StopOnSignal::~StopOnSignal() {
  thread_.request_stop();
  thread_.join();
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace paretune::cli
