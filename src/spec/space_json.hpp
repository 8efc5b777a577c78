// The `space` section as it goes into study.json: it reads back to an equal space.
#pragma once

#include <string>

#include "paretune/core/json.hpp"
#include "paretune/space/space.hpp"
#include "spec/spelling.hpp"

namespace paretune::spec {

/// Restart parameters only: the live axis comes from the workload. Numbers that JSON would spell differently
/// are added to `spelling`.
core::Json space_to_json(const space::Space& space, Spelling& spelling);

/// Remembers the text of a real number at `path` if JSON would write another one.
void note_spelling(const space::Level& level, const std::string& path, Spelling& spelling);

}  // namespace paretune::spec
