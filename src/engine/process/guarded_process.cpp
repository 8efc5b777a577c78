#include "engine/process/guarded_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "engine/process/identity.hpp"
#include "engine/process/process_table.hpp"

namespace paretune::engine {
namespace {

/// Beyond the grace: the guard's own limit for processes that do not react to SIGKILL, and some air.
constexpr core::Duration kGuardSlack = std::chrono::seconds(12);

std::string reason_of(int error) {
  return std::strerror(error);
}

ExitStatus status_from(int wait_status) {
  ExitStatus status;
  if (WIFEXITED(wait_status)) status.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) status.signal = WTERMSIG(wait_status);
  return status;
}

std::string living_members(pid_t group) {
  std::string pids;
  ProcessScan scan;
  ProcessRow row;
  while (scan.next(row)) {
    if (row.group == group && row.state != 'Z') pids += (pids.empty() ? "" : ", ") + std::to_string(row.pid);
  }
  return pids;
}

/// fork() with every signal blocked, so that a handler of ours never runs in the guard.
pid_t fork_quietly() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

}  // namespace

core::Result<std::unique_ptr<GuardedProcess>> GuardedProcess::start(const Options& options) {
  ProcessIdentity identity;
  identity.boot_id = boot_id();
  identity.token = make_token();
  auto environment = options.environment;
  environment[kTokenVariable] = identity.token;
  environment[kOwnerVariable] = own_launcher_mark();
  auto image = ExecImage::prepare(options.argv, environment);
  if (!image) return image.error();
  const int log = open(options.log_file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (log < 0) return core::io_error("cannot write '" + options.log_file + "': " + reason_of(errno));
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    const int reason = errno;
    close(log);
    return core::environment_error("cannot make a socket for the server's guard: " + reason_of(reason));
  }
  GuardSetup setup;
  setup.image = &*image;
  setup.socket = ends[1];
  setup.log = log;
  setup.log_cap = options.log_cap_bytes;
  setup.orphan_grace_ms = static_cast<int>(options.orphan_grace_s * 1000);
  find_title(setup);
  const pid_t guard = fork_quietly();
  if (guard == 0) run_guard(setup);
  const int reason = errno;
  close(ends[1]);
  close(log);
  if (guard < 0) {
    close(ends[0]);
    return core::environment_error("cannot make a process: " + reason_of(reason));
  }
  std::unique_ptr<GuardedProcess> process(new GuardedProcess(guard, ends[0]));
  process->identity_ = std::move(identity);
  if (auto started = process->await_start(); !started) return started.error();
  return process;
}

core::Result<void> GuardedProcess::await_start() {
  while (pid() == 0 && !done_) receive(std::chrono::seconds(5));
  if (pid() == 0)
    return core::environment_error("cannot make a process for the server: " + reason_of(exec_error_));
  ProcessRow row;
  if (read_process(pid(), row))
    identity_.start_ticks = row.start_ticks;  // the guard keeps even a dead one readable
  return {};
}

GuardedProcess::~GuardedProcess() {
  if (guard_ > 0) [[maybe_unused]]
    const auto stopped = stop(5);
}

bool GuardedProcess::receive(core::Duration limit) {
  if (done_) return false;
  pollfd file{socket_, POLLIN, 0};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
  if (poll(&file, 1, static_cast<int>(milliseconds)) <= 0) return false;
  std::array<char, sizeof(GuardReport)> packet{};
  const ssize_t got = recv(socket_, packet.data(), packet.size(), 0);
  if (got == static_cast<ssize_t>(sizeof(int))) {
    std::memcpy(&exec_error_, packet.data(), sizeof exec_error_);
  } else if (got == static_cast<ssize_t>(sizeof(GuardReport))) {
    GuardReport report;
    std::memcpy(&report, packet.data(), sizeof report);
    if (report.kind == GuardReport::Kind::Started) identity_.pid = report.value;
    if (report.kind == GuardReport::Kind::Ended) exit_ = status_from(report.value);
    if (report.kind == GuardReport::Kind::Empty) {
      survivors_ = report.value;
      done_ = true;
    }
  } else if (got == 0 || errno != EINTR) {
    guard_is_gone();
  }
  return true;
}

void GuardedProcess::guard_is_gone() {
  // Somebody killed the guard. The server got TERM from the kernel (parent-death signal); what became of it
  // is not ours to learn any more, as it is no child of ours.
  done_ = true;
  guard_lost_ = true;
  if (!exit_) exit_ = ExitStatus{};
}

std::optional<ExitStatus> GuardedProcess::poll_exit() {
  while (!exit_ && receive(core::Duration::zero())) {
  }
  return exit_;
}

bool GuardedProcess::wait_exit(core::Duration limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!exit_) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= core::Duration::zero() || !receive(left)) break;
  }
  return exit_.has_value();
}

core::Result<void> GuardedProcess::stop(double grace_s) {
  if (guard_ <= 0) return {};
  stop_requested_ = true;
  const GuardOrder order{static_cast<std::int32_t>(grace_s * 1000)};
  if (!done_) [[maybe_unused]]
    const ssize_t sent = send(socket_, &order, sizeof order, MSG_NOSIGNAL);
  const auto until = std::chrono::steady_clock::now() + core::from_seconds(grace_s) + kGuardSlack;
  while (!done_) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= core::Duration::zero() || !receive(left)) break;
  }
  return finish(grace_s);
}

core::Result<void> GuardedProcess::finish(double grace_s) {
  if (!done_) kill(guard_, SIGKILL);
  close(socket_);
  waitpid(guard_, nullptr, 0);
  guard_ = -1;
  if (!done_ || guard_lost_) {
    // Without the guard nobody holds the numbers of the dead: end only what is proven ours.
    if (auto ended = stop_leftover(identity_, grace_s); !ended) return ended.error();
    return {};
  }
  if (survivors_ == 0) return {};
  return core::environment_error("processes of the server that started as pid " + std::to_string(pid()) +
                                     " do not end: " + living_members(pid()),
                                 "they may wait for a device driver; see their state in ps");
}

}  // namespace paretune::engine
