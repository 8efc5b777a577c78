// From a study's engine and one configuration to argv and environment. Pure.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/flag_text.hpp"
#include "engine/template_text.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::engine {
namespace {

/// Fixed arguments in file order, then the active restart parameters in space order. A parameter of the same
/// name as a fixed argument replaces it.
std::vector<FlagValue> flags_of(const EngineSpec& spec, const space::Space& space,
                                const space::Configuration& configuration) {
  std::vector<FlagValue> flags;
  for (const FixedArgument& argument : spec.args) {
    const space::Level& level = argument.level;
    flags.push_back({argument.name, level.value,
                     level.text.empty() ? space::to_text(level.value) : level.text, argument.style});
  }
  for (const space::Parameter& parameter : space.parameters()) {
    const auto found = configuration.find(parameter.name);
    if (parameter.live || found == configuration.end()) continue;
    flags.push_back(
        {parameter.name, found->second, space.text(parameter.name, found->second), parameter.style});
  }
  return flags;
}

void append(std::vector<std::string>& argv, std::vector<std::string> words) {
  argv.insert(argv.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
}

/// Defaults like --metrics, unless the study says anything about the same flag.
void append_defaults(std::vector<std::string>& argv, const EngineKind& kind, const EngineSpec& spec,
                     const space::Space& space) {
  for (std::size_t i = 0; i < kind.default_args.size(); ++i) {
    std::vector<std::string> words{kind.default_args[i]};
    while (i + 1 < kind.default_args.size() && !kind.default_args[i + 1].starts_with("-")) {
      words.push_back(kind.default_args[++i]);
    }
    const std::string name = words.front().substr(2);
    const bool fixed = std::any_of(spec.args.begin(), spec.args.end(),
                                   [&](const FixedArgument& argument) { return argument.name == name; });
    if (!fixed && space.find(name) == nullptr) append(argv, std::move(words));
  }
}

void plan_known_engine(LaunchPlan& plan, const EngineSpec& spec, const space::Space& space,
                       const std::vector<FlagValue>& flags) {
  const EngineKind& kind = engine_kind(spec.kind);
  plan.argv = spec.command;
  if (!spec.model.empty() && !kind.model_flag.empty()) plan.argv.push_back(kind.model_flag);
  if (!spec.model.empty()) plan.argv.push_back(spec.model);
  for (const FlagValue& flag : flags) append(plan.argv, flag_words(kind, flag));
  append(plan.argv, {kind.host_flag, plan.host, kind.port_flag, std::to_string(plan.port)});
  append_defaults(plan.argv, kind, spec, space);
  plan.env = spec.env;
}

/// Fills the template of `kind: command`.
class TemplatePlanner {
 public:
  TemplatePlanner(const EngineSpec& spec, const space::Space& space, const std::vector<FlagValue>& flags,
                  const LaunchPlan& plan)
      : spec_(spec), flags_(flags) {
    values_ = {{"port", std::to_string(plan.port)}, {"host", plan.host}, {"model", spec.model}};
    for (const FlagValue& flag : flags) values_[flag.name] = flag.text;
    for (const auto& [name, text] : values_) known_.push_back(name);
    for (const space::Parameter& parameter : space.parameters()) known_.push_back(parameter.name);
  }

  core::Result<void> plan(LaunchPlan& plan) {
    if (auto checked = check_names(); !checked) return checked;
    for (const std::string& word : spec_.command) append_word(plan.argv, word);
    for (const auto& [name, text] : spec_.env) {
      if (auto filled = fill(text, lookup())) plan.env[name] = std::move(*filled);
    }
    const EngineKind& kind = engine_kind(spec_.kind);
    for (const FlagValue& flag : flags_) {
      if (!used_.contains(flag.name)) append(plan.argv, flag_words(kind, flag));
    }
    return {};
  }

 private:
  std::function<std::optional<std::string>(const std::string&)> lookup() const {
    return [this](const std::string& name) {
      const auto found = values_.find(name);
      return found == values_.end() ? std::nullopt : std::optional(found->second);
    };
  }

  core::Result<void> check_names() {
    std::vector<std::string> texts = spec_.command;
    for (const auto& [name, text] : spec_.env) texts.push_back(text);
    for (const std::string& text : texts) {
      for (const std::string& name : names_in(text)) {
        used_.insert(name);
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        const std::string hint = core::did_you_mean(name, known_);
        return core::invalid_input("engine.command: '" + text + "' names an unknown parameter {" + name + "}",
                                   hint.empty() ? "write {{" + name + "}} for literal braces" : hint);
      }
    }
    return {};
  }

  /// A word with a parameter that is inactive now is left out, and with it the flag it belongs to: [--draft,
  /// "{draft}"].
  void append_word(std::vector<std::string>& argv, const std::string& word) const {
    if (auto filled = fill(word, lookup())) {
      argv.push_back(std::move(*filled));
      return;
    }
    const bool whole = word.starts_with("{") && word.ends_with("}");
    if (whole && argv.size() > 1 && argv.back().starts_with("-")) argv.pop_back();
  }

  const EngineSpec& spec_;
  const std::vector<FlagValue>& flags_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> known_;
  std::set<std::string> used_;
};

}  // namespace

core::Result<LaunchPlan> plan_launch(const EngineSpec& spec, const space::Space& space,
                                     const space::Configuration& configuration, int port) {
  if (spec.kind == Kind::Endpoint)
    return core::invalid_input("an endpoint that already runs cannot be launched");
  LaunchPlan plan;
  plan.host = spec.host;
  plan.port = spec.port.value_or(port);
  plan.ready_path = spec.ready_path.empty() ? engine_kind(spec.kind).ready_path : spec.ready_path;
  plan.ready_timeout_s = spec.ready_timeout_s;
  plan.stop_grace_s = spec.stop_grace_s;
  const std::vector<FlagValue> flags = flags_of(spec, space, configuration);
  if (spec.kind == Kind::Command) {
    if (auto planned = TemplatePlanner(spec, space, flags, plan).plan(plan); !planned) return planned.error();
  } else {
    plan_known_engine(plan, spec, space, flags);
  }
  return plan;
}

}  // namespace paretune::engine
