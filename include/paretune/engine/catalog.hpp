// What is known about each kind of engine: default command, how model, host and port are passed, readiness,
// knobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/engine/engine_spec.hpp"

namespace paretune::engine {

struct Knob {
  std::string name;        ///< the engine's flag without leading dashes
  std::string short_name;  ///< of a flag with one dash ("ngl" for -ngl); empty if there is none
  std::string type;        ///< "integer", "real", "boolean", "choice", "text"
  std::string default_text;
  std::vector<std::string> choices;  ///< of a "choice"
  std::vector<std::string> levels;   ///< values worth trying, for suggestions
  space::Style style = space::Style::Value;
  std::string doc;   ///< one line
  bool hot = false;  ///< changes while running
};

struct EngineKind {
  Kind kind = Kind::Command;
  std::string title;
  std::vector<std::string> command;            ///< default argv prefix
  std::string model_flag;                      ///< "" = positional right after the command
  std::string host_flag, port_flag;            ///< with dashes; "" for kinds that take them from a template
  std::vector<std::string> default_args;       ///< added unless the study sets the same flag
  std::vector<std::string> served_name_flags;  ///< flags (without dashes) that name the model in the API
  space::Style boolean_style =
      space::Style::Value;  ///< how true and false are written where the study names no style
  std::string ready_path;
  double ready_timeout_s = 600;  ///< typical start-up time allows for weights loading and graph capture
  double stop_grace_s = 10;      ///< between TERM and KILL
  int default_port = 0;          ///< what the engine itself would take; paretune always passes one
  std::vector<std::string> help_args, version_args;  ///< empty = cannot be asked
  bool launchable = true;                            ///< false: only its configuration can be written so far
  std::string tested;                                ///< how far this kind has been run with paretune
  std::vector<Knob> knobs;
  std::vector<std::string> constraints;  ///< rules for people, e.g. "ubatch-size <= batch-size"
};

/// Facts of `configs/catalog/engines/KIND.json`, compiled in. Safe from many threads.
const EngineKind& engine_kind(Kind kind);

/// Flag words of a help text (argparse, CLI11, clap, llama-server), without dashes, sorted, each once. Short
/// ones only where they are one letter or known to the catalogue.
std::vector<std::string> flags_in_help(std::string_view help, const EngineKind& kind);

/// Flags that the installed program lists in its own help (without dashes). Runs `command --help` (vllm:
/// serve
/// --help=all) without a shell, at most `timeout_s`. @return Error{Environment} if it cannot be run.
core::Result<std::vector<std::string>> installed_flags(const EngineSpec& spec, double timeout_s);

/// First line of `command --version`, "" if it has none.
std::string installed_version(const EngineSpec& spec, double timeout_s);

}  // namespace paretune::engine
