// Ends what an earlier paretune left behind, and only what is proven to be its.
#include <sys/types.h>

#include <csignal>
#include <thread>
#include <vector>

#include "engine/process/identity.hpp"
#include "engine/process/process_table.hpp"
#include "paretune/core/clock.hpp"
#include "paretune/core/text.hpp"

namespace paretune::engine {
namespace {

constexpr double kKillLimit_s = 8;

class Leftover {
 public:
  explicit Leftover(const ProcessIdentity& identity)
      : identity_(identity), leader_lives_(is_same_process(identity)) {}

  /// Proven ours and alive: those that carry the token, and the session of the leader once that is proven.
  /// The kernel gives the number of a session to nobody else while a member lives.
  std::vector<pid_t> members() {
    std::vector<ProcessRow> rows;
    std::vector<pid_t> found;
    ProcessScan scan;
    ProcessRow row;
    while (scan.next(row)) {
      if (row.state == 'Z') continue;
      const bool carries = token_of(row.pid, identity_.token) == TokenProof::Carries;
      if (row.session == identity_.pid) {
        session_is_ours_ = session_is_ours_ || carries || leader_lives_;
        rows.push_back(row);
      } else if (carries) {
        found.push_back(row.pid);
      }
    }
    if (session_is_ours_) {
      for (const ProcessRow& member : rows) found.push_back(member.pid);
    }
    return found;
  }

  void signal(int number) {
    for (const pid_t pid : members()) kill(pid, number);
  }

  bool wait_until_gone(double limit_s) {
    const auto until = std::chrono::steady_clock::now() + core::from_seconds(limit_s);
    while (!members().empty()) {
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

 private:
  const ProcessIdentity& identity_;
  bool leader_lives_;
  bool session_is_ours_ = false;
};

}  // namespace

core::Result<bool> stop_leftover(const ProcessIdentity& identity, double grace_s) {
  if (identity.pid <= 1 || identity.token.empty() || identity.boot_id.empty() ||
      identity.boot_id != boot_id()) {
    return false;
  }
  Leftover leftover(identity);
  if (leftover.members().empty()) return false;
  leftover.signal(SIGTERM);
  if (leftover.wait_until_gone(grace_s)) return true;
  leftover.signal(SIGKILL);
  if (leftover.wait_until_gone(kKillLimit_s)) return true;
  std::string pids;
  for (const pid_t pid : leftover.members()) pids += (pids.empty() ? "" : ", ") + std::to_string(pid);
  return core::environment_error("processes of an earlier launch do not end: " + pids,
                                 "they may wait for a device driver; see their state in ps");
}

}  // namespace paretune::engine
