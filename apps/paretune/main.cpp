// paretune: see src/cli/app.cpp for the commands.
#include <csignal>

#include "paretune/cli/app.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is a write error, not a death
  paretune::cli::Io io = paretune::cli::standard_io();
  return paretune::cli::run_app(argc, argv, io);
}
