// The simulated server as a program of its own, for tests of modules that must not depend on the command
// line: sim_server [--flag value | --flag=value | --boolean-flag]… ; exits 1 with a message when it cannot
// start.
#include <pthread.h>
#include <signal.h>

#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

#include "paretune/sim/server.hpp"

namespace {

paretune::core::Result<paretune::sim::SimOptions> read_options(int argc, char** argv) {
  paretune::sim::SimOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (!name.starts_with("--")) return paretune::core::invalid_input("unexpected argument '" + name + "'");
    name.erase(0, 2);
    std::string value;
    if (const auto equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.erase(equals);
    } else if (i + 1 < argc && !std::string(argv[i + 1]).starts_with("--")) {
      value = argv[++i];
    }
    if (auto set = paretune::sim::set_flag(options, name, value); !set.ok()) return set.error();
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = read_options(argc, argv);
  if (!options.ok()) {
    std::cerr << "error: " << options.error().message << '\n' << options.error().hint << '\n';
    return 2;
  }
  // Signals are taken by one thread, so that no handler runs in the middle of anything.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::stop_source stop;
  std::thread waiter([&] {
    int received = 0;
    sigwait(&signals, &received);
    stop.request_stop();
  });

  const auto served = paretune::sim::serve(*options, std::cout, std::cerr, stop.get_token());
  pthread_kill(waiter.native_handle(), SIGTERM);
  waiter.join();
  if (served.ok()) return 0;
  std::cerr << "error: " << served.error().message << '\n';
  return 1;
}
