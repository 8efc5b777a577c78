#include "engine/launched_server.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "engine/log_lines.hpp"
#include "engine/process/port.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"

namespace paretune::engine {
namespace {

constexpr std::size_t kTailBytes = std::size_t{256} << 10;
constexpr std::size_t kLastLines = 20;
constexpr auto kDeathPatience = std::chrono::milliseconds(500);
constexpr double kPortLimit_s = 10;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

/// Where `text` names the flag, with dashes or underscores; npos if it does not.
std::size_t mention_of(std::string_view text, std::string flag) {
  std::replace(flag.begin(), flag.end(), '_', '-');
  std::string dashed(text);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  for (std::size_t at = dashed.find(flag); at != std::string::npos; at = dashed.find(flag, at + 1)) {
    const std::size_t end = at + flag.size();
    const bool starts =
        at == 0 || !is_name_character(dashed[at - 1]) || (at > 1 && dashed.substr(at - 2, 2) == "--");
    if (starts && (end == dashed.size() || !is_name_character(dashed[end]))) return at;
  }
  return std::string::npos;
}

}  // namespace

LaunchedServer::~LaunchedServer() {
  [[maybe_unused]] const auto stopped = stop();
}

void LaunchedServer::complete(Failure& failure) const {
  failure.log = facts_.log_name;
  if (failure.last_lines.empty()) {
    failure.last_lines = log_lines(core::read_tail(facts_.log_file, kTailBytes / 8));
    if (failure.last_lines.size() > kLastLines) {
      failure.last_lines.erase(failure.last_lines.begin(), failure.last_lines.end() - kLastLines);
    }
  }
  std::size_t first = std::string::npos;
  for (const std::string& name : facts_.flag_names) {
    const std::size_t at = name.size() < 2 ? std::string::npos : mention_of(failure.cause, name);
    if (at < first) {
      first = at;
      failure.flag = name;
    }
  }
}

Failure LaunchedServer::exec_failure() const {
  Failure failure;
  failure.cls = FailureClass::Unsupported;
  failure.environment = true;
  failure.cause = "cannot start '" + facts_.plan.argv.front() + "': " + std::strerror(process_->exec_error());
  failure.advice = "check that engine.command names a program this machine can run";
  failure.log = facts_.log_name;
  return failure;
}

Failure LaunchedServer::describe_death(Phase phase) {
  process_->wait_exit(kDeathPatience);  // a closed connection may be seen before the exit status
  if (process_->exec_error() != 0) return exec_failure();
  const auto exit = process_->poll_exit();
  Failure failure;
  if (exit) {
    failure = classify_failure(phase, *exit, core::read_tail(facts_.log_file, kTailBytes));
  } else {
    failure.cls = FailureClass::Unhealthy;
    failure.phase = phase;
    failure.cause = "the server (pid " + std::to_string(pid()) + ") lives but does not serve";
    failure.advice = "read the server's log";
  }
  complete(failure);
  return failure;
}

core::Result<void> LaunchedServer::stop() {
  if (stopped_) return {};
  stopped_ = true;
  if (auto ended = process_->stop(facts_.plan.stop_grace_s); !ended) return ended;
  if (!wait_port_free(facts_.plan.host, facts_.plan.port, kPortLimit_s)) {
    return core::environment_error("port " + std::to_string(facts_.plan.port) +
                                   " is still taken after the server has ended");
  }
  return {};
}

}  // namespace paretune::engine
