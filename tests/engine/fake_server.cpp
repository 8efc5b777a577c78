// A scripted server program for the tests of launch, readiness and stop. It serves the OpenAI API over real
// HTTP and misbehaves as its flags say. An unknown flag ends it as argparse would.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <thread>

#include "support/stub_server.hpp"

namespace {

using paretune::testing::StubReply;
using paretune::testing::StubRequest;
using paretune::testing::StubServer;

using Flags = std::map<std::string, std::string>;

const Flags kDefaults = {
    {"port", "0"},           {"host", "127.0.0.1"}, {"model", "fake"},
    {"print", ""},       // a line on stderr at the start
    {"print-file", ""},  // a file copied to stderr at the start
    {"log-bytes", "0"},  // of numbered lines at the start
    {"exit-after-ms", "-1"}, {"exit-code", "0"},    {"signal", "0"},
    {"mute", "false"},        // never listens
    {"ready-after-ms", "0"},  // 503 before that
    {"health", "200"},       {"generate", "200"},   {"ignore-term", "false"},
    {"family", "false"},  // a child in the group and a grandchild in a session of its own
    {"port-taken", ""},   // file that counts tries; the first one fails with "address already in use"
    {"die-after", "-1"},  // requests, then SIGABRT
    {"slots", "1"},
};

Flags read_flags(int argc, char** argv) {
  Flags flags = kDefaults;
  for (int i = 1; i < argc; ++i) {
    const std::string name = std::string(argv[i]).substr(std::string(argv[i]).find_first_not_of('-'));
    if (!flags.contains(name)) {
      std::cerr << "usage: fake-serve [-h] [--port PORT] [--slots N]\n"
                << "fake-serve: error: unrecognized arguments: " << argv[i] << std::endl;
      std::exit(2);
    }
    flags[name] = i + 1 < argc ? argv[++i] : "";
  }
  return flags;
}

void start_family() {
  if (fork() == 0) {
    if (fork() == 0) setsid();
    while (true) pause();
  }
}

void end_after(const Flags& flags) {
  const int wait_ms = std::stoi(flags.at("exit-after-ms"));
  if (wait_ms < 0) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
  if (const int number = std::stoi(flags.at("signal")); number != 0) {
    signal(number, SIG_DFL);  // a sanitizer's handler would turn it into another death
    raise(number);
  }
  std::_Exit(std::stoi(flags.at("exit-code")));
}

void print_start(const Flags& flags) {
  if (!flags.at("print").empty()) std::cerr << flags.at("print") << std::endl;
  if (!flags.at("print-file").empty())
    std::cerr << std::ifstream(flags.at("print-file")).rdbuf() << std::flush;
  const long bytes = std::stol(flags.at("log-bytes"));
  for (long written = 0, line = 0; written < bytes; written += 40, ++line) std::printf("line %034ld\n", line);
  std::fflush(stdout);
}

/// Fails like a server whose port somebody took between our probe and its bind.
void maybe_lose_port(const std::string& counter) {
  if (counter.empty()) return;
  const int file = open(counter.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  std::cerr << "OSError: [Errno 98] Address already in use" << std::endl;
  std::_Exit(1);
}

class Script {
 public:
  explicit Script(Flags flags) : flags_(std::move(flags)), start_(std::chrono::steady_clock::now()) {}

  StubReply operator()(const StubRequest& request) {
    const auto up_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_);
    if (up_ms.count() < std::stol(flags_.at("ready-after-ms"))) {
      return paretune::testing::json_reply(503, R"({"error": {"message": "Loading model", "code": 503}})");
    }
    if (request.target == "/health")
      return paretune::testing::json_reply(std::stoi(flags_.at("health")), "{}");
    if (request.target == "/v1/models") {
      return paretune::testing::json_reply(
          200, R"({"object": "list", "data": [{"id": ")" + flags_.at("model") + "\"}]}");
    }
    const int die_after = std::stoi(flags_.at("die-after"));
    if (die_after >= 0 && served_++ >= die_after) raise(SIGABRT);
    if (const int status = std::stoi(flags_.at("generate")); status != 200) {
      return paretune::testing::json_reply(status, R"({"error": {"message": "no such luck"}})");
    }
    return paretune::testing::chat_stream(1);
  }

 private:
  Flags flags_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<int> served_{0};
};

}  // namespace

int main(int argc, char** argv) {
  const Flags flags = read_flags(argc, argv);
  if (flags.at("ignore-term") == "true") signal(SIGTERM, SIG_IGN);
  print_start(flags);
  maybe_lose_port(flags.at("port-taken"));
  if (flags.at("family") == "true") start_family();
  if (flags.at("mute") == "true") {
    end_after(flags);
    while (true) pause();
  }
  Script script(flags);
  const StubServer server([&script](const StubRequest& request) { return script(request); },
                          std::stoi(flags.at("port")));
  end_after(flags);
  while (true) pause();
}
