// What is known about each kind of engine: default command, how model, host and port are passed, readiness, knobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/engine/engine_spec.hpp"

namespace paretune::engine {

struct Knob {
  std::string name;        ///< the engine's flag without leading dashes
  std::string type;        ///< "integer", "real", "boolean", "choice", "text"
  std::string default_text;
  std::vector<std::string> choices;
  space::Style style = space::Style::Value;
  std::string doc;         ///< one line
  bool hot = false;        ///< changes while running
};

struct EngineKind {
  Kind kind = Kind::Command;
  std::string title;
  std::vector<std::string> command;   ///< default argv prefix
  std::string model_flag;             ///< "" = positional right after the command
  std::string host_flag, port_flag;
  std::string ready_path;
  double ready_timeout_s = 600;       ///< typical start-up time allows for weights loading and graph capture
  bool launchable = true;             ///< false: only its configuration can be written so far
  std::vector<Knob> knobs;
  std::vector<std::string> constraints;  ///< rules for people, e.g. "ubatch-size <= batch-size"
};

const EngineKind& engine_kind(Kind kind);

/// Flags that the installed program lists in its own help (without dashes). Runs `command --help` (vllm: serve
/// --help=all) without a shell, at most `timeout_s`. @return Error{Environment} if it cannot be run.
core::Result<std::vector<std::string>> installed_flags(const EngineSpec& spec, double timeout_s);

/// First line of `command --version`, "" if it has none.
std::string installed_version(const EngineSpec& spec, double timeout_s);

}  // namespace paretune::engine
