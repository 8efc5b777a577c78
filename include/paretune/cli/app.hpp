// The command line: parses, runs one command, maps its outcome to an exit code. The only module that prints.
#pragma once

#include <iosfwd>

namespace paretune::cli {

/// Exit codes are a contract (docs/cli.md): scripts branch on them.
enum class ExitCode {
  Done = 0,
  Failed = 1,
  Usage = 2,            ///< usage or bad file
  NothingFeasible = 3,  ///< nothing meets the limits, or no usable point at all
  Environment = 4,      ///< engine missing, port, GPU, endpoint not reachable, directory not writable
  Regression = 5,
  Inconclusive = 6,
  Interrupted = 130,  ///< results kept
};

/// Where a command writes, and what that place can show.
struct Io {
  std::ostream& out;  ///< results
  std::ostream& err;  ///< progress, warnings, errors
  bool out_tty = false;
  bool err_tty = false;
  bool color = false;
  int width = 100;  ///< columns
};

/// Whole program without the process-wide set-up of main(). Never throws.
int run_app(int argc, const char* const* argv, Io& io);

/// Streams of this process, with terminal facts (NO_COLOR, TERM=dumb, COLUMNS honoured).
Io standard_io();

}  // namespace paretune::cli
