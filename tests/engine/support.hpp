// What the tests of engine share: specs of the scripted server, a fresh directory, a look at processes.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "engine/process/identity.hpp"
#include "engine/process/process_table.hpp"
#include "paretune/core/document.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::engine::testing {

/// The program of fake_server.cpp.
inline const char* fake_server() {
  return PARETUNE_FAKE_SERVER;
}

inline space::Level text_level(const std::string& text) {
  return {space::Value(text), text};
}

/// `kind: command` with the scripted server and these flags.
inline EngineSpec fake_spec(const std::vector<std::pair<std::string, std::string>>& flags = {}) {
  EngineSpec spec;
  spec.kind = Kind::Command;
  spec.command = {fake_server(), "--host", "{host}", "--port", "{port}", "--model", "{model}"};
  spec.model = "fake";
  for (const auto& [name, value] : flags) spec.args.push_back({name, text_level(value), space::Style::Value});
  spec.ready_timeout_s = 10;
  spec.stop_grace_s = 2;
  return spec;
}

/// A directory of its own, removed at the end.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "paretune-engine-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch directory");
    path_ = pattern;
  }
  ~ScratchDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline bool wait_until(const std::function<bool()>& condition, double limit_s) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// Living processes that were started with this launch token.
inline std::vector<pid_t> carriers(const std::string& token) {
  std::vector<pid_t> pids;
  ProcessScan scan;
  ProcessRow row;
  while (scan.next(row)) {
    if (row.state != 'Z' && token_of(row.pid, token) == TokenProof::Carries) pids.push_back(row.pid);
  }
  return pids;
}

inline core::Node parse(const std::string& yaml) {
  auto document = core::parse_document(yaml, "study.yaml");
  if (!document) throw std::runtime_error(document.error().message);
  return document->root;
}

/// One launch into a scratch directory, with what was told about its processes.
class Launch {
 public:
  explicit Launch(const EngineSpec& spec, std::stop_token stop = {},
                  const space::Configuration& configuration = {}, const space::Space& space = {}) {
    options.log_file = scratch.file("logs/1/server.log");
    options.log_name = "logs/1/server.log";
    options.on_spawn = [this](const ProcessIdentity& spawned, const std::vector<std::string>&) {
      identities.push_back(spawned);
    };
    outcome = launch(spec, space, configuration, options, std::move(stop));
  }
  const Failure& failure() const {
    if (!outcome.failure) throw std::runtime_error("the launch did not fail");
    return *outcome.failure;
  }
  bool anything_left() const {
    for (const ProcessIdentity& identity : identities) {
      if (!carriers(identity.token).empty()) return true;
    }
    return false;
  }

  ScratchDirectory scratch;
  LaunchOptions options;
  std::vector<ProcessIdentity> identities;
  LaunchOutcome outcome;
};

}  // namespace paretune::engine::testing
