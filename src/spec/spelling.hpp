// Keeps numbers spelled as in the study file over a trip through JSON: 1.10 would come back as 1.1, and the
// server would get another argument after a resume. study.json lists such texts under `as_written`.
#pragma once

#include <map>
#include <string>

#include "paretune/core/document.hpp"

namespace paretune::spec {

/// Text of a number by its path in the study: {"space.version.values[0]": "1.10"}.
using Spelling = std::map<std::string, std::string>;

/// Gives the numbers of `document` the texts of its `as_written`. One that says another number than the
/// document is stale (a --set came after it) and has no effect.
void apply_spelling(core::Document& document);

}  // namespace paretune::spec
