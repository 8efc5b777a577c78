#include "engine/process/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "engine/process/capped_log.hpp"
#include "engine/process/process_table.hpp"

namespace paretune::engine {
namespace {

constexpr int kKillLimitMs =
    8000;  ///< a process in an uninterruptible driver call may outlive SIGKILL for a while
constexpr int kSweepEveryMs = 20;
constexpr int kMaxDrains = 256;  ///< of 64 KiB: a survivor that writes for ever must not hold up the report

std::int64_t now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

class Guard {
 public:
  explicit Guard(const GuardSetup& setup) : setup_(setup), log_(setup.log, setup.log_cap) {}
  [[noreturn]] void run();

 private:
  enum class Stage { Running, Terminating, Killing };

  void settle();
  void start_server();
  bool wait_for_events();
  void read_order();
  void copy_output(int drains);
  void note_server_end();
  void reap_others();
  void begin_end(int grace_ms);
  void signal_all(int number);
  void advance();
  int living_children();
  void report(GuardReport::Kind kind, int value);

  GuardSetup setup_;
  CappedLog log_;
  int output_ = -1;
  int signals_ = -1;
  pid_t self_ = 0;
  pid_t server_ = 0;
  bool server_ended_ = false;
  Stage stage_ = Stage::Running;
  std::int64_t deadline_ms_ = 0;
  std::array<char, 65536> buffer_{};
};

void Guard::settle() {
  setsid();
  self_ = getpid();
  prctl(PR_SET_NAME, "paretune-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (setup_.title_size > 0) {
    std::memset(setup_.title, 0, setup_.title_size);
    std::strncpy(setup_.title, "paretune-guard", setup_.title_size - 1);
  }
  reset_signal_dispositions();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; null >= 0 && standard < 3; ++standard) dup2(null, standard);
  close_all_but(setup_.socket, setup_.log);
}

void Guard::start_server() {
  std::array<int, 2> pipe_ends{-1, -1};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) _exit(1);
  server_ = fork();
  if (server_ == 0) exec_child(*setup_.image, pipe_ends[1], setup_.socket);
  close(pipe_ends[1]);
  if (server_ < 0) {
    const int reason = errno;
    [[maybe_unused]] const ssize_t sent = send(setup_.socket, &reason, sizeof reason, MSG_NOSIGNAL);
    _exit(1);
  }
  output_ = pipe_ends[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  report(GuardReport::Kind::Started, server_);
}

void Guard::run() {
  settle();
  start_server();
  while (true) {
    const bool child_changed = wait_for_events();
    if (child_changed) {  // reading /proc for every line of the log would disturb measurements
      note_server_end();
      reap_others();
    }
    advance();
  }
}

/// @return true if a child may have ended.
bool Guard::wait_for_events() {
  std::array<pollfd, 3> files{{{setup_.socket, POLLIN, 0}, {output_, POLLIN, 0}, {signals_, POLLIN, 0}}};
  const int timeout = stage_ == Stage::Running ? -1 : kSweepEveryMs;
  if (poll(files.data(), files.size(), timeout) <= 0) return false;
  if (files[0].revents != 0) read_order();
  if (files[1].revents != 0) copy_output(1);
  if (files[2].revents == 0) return false;
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) > 0) {
  }
  return true;
}

void Guard::read_order() {
  GuardOrder order;
  const ssize_t got = recv(setup_.socket, &order, sizeof order, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got == static_cast<ssize_t>(sizeof order)) {
    begin_end(order.grace_ms);
    return;
  }
  close(setup_.socket);  // nobody is left to report to
  setup_.socket = -1;
  begin_end(setup_.orphan_grace_ms);
}

void Guard::copy_output(int drains) {
  for (; drains > 0 && output_ >= 0; --drains) {
    const ssize_t got = read(output_, buffer_.data(), buffer_.size());
    if (got > 0) {
      log_.append(buffer_.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      close(output_);
      output_ = -1;
    } else {
      return;
    }
  }
}

void Guard::note_server_end() {
  if (server_ended_) return;
  siginfo_t info{};
  // WNOWAIT keeps the zombie: its number, and so the number of the process group, cannot go to a stranger.
  if (waitid(P_PID, static_cast<id_t>(server_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != server_)
    return;
  server_ended_ = true;
  copy_output(kMaxDrains);
  const bool exited = info.si_code == CLD_EXITED;
  report(GuardReport::Kind::Ended, exited ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f);
}

void Guard::reap_others() {
  ProcessScan scan;
  ProcessRow row;
  while (scan.next(row)) {
    if (row.parent == self_ && row.state == 'Z' && row.pid != server_) waitpid(row.pid, nullptr, WNOHANG);
  }
}

void Guard::begin_end(int grace_ms) {
  const std::int64_t deadline = now_ms() + (grace_ms > 0 ? grace_ms : 0);
  if (stage_ == Stage::Running) {
    stage_ = Stage::Terminating;
    deadline_ms_ = deadline;
    signal_all(SIGTERM);
  } else if (stage_ == Stage::Terminating && deadline < deadline_ms_) {
    deadline_ms_ = deadline;
  }
}

void Guard::signal_all(int number) {
  kill(-server_, number);
  ProcessScan scan;
  ProcessRow row;
  while (scan.next(row)) {
    if (row.pid == self_ || row.group == server_ || row.state == 'Z') continue;
    if (is_descendant(row.pid, self_)) kill(row.pid, number);
  }
}

int Guard::living_children() {
  // Every process below us hangs on a living child of ours: orphans come to us, we are the subreaper.
  int count = 0;
  ProcessScan scan;
  ProcessRow row;
  while (scan.next(row)) {
    if (row.parent == self_ && row.state != 'Z') ++count;
  }
  return count;
}

void Guard::advance() {
  if (stage_ == Stage::Running) return;
  const int living = living_children();
  const bool out_of_time = now_ms() >= deadline_ms_;
  if (living == 0 || (stage_ == Stage::Killing && out_of_time)) {
    note_server_end();
    copy_output(kMaxDrains);
    if (server_ended_) waitpid(server_, nullptr, WNOHANG);
    report(GuardReport::Kind::Empty, living);
    _exit(0);
  }
  if (stage_ == Stage::Terminating && out_of_time) {
    stage_ = Stage::Killing;
    deadline_ms_ = now_ms() + kKillLimitMs;
  }
  if (stage_ == Stage::Killing) signal_all(SIGKILL);
}

void Guard::report(GuardReport::Kind kind, int value) {
  if (setup_.socket < 0) return;
  const GuardReport packet{kind, value};
  [[maybe_unused]] const ssize_t sent =
      send(setup_.socket, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

void run_guard(const GuardSetup& setup) {
  Guard guard(setup);
  guard.run();
}

void find_title(GuardSetup& setup) {
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 2048> text{};
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  const char* rest = length > 0 ? std::strrchr(text.data(), ')') : nullptr;
  for (int field = 2; rest != nullptr && field < 48; ++field) {
    rest = std::strchr(rest, ' ');
    if (rest != nullptr) ++rest;
  }
  if (rest == nullptr) return;
  char* after = nullptr;
  const std::uintptr_t start = std::strtoull(rest, &after, 10);
  const std::uintptr_t end = std::strtoull(after, nullptr, 10);
  if (start == 0 || end <= start + 1) return;
  setup.title = reinterpret_cast<char*>(start);  // NOLINT(performance-no-int-to-ptr)
  setup.title_size = end - start;
}

}  // namespace paretune::engine
