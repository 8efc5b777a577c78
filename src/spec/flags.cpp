// Flags of the study against the flags that the installed program lists.
#include <algorithm>

#include "paretune/core/text.hpp"
#include "paretune/spec/study_spec.hpp"

namespace paretune::spec {

namespace {

/// These programs take --max_num_seqs for --max-num-seqs.
bool takes_underscores(engine::Kind kind) {
  return kind == engine::Kind::Vllm || kind == engine::Kind::LlamaCpp || kind == engine::Kind::Sim;
}

/// The part of a name that the help lists.
std::string listed_form(const std::string& name, engine::Kind kind) {
  std::string form = name;
  // vLLM sets members of its JSON flags with dots: --compilation-config.level.
  if (kind == engine::Kind::Vllm) form.resize(std::min(form.find('.'), form.size()));
  if (takes_underscores(kind)) std::replace(form.begin(), form.end(), '_', '-');
  return form;
}

void check_flag(const std::string& name, const std::string& section, const StudySpec& spec,
                const std::vector<std::string>& installed, core::Diagnostics& diagnostics) {
  const std::string form = listed_form(name, spec.engine.kind);
  const auto is_it = [&](const std::string& flag) { return listed_form(flag, spec.engine.kind) == form; };
  if (std::any_of(installed.begin(), installed.end(), is_it)) return;
  const auto position = spec.positions.find(section + name);
  diagnostics.fault(
      position == spec.positions.end() ? core::Position{} : position->second, section + name,
      "the installed " + std::string(engine::to_string(spec.engine.kind)) + " has no flag --" + name,
      core::did_you_mean(name, installed));
}

}  // namespace

core::Result<void> check_flags(const StudySpec& spec, const std::vector<std::string>& installed_flags) {
  const engine::Kind kind = spec.engine.kind;
  if (installed_flags.empty() || kind == engine::Kind::Command || kind == engine::Kind::Endpoint) return {};
  core::Diagnostics diagnostics;
  for (const engine::FixedArgument& argument : spec.engine.args) {
    check_flag(argument.name, "engine.args.", spec, installed_flags, diagnostics);
  }
  for (const space::Parameter& parameter : spec.space.parameters()) {
    if (!parameter.live) check_flag(parameter.name, "space.", spec, installed_flags, diagnostics);
  }
  if (diagnostics.ok()) return {};
  return diagnostics.to_error(spec.file);
}

}  // namespace paretune::spec
