// The argv prefix of an engine: its default, and what a study's own prefix needs to be whole.
#pragma once

#include <string>
#include <vector>

#include "paretune/engine/engine_spec.hpp"

namespace paretune::engine {

/// For `sim` the path of the running program, so that a study needs no installed one.
std::vector<std::string> default_command(Kind kind);

/// Adds the subcommand where only the program was named: [/opt/bin/vllm] -> [/opt/bin/vllm, serve].
std::vector<std::string> completed_command(Kind kind, std::vector<std::string> command);

/// Does the first word start something elsewhere (docker, ssh, srun …)? Then files named in the study are not
/// ours to look for.
bool runs_elsewhere(const std::vector<std::string>& command);

}  // namespace paretune::engine
