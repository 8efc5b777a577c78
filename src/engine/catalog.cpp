#include "paretune/engine/catalog.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engine/catalog_data.hpp"
#include "paretune/core/units.hpp"

namespace paretune::engine {
namespace {

using core::Json;

space::Style style_from(const std::string& word) {
  if (word == "presence") return space::Style::Presence;
  if (word == "no-prefix") return space::Style::NoPrefix;
  if (word == "equals") return space::Style::Equals;
  if (word == "json") return space::Style::Json;
  if (word == "value") return space::Style::Value;
  throw std::logic_error("engine catalogue: unknown style '" + word + "'");
}

std::vector<std::string> texts(const Json& json) {
  std::vector<std::string> list;
  for (const Json& item : json) {
    list.push_back(item.is_string() ? item.get<std::string>() : core::format_number(item.get<double>()));
  }
  return list;
}

std::vector<std::string> texts_at(const Json& json, const char* key) {
  return json.contains(key) ? texts(json.at(key)) : std::vector<std::string>{};
}

Knob knob_from(const Json& json, space::Style boolean_style) {
  Knob knob;
  knob.name = json.at("name");
  knob.short_name = json.value("short", "");
  knob.type = json.at("type");
  knob.default_text = json.at("default");
  knob.choices = texts_at(json, "choices");
  knob.levels = texts_at(json, "levels");
  knob.doc = json.at("doc");
  knob.hot = json.value("hot", false);
  if (knob.type == "boolean") knob.style = boolean_style;
  if (json.contains("style")) knob.style = style_from(json.at("style"));
  return knob;
}

EngineKind kind_facts(const Json& json) {
  EngineKind facts;
  const std::string word = json.at("kind");
  const auto kind = kind_from(word);
  if (!kind) throw std::logic_error("engine catalogue: unknown kind '" + word + "'");
  facts.kind = *kind;
  facts.title = json.at("title");
  facts.tested = json.at("tested");
  facts.command = texts_at(json, "command");
  facts.model_flag = json.at("model_flag");
  facts.host_flag = json.at("host_flag");
  facts.port_flag = json.at("port_flag");
  facts.default_args = texts_at(json, "default_args");
  facts.served_name_flags = texts_at(json, "served_name_flags");
  facts.boolean_style = style_from(json.at("boolean_style"));
  facts.ready_path = json.at("ready_path");
  facts.ready_timeout_s = json.at("ready_timeout_s");
  facts.stop_grace_s = json.at("stop_grace_s");
  facts.default_port = json.at("default_port");
  facts.help_args = texts_at(json, "help");
  facts.version_args = texts_at(json, "version");
  facts.launchable = json.value("launchable", true);
  facts.constraints = texts_at(json, "constraints");
  for (const Json& knob : json.at("knobs")) facts.knobs.push_back(knob_from(knob, facts.boolean_style));
  return facts;
}

std::map<Kind, EngineKind> read_catalog() {
  std::map<Kind, EngineKind> catalog;
  for (const std::string_view text : catalog_texts()) {
    EngineKind facts = kind_facts(Json::parse(text));
    catalog.emplace(facts.kind, std::move(facts));
  }
  return catalog;
}

}  // namespace

const EngineKind& engine_kind(Kind kind) {
  static const std::map<Kind, EngineKind> catalog = read_catalog();
  return catalog.at(kind);
}

}  // namespace paretune::engine
