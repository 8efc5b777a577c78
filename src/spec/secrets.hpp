// Keeps secrets out of study.json: finds the texts of a study that hold one and what may stand for them on
// the disk.
#pragma once

#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/core/document.hpp"
#include "paretune/core/json.hpp"
#include "paretune/spec/study_spec.hpp"

namespace paretune::spec {

/// Call before ${NAME} is replaced. A text holds a secret if it uses a variable of a secret-looking name, or
/// stands under a secret-looking key of engine.env, engine.headers or engine.args, or after such a flag in
/// engine.command. One that is written out in the file gets a ${NAME} made from its key, and a warning. The
/// values are still empty.
std::vector<SecretText> find_secrets(const core::Document& document, core::Diagnostics& diagnostics);

/// Call after ${NAME} was replaced: fills the values in. Numbers among them become texts, so that 0123 stays
/// as it is.
void resolve_secrets(core::Document& document, std::vector<SecretText>& secrets);

/// The same for a study that is only looked at: the texts keep their references, whatever the environment
/// holds.
void keep_references(core::Document& document, std::vector<SecretText>& secrets);

/// Writes the references in place of the secrets, and $${ for every other ${, which is literal by now.
void hide_secrets(core::Json& study, const std::vector<SecretText>& secrets);

}  // namespace paretune::spec
