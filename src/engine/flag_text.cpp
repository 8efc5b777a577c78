#include "engine/flag_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace paretune::engine {
namespace {

using space::Style;

Style effective_style(const EngineKind& kind, const FlagValue& flag) {
  if (flag.style != Style::Value) return flag.style;
  const auto knob = std::find_if(kind.knobs.begin(), kind.knobs.end(),
                                 [&](const Knob& entry) { return entry.name == flag.name; });
  if (std::holds_alternative<bool>(flag.value))
    return knob == kind.knobs.end() ? kind.boolean_style : knob->style;
  return Style::Value;
}

}  // namespace

std::string dashed(const EngineKind& kind, const std::string& name) {
  const bool is_short = std::any_of(kind.knobs.begin(), kind.knobs.end(),
                                    [&](const Knob& knob) { return knob.short_name == name; });
  return (is_short ? "-" : "--") + name;
}

std::vector<std::string> flag_words(const EngineKind& kind, const FlagValue& flag) {
  const std::string name = dashed(kind, flag.name);
  const bool* on = std::get_if<bool>(&flag.value);
  switch (effective_style(kind, flag)) {
    case Style::Equals:
      return {name + "=" + flag.text};
    case Style::Json:
      return {name, space::to_json(flag.value).dump()};
    case Style::Presence:
      if (on == nullptr) break;
      return *on ? std::vector{name} : std::vector<std::string>{};
    case Style::NoPrefix:
      if (on == nullptr) break;
      return {*on ? name : dashed(kind, "no-" + flag.name)};
    case Style::Value:
      break;
  }
  return {name, flag.text};
}

}  // namespace paretune::engine
