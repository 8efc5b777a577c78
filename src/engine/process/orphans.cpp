// Finds servers whose paretune died without its guard being able to end them, by what their environment says:
// the launch token, and who launched them. Only processes of this user whose launcher is proven gone.
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "engine/process/identity.hpp"
#include "engine/process/process_table.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::engine {
namespace {

constexpr double kGrace_s = 10;

std::string directory_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

bool is_mine(pid_t pid) {
  struct stat facts {};
  return stat(directory_of(pid).c_str(), &facts) == 0 && facts.st_uid == geteuid();
}

std::string variable(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return {};
}

/// "PID:START_TICKS" of the launcher: gone if that very process does not live any more.
bool owner_is_gone(const std::string& owner) {
  const auto parts = core::split(owner, ':');
  if (parts.size() != 2) return false;
  const auto pid = core::parse_integer(parts[0]);
  const auto ticks = core::parse_integer(parts[1]);
  if (!pid || !ticks || *pid <= 1) return false;
  ProcessRow row;
  const bool alive = read_process(static_cast<pid_t>(*pid), row) && row.state != 'Z';
  return !alive || row.start_ticks != static_cast<std::uint64_t>(*ticks);
}

std::string command_of(pid_t pid) {
  auto text = core::read_file(directory_of(pid) + "/cmdline");
  if (!text) return {};
  for (char& byte : *text) {
    if (byte == '\0') byte = ' ';
  }
  return core::printable(core::trim(*text).substr(0, 200));
}

}  // namespace

std::string own_launcher_mark() {
  ProcessRow row;
  if (!read_process(getpid(), row)) return {};
  return std::to_string(row.pid) + ":" + std::to_string(row.start_ticks);
}

std::vector<Orphan> stop_orphans() {
  std::map<std::string, ProcessIdentity> launches;  // by token; the session's leader where it lives
  ProcessScan scan;
  ProcessRow row;
  while (scan.next(row)) {
    if (row.state == 'Z' || row.pid == getpid() || !is_mine(row.pid)) continue;
    const auto text = core::read_file(directory_of(row.pid) + "/environ");
    if (!text || text->find(kTokenVariable) == std::string::npos) continue;
    const auto environment = core::split(*text, '\0');
    const std::string token = variable(environment, kTokenVariable);
    if (token.empty() || !owner_is_gone(variable(environment, kOwnerVariable))) continue;
    ProcessIdentity& identity = launches[token];
    if (identity.pid != 0 && row.pid != row.session) continue;
    identity = {.pid = row.pid, .start_ticks = row.start_ticks, .boot_id = boot_id(), .token = token};
  }
  std::vector<Orphan> orphans;
  for (const auto& [token, identity] : launches) {
    Orphan orphan{.pid = identity.pid, .command = command_of(identity.pid), .stopped = false};
    const auto stopped = stop_leftover(identity, kGrace_s);
    if (stopped && !*stopped) continue;  // it ended by itself meanwhile
    orphan.stopped = stopped.ok();
    orphans.push_back(std::move(orphan));
  }
  return orphans;
}

}  // namespace paretune::engine
