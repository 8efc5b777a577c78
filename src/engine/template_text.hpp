// {NAME} in the command and environment of `kind: command`. {{ and }} are literal braces; a brace that starts
// no name
// ({"a": 1}) stays as it is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paretune::engine {

/// Names in the order they occur, each as often as it occurs.
std::vector<std::string> names_in(std::string_view text);
bool mentions(std::string_view text, std::string_view name);

/// @param value  text of a name; nullopt = it has none now.
/// @return nullopt if a name had no value.
std::optional<std::string> fill(std::string_view text,
                                const std::function<std::optional<std::string>(const std::string&)>& value);

}  // namespace paretune::engine
