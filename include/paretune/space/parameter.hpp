// One tunable parameter: its domain, how it is written on a command line, when it is active.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "paretune/space/expression.hpp"
#include "paretune/space/value.hpp"

namespace paretune::space {

enum class Scale { Linear, Log, Log2 };

// GCC calls a scoped enumerator a shadow of the type of the same name, which it cannot hide.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// How the engine's command line spells the parameter (design §4).
enum class Style {
  Value,     ///< --name value (default)
  Equals,    ///< --name=value
  Presence,  ///< true: --name, false: nothing
  NoPrefix,  ///< true: --name, false: --no-name
  Json,      ///< --name '{"a":1}'
};
#pragma GCC diagnostic pop

struct Level {
  Value value;
  std::string text;  ///< as written in the study file ("1.10")
};

/// Explicit values in file order.
struct LevelList {
  std::vector<Level> levels;
};

/// min, min + step, … <= max, computed as min + i*step and rounded to the decimals of min and step.
struct SteppedRange {
  double min = 0, max = 0, step = 1;
  bool integer = true;
  int decimals = 0;       ///< digits after the point in the texts
  std::size_t count = 0;  ///< number of levels
};

/// Integers min*2^k <= max (scale log2 over integers): equally spaced on a log2 axis.
struct PowerRange {
  std::int64_t min = 1, max = 1;
  std::size_t count = 0;
};

/// Any real in [min, max].
struct RealRange {
  double min = 0, max = 1;
  Scale scale = Scale::Linear;
};

using Domain = std::variant<LevelList, SteppedRange, PowerRange, RealRange>;

/// @return number of levels; nullopt for a continuous domain.
std::optional<std::size_t> level_count(const Domain& domain);
/// @throws std::out_of_range for a bad index, std::invalid_argument for a continuous domain.
Level level_at(const Domain& domain, std::size_t index);
/// Index of an equal value (numbers compare by value); nullopt if absent.
std::optional<std::size_t> level_index(const Domain& domain, const Value& value);

struct Parameter {
  std::string name;
  Domain domain;
  bool ordered = true;  ///< lists of numbers are ordered, lists of strings are not
  Scale scale = Scale::Linear;
  bool live = false;  ///< may change without a restart
  Style style = Style::Value;
  std::optional<Expression> when;  ///< inactive where false
  std::string doc;
};

}  // namespace paretune::space
