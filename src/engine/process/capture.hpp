// Runs a short-lived program and takes what it prints; for --help, --version and device queries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/engine/failure.hpp"

namespace paretune::engine {

struct Captured {
  ExitStatus exit;
  std::string output;  ///< stdout and stderr as they came; at most 4 MiB
};

/// No shell, own session, nothing on its stdin. At the time limit it and its children get SIGKILL.
/// @return Error{Environment} if it cannot be started, Error{Timeout}.
core::Result<Captured> run_captured(const std::vector<std::string>& argv,
                                    const std::map<std::string, std::string>& environment, double timeout_s);

}  // namespace paretune::engine
