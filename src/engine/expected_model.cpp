// Under which name a server will list its model.
#include <filesystem>

#include "engine/readiness.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

/// Text of the first of these flags that the study sets.
std::optional<std::string> text_of_flag(const std::vector<std::string>& names, const EngineSpec& spec,
                                        const space::Configuration& configuration) {
  for (const std::string& name : names) {
    if (const auto found = configuration.find(name); found != configuration.end())
      return space::to_text(found->second);
    for (const FixedArgument& argument : spec.args) {
      if (argument.name == name) return space::to_text(argument.level.value);
    }
  }
  return std::nullopt;
}

bool lists_what_it_was_given(Kind kind) {
  return kind == Kind::Vllm || kind == Kind::Sim || kind == Kind::Endpoint;
}

}  // namespace

void expect_models(ReadinessRequest& request, const EngineSpec& spec,
                   const space::Configuration& configuration) {
  if (const auto name = text_of_flag(engine_kind(spec.kind).served_name_flags, spec, configuration)) {
    request.expected_models = {*name};
    return;
  }
  if (spec.model.empty()) return;
  const std::filesystem::path path(spec.model);
  request.expected_models = {spec.model};
  if (lists_what_it_was_given(spec.kind)) return;
  request.expected_models.push_back(path.filename().string());
  request.expected_models.push_back(path.stem().string());
  // For a program we know nothing about the model is a name, unless it is a file here: then it may be listed
  // anyhow.
  std::error_code error;
  request.only_listed_will_do = spec.kind != Kind::Command || std::filesystem::exists(path, error);
}

}  // namespace paretune::engine
