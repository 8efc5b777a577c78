// What must hold before anything starts: the engine program, model file, flags, endpoint, file descriptors.
#pragma once

#include <string>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/spec/study_spec.hpp"

namespace paretune::cli {

struct Check {
  std::string name;
  enum class State { Ok, Warning, Fault } state = State::Ok;
  std::string detail;
  core::Error error;  ///< for Fault: what tune would say
};

/// Full path of a program as execvp would find it; "" if it is not there or not executable.
std::string find_program(const std::string& name);

/// Everything that can be known without starting a server. May run `engine --help` (bounded).
std::vector<Check> check_study_environment(const spec::StudySpec& spec);

/// The first fault, if any.
core::Result<void> first_fault(const std::vector<Check>& checks);

}  // namespace paretune::cli
