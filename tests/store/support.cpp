#include "store/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace paretune::store::testing {

TempDirectory::TempDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "paretune-store-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
  std::filesystem::remove_all(path_, ignored);
}

trial::LaunchRecord sample_launch(int number) {
  trial::LaunchRecord launch;
  launch.number = number;
  launch.configuration = {{"threads", std::int64_t{2}}, {"flash-attn", std::string("on")}};
  launch.argv = {"llama-server", "--threads", "2", "--api-key", "***"};
  launch.process = {4711 + number, 18'000'000'000'000'000'000U, "boot", "token"};
  launch.started = "2026-12-01T17:33:00Z";
  launch.ready_s = 1.0 / 3.0;
  launch.log = "logs/" + std::to_string(number) + "/server.log";
  launch.version = "b4711";
  return launch;
}

trial::PointRecord sample_point(int number) {
  trial::PointRecord point;
  point.point.configuration = {{"threads", std::int64_t{2}}, {"fraction", 0.1}};
  point.point.live = {{"concurrency", std::int64_t{number}}};
  point.id = trial::point_id(point.point);
  point.launch = 1;
  point.pid = 4712;
  point.status = trial::PointStatus::Ok;
  point.measurement.ok = 10;
  point.measurement.failed = 2;
  point.measurement.cancelled = 1;
  point.measurement.failures = {{"http_5xx", 2}};
  point.measurement.metrics = {{"output_throughput", 100.0 / 3.0 + number}, {"ttft:p95", 0.1 + 0.2}};
  point.measurement.ci95 = {{"ttft:p95", {0.1, 5e-324}}};
  point.measurement.findings = {{"too_short", false, 12.5, "the window is short", "use duration: 30s"}};
  point.measurement.prompt_tokens = 1'234'567;
  point.measurement.output_tokens = 89;
  point.measurement.first_error = "HTTP 500: \"broken\"\n\xE2\x80\xA8 next";
  point.measurement.window_s = 20.000000001;
  point.gpus = 1;
  point.started = "2026-12-01T17:34:00Z";
  point.seconds = 23;
  point.reason = "random";
  return point;
}

Child::Child(const std::function<int(const Report&)>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::close(ends[0]);
    const auto report = [&](char step) { [[maybe_unused]] const ssize_t count = ::write(ends[1], &step, 1); };
    ::_exit(body(report));
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  if (!waited_) kill_now();
  ::close(pipe_);
}

char Child::next() {
  char step = '\0';
  return ::read(pipe_, &step, 1) == 1 ? step : '\0';
}

std::string Child::rest() {
  std::string steps;
  for (char step = next(); step != '\0'; step = next()) steps += step;
  return steps;
}

void Child::kill_now() {
  if (waited_) return;
  ::kill(pid_, SIGKILL);
  wait();
}

int Child::wait() {
  if (waited_) return code_;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  waited_ = true;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

}  // namespace paretune::store::testing
