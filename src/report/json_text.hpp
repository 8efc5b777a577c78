// JSON to text that never throws: bytes that are no UTF-8 (logs, command lines) become U+FFFD.
#pragma once

#include <string>

#include "paretune/core/json.hpp"

namespace paretune::report {

/// @param indent  blanks per level; -1 = one line.
std::string json_text(const core::Json& json, int indent = -1);

}  // namespace paretune::report
