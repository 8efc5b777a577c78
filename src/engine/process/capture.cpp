#include "engine/process/capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "engine/process/exec_image.hpp"
#include "paretune/core/clock.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::engine {
namespace {

constexpr std::size_t kMostOutput = std::size_t{4} << 20;
using SteadyTime = std::chrono::steady_clock::time_point;

/// Reads until the end of file. @return false at the time limit.
bool read_all(int file, SteadyTime until, std::string& output) {
  std::array<char, 65536> buffer{};
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{file, POLLIN, 0};
    if (poll(&entry, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (output.size() < kMostOutput) output.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool wait_for(pid_t pid, SteadyTime until, int& status) {
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    usleep(2000);
  }
  return true;
}

}  // namespace

core::Result<Captured> run_captured(const std::vector<std::string>& argv,
                                    const std::map<std::string, std::string>& environment, double timeout_s) {
  const auto image = ExecImage::prepare(argv, environment);
  if (!image) return image.error();
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return core::environment_error(std::string("no pipe: ") + std::strerror(errno));
  const auto until = std::chrono::steady_clock::now() + core::from_seconds(timeout_s);
  const pid_t pid = fork();
  if (pid == 0) exec_child(*image, ends[1], -1);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return core::environment_error(std::string("cannot make a process: ") + std::strerror(errno));
  }
  Captured captured;
  int status = 0;
  const bool in_time = read_all(ends[0], until, captured.output) && wait_for(pid, until, status);
  close(ends[0]);
  if (!in_time) {
    kill(-pid, SIGKILL);  // its own session: the number is taken as long as it has not been waited for
    waitpid(pid, &status, 0);
    return core::Error{
        core::ErrorCode::Timeout,
        "'" + core::shell_join(argv) + "' did not end within " + core::format_duration(timeout_s), ""};
  }
  if (WIFEXITED(status)) captured.exit.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) captured.exit.signal = WTERMSIG(status);
  return captured;
}

}  // namespace paretune::engine
