// Values of parameters and the two parts of a point: configuration (restart parameters) and live setting.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "paretune/core/json.hpp"

namespace paretune::space {

/// A nested value (mapping or list), handed to the engine as one JSON argument. Canonical: keys sorted, no
/// blanks.
struct Nested {
  std::string json;
  auto operator<=>(const Nested&) const = default;
};

/// One parameter value. Integer 1 and real 1.0 are different values; a parameter holds one kind (or both as
/// numbers).
using Value = std::variant<bool, std::int64_t, double, std::string, Nested>;

/// Active restart parameters by name; an inactive parameter (its `when` is false) is absent, so that two
/// equal configurations are the same server.
using Configuration = std::map<std::string, Value>;

/// What can change without a restart: {"concurrency": 8} or {"rate": 2.5}, and live parameters of ask-tell.
using LiveSetting = std::map<std::string, Value>;

struct Point {
  Configuration configuration;
  LiveSetting live;
  auto operator<=>(const Point&) const = default;
};

bool is_number(const Value& value);
/// @throws std::invalid_argument if it is no number.
double as_number(const Value& value);
/// Shortest text: true/false, 0.95, the string itself, the JSON. (Space::text gives the form written in the
/// file.)
std::string to_text(const Value& value);

core::Json to_json(const Value& value);
core::Json to_json(const std::map<std::string, Value>& values);
/// Objects and arrays become Nested. @throws std::invalid_argument for null.
Value value_from_json(const core::Json& json);
std::map<std::string, Value> values_from_json(const core::Json& json);

/// "parallel=2 threads=1" for messages; "(defaults)" when empty.
std::string describe(const std::map<std::string, Value>& values);

/// First 12 hex digits of the content hash of the canonical JSON: the identity of a configuration.
std::string configuration_id(const Configuration& configuration);

}  // namespace paretune::space
