#include <algorithm>
#include <array>
#include <set>

#include "paretune/core/text.hpp"
#include "space/section_detail.hpp"

namespace paretune::space::detail {

namespace {

using core::Node;

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

std::optional<Style> read_style(core::MappingReader& reader, const Node& node) {
  static const std::vector<std::string> kNames{"value", "equals", "presence", "no-prefix", "json"};
  static constexpr std::array kStyles{Style::Value, Style::Equals, Style::Presence, Style::NoPrefix,
                                      Style::Json};
  const auto found = std::find(kNames.begin(), kNames.end(), node.text);
  if (node.kind == Node::Kind::String && found != kNames.end()) {
    return kStyles[static_cast<std::size_t>(found - kNames.begin())];
  }
  reader.diagnostics().fault(
      node.position, reader.path_of("style"),
      "must be value, equals, presence, no-prefix or json, not " + core::describe(node),
      core::did_you_mean(node.text, kNames));
  return std::nullopt;
}

template <class T>
bool all_hold(const LevelList& list) {
  return std::all_of(list.levels.begin(), list.levels.end(),
                     [](const Level& level) { return std::holds_alternative<T>(level.value); });
}

/// Presence and no-prefix spell true and false only.
bool style_fits(Style style, const Domain& domain) {
  if (style != Style::Presence && style != Style::NoPrefix) return true;
  const auto* list = std::get_if<LevelList>(&domain);
  return list != nullptr && all_hold<bool>(*list);
}

}  // namespace

void check_name(const std::string& name, core::Position position, const std::string& path,
                core::Diagnostics& diagnostics) {
  static const std::set<std::string> kWords{"and", "or", "not", "in", "true", "false"};
  if (name.starts_with("-")) {
    diagnostics.fault(position, path, "'" + name + "' begins with a dash", "leave the dashes out");
  } else if (!is_name(name)) {
    diagnostics.fault(position, path, "'" + name + "' is no parameter name",
                      "a letter, then letters, digits, '-', '_' and '.'");
  } else if (kWords.count(name) > 0) {
    diagnostics.fault(position, path, "'" + name + "' is a word of expressions and cannot name a parameter");
  }
}

Common read_common(core::MappingReader& reader) {
  Common common;
  if (reader.string("when")) common.when = reader.get("when");
  common.when_path = reader.path_of("when");
  common.live = reader.boolean("live").value_or(false);
  common.doc = reader.string("doc").value_or("");
  if (const Node* style = reader.get("style")) {
    common.style_position = style->position;
    common.style = read_style(reader, *style);
  }
  return common;
}

void apply_common(const Common& common, const std::string& path, Parameter& parameter,
                  core::Diagnostics& diagnostics) {
  parameter.live = common.live;
  parameter.doc = common.doc;
  if (!common.style) return;
  parameter.style = *common.style;
  if (style_fits(parameter.style, parameter.domain)) return;
  diagnostics.fault(common.style_position, path + ".style", "this style is for true and false only",
                    "values: [true, false]");
}

void set_levels(Parameter& parameter, std::vector<Level> levels, std::optional<bool> ordered) {
  LevelList list{std::move(levels)};
  const bool numbers =
      !list.levels.empty() && std::all_of(list.levels.begin(), list.levels.end(),
                                          [](const Level& level) { return is_number(level.value); });
  parameter.ordered = ordered.value_or(numbers);
  if (!list.levels.empty() && all_hold<Nested>(list)) parameter.style = Style::Json;
  parameter.domain = std::move(list);
}

PossibleValues possible_values(const Domain& domain) {
  constexpr std::size_t kListed = 1000;
  PossibleValues possible;
  const std::optional<std::size_t> count = level_count(domain);
  if (!count) return {{std::get<RealRange>(domain).min}, false};
  possible.complete = *count <= kListed;
  for (std::size_t i = 0; i < std::min(*count, kListed); ++i)
    possible.values.push_back(level_at(domain, i).value);
  return possible;
}

Possibilities possibilities(const std::vector<Parameter>& parameters, const Configuration& fixed) {
  return [&parameters, &fixed](std::string_view name) -> PossibleValues {
    for (const Parameter& parameter : parameters) {
      if (parameter.name == name) return possible_values(parameter.domain);
    }
    const auto found = fixed.find(std::string(name));
    return found == fixed.end() ? PossibleValues{} : PossibleValues{{found->second}, true};
  };
}

}  // namespace paretune::space::detail
