// How one flag is spelled on a command line (design §4, styles).
#pragma once

#include <string>
#include <vector>

#include "paretune/engine/catalog.hpp"

namespace paretune::engine {

struct FlagValue {
  std::string name;
  space::Value value;
  std::string text;  ///< of the value, as written in the study
  space::Style style = space::Style::Value;
};

/// "--name"; "-name" for the short names that the catalogue knows (-ngl).
std::string dashed(const EngineKind& kind, const std::string& name);

/// The argv words of one flag. A boolean without a style of its own follows the catalogue: of the knob, else
/// of the engine (`--x` / `--no-x`, or `--x` / nothing), because `--x true` is an error for most engines.
std::vector<std::string> flag_words(const EngineKind& kind, const FlagValue& flag);

}  // namespace paretune::engine
