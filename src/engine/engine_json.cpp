// The `engine` section as it goes into study.json: it loads back to an equal spec.
#include <nlohmann/json.hpp>

#include "engine/engine_command.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

using core::Json;

const char* style_word(space::Style style) {
  switch (style) {
    case space::Style::Equals:
      return "equals";
    case space::Style::Presence:
      return "presence";
    case space::Style::NoPrefix:
      return "no-prefix";
    case space::Style::Json:
      return "json";
    case space::Style::Value:
      break;
  }
  return "value";
}

Json args_json(const EngineSpec& spec) {
  Json args = Json::object();
  for (const FixedArgument& argument : spec.args) {
    const Json value = space::to_json(argument.level.value);
    if (argument.style == space::Style::Value) {
      args[argument.name] = value;
    } else {
      args[argument.name] = {{"value", value}, {"style", style_word(argument.style)}};
    }
  }
  return args;
}

void add_address(Json& json, const EngineSpec& spec) {
  if (spec.kind == Kind::Endpoint) {
    json["url"] = spec.url;
  } else {
    json["host"] = spec.host;
    if (spec.port) json["port"] = *spec.port;
  }
  json["api"] = spec.api == load::Api::Chat ? "chat" : "completions";
  if (!spec.headers.empty()) json["headers"] = spec.headers;
  if (!spec.api_key_env.empty()) json["api_key_env"] = spec.api_key_env;
  if (!spec.ca_file.empty()) json["ca_file"] = spec.ca_file;
  if (spec.insecure) json["insecure"] = true;
}

}  // namespace

Json to_json(const EngineSpec& spec) {
  Json json = {{"kind", to_string(spec.kind)}};
  if (spec.command != default_command(spec.kind)) json["command"] = spec.command;
  if (!spec.model.empty()) json["model"] = spec.model;
  if (!spec.args.empty()) json["args"] = args_json(spec);
  if (!spec.env.empty()) json["env"] = spec.env;
  if (!spec.gpus_text.empty()) json["gpus"] = spec.gpus_text;
  json["ready"] = {{"timeout", spec.ready_timeout_s}};
  if (!spec.ready_path.empty()) json["ready"]["path"] = spec.ready_path;
  json["stop"] = {{"grace", spec.stop_grace_s}};
  add_address(json, spec);
  if (!spec.device.empty()) json["device"] = spec.device;
  if (spec.device_count) json["device_count"] = *spec.device_count;
  return json;
}

}  // namespace paretune::engine
