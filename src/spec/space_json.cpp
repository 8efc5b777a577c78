#include "spec/space_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "paretune/core/text.hpp"

namespace paretune::spec {

namespace {

using core::Json;
using space::Level;
using space::Parameter;

const char* word_of(space::Scale scale) {
  switch (scale) {
    case space::Scale::Linear:
      return "linear";
    case space::Scale::Log:
      return "log";
    case space::Scale::Log2:
      return "log2";
  }
  return "linear";
}

const char* word_of(space::Style style) {
  switch (style) {
    case space::Style::Value:
      return "value";
    case space::Style::Equals:
      return "equals";
    case space::Style::Presence:
      return "presence";
    case space::Style::NoPrefix:
      return "no-prefix";
    case space::Style::Json:
      return "json";
  }
  return "value";
}

Json levels_to_json(const std::vector<Level>& levels, const std::string& path, Spelling& spelling) {
  Json json = Json::array();
  for (const Level& level : levels) {
    note_spelling(level, path + "[" + std::to_string(json.size()) + "]", spelling);
    json.push_back(space::to_json(level.value));
  }
  return json;
}

void add_stepped(Json& json, const space::SteppedRange& range, space::Scale scale) {
  const auto number = [&](double value) {
    return range.integer ? Json(static_cast<std::int64_t>(value)) : Json(value);
  };
  json["min"] = number(range.min);
  json["max"] = number(range.max);
  // On a logarithmic scale the step is always 1 and cannot be written.
  if (scale == space::Scale::Linear) json["step"] = number(range.step);
  json["scale"] = word_of(scale);
  json["type"] = range.integer ? "integer" : "real";
}

void add_domain(Json& json, const Parameter& parameter, const std::string& path, Spelling& spelling) {
  if (const auto* list = std::get_if<space::LevelList>(&parameter.domain)) {
    json["values"] = levels_to_json(list->levels, path + ".values", spelling);
  } else if (const auto* stepped = std::get_if<space::SteppedRange>(&parameter.domain)) {
    add_stepped(json, *stepped, parameter.scale);
  } else if (const auto* power = std::get_if<space::PowerRange>(&parameter.domain)) {
    json["min"] = power->min;
    json["max"] = power->max;
    json["scale"] = "log2";
    json["type"] = "integer";
  } else if (const auto* real = std::get_if<space::RealRange>(&parameter.domain)) {
    json["min"] = real->min;
    json["max"] = real->max;
    json["scale"] = word_of(real->scale);
    json["type"] = "real";
  }
}

void add_common(Json& json, const Parameter& parameter) {
  if (parameter.when) json["when"] = parameter.when->text();
  if (!parameter.doc.empty()) json["doc"] = parameter.doc;
}

Json parameter_to_json(const Parameter& parameter, const std::string& path, Spelling& spelling) {
  Json json = Json::object();
  add_domain(json, parameter, path, spelling);
  if (level_count(parameter.domain)) json["ordered"] = parameter.ordered;
  json["style"] = word_of(parameter.style);
  add_common(json, parameter);
  return json;
}

Json link_to_json(const space::Space& space, const space::Link& link, const std::string& path,
                  Spelling& spelling) {
  Json json = Json::object();
  json["link"] = link.names;
  json["values"] = Json::array();
  for (std::size_t row = 0; row < link.rows.size(); ++row) {
    json["values"].push_back(
        levels_to_json(link.rows[row], path + ".values[" + std::to_string(row) + "]", spelling));
  }
  const Parameter& first = *space.find(link.names[0]);
  const bool one_style = std::all_of(link.names.begin(), link.names.end(), [&](const std::string& name) {
    return space.find(name)->style == first.style;
  });
  // Different styles come from the values (a nested one is JSON) and need no word.
  if (one_style) json["style"] = word_of(first.style);
  add_common(json, first);
  return json;
}

const space::Link* link_of(const space::Space& space, const std::string& name) {
  for (const space::Link& link : space.links()) {
    if (std::find(link.names.begin(), link.names.end(), name) != link.names.end()) return &link;
  }
  return nullptr;
}

}  // namespace

void note_spelling(const Level& level, const std::string& path, Spelling& spelling) {
  if (std::holds_alternative<double>(level.value) && space::to_json(level.value).dump() != level.text) {
    spelling[path] = level.text;
  }
}

Json space_to_json(const space::Space& space, Spelling& spelling) {
  Json json = Json::object();
  for (const Parameter& parameter : space.parameters()) {
    if (parameter.live) continue;
    const space::Link* link = link_of(space, parameter.name);
    const std::string key = link == nullptr ? parameter.name : core::join(link->names, "+");
    if (json.contains(key)) continue;
    const std::string path = "space." + key;
    json[key] = link == nullptr ? parameter_to_json(parameter, path, spelling)
                                : link_to_json(space, *link, path, spelling);
  }
  return json;
}

}  // namespace paretune::spec
