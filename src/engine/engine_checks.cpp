#include "engine/engine_checks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "engine/engine_command.hpp"
#include "engine/process/identity.hpp"
#include "engine/template_text.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

class Checker {
 public:
  Checker(const EngineSpec& spec, const core::Node& node, core::Diagnostics& diagnostics)
      : spec_(spec), node_(node), diagnostics_(diagnostics) {}

  void check() {
    if (spec_.kind == Kind::Endpoint) {
      check_endpoint();
    } else {
      check_launch();
    }
    check_environment_names();
    check_secrets();
  }

 private:
  core::Position position_of(std::string_view key) const {
    const core::Node* value = node_.find(key);
    return value == nullptr ? node_.position : value->position;
  }
  void fault(std::string_view key, std::string message, std::string hint = {}) {
    diagnostics_.fault(position_of(key), "engine." + std::string(key), std::move(message), std::move(hint));
  }
  bool given(std::string_view key) const { return node_.find(key) != nullptr; }

  void check_endpoint();
  void check_launch();
  void check_template();
  void check_model();
  void check_reserved_flags();
  void check_environment_names();
  void check_secrets();

  const EngineSpec& spec_;
  const core::Node& node_;
  core::Diagnostics& diagnostics_;
};

void Checker::check_endpoint() {
  if (spec_.url.empty()) {
    fault("url", "is missing",
          "kind endpoint needs the address of the running server, like http://127.0.0.1:8000");
  } else if (const auto base = load::normalise_base_url(spec_.url); !base) {
    fault("url", base.error().message, base.error().hint);
  }
  for (const char* key : {"command", "args", "env", "host", "port"}) {
    if (given(key)) fault(key, "has no meaning for kind endpoint", "nothing is started there");
  }
}

void Checker::check_launch() {
  if (given("url")) {
    fault("url", std::string("has no meaning for kind ") + to_string(spec_.kind),
          "use kind endpoint for a server that already runs");
  }
  if (spec_.kind == Kind::Command) {
    check_template();
  } else {
    check_reserved_flags();
  }
  check_model();
}

void Checker::check_template() {
  if (!given("command")) {
    fault("command", "is missing", "for example [my-server, --host, \"{host}\", --port, \"{port}\"]");
    return;
  }
  const auto mentions_port = [](const std::string& text) { return mentions(text, "port"); };
  bool has_port = std::any_of(spec_.command.begin(), spec_.command.end(), mentions_port);
  for (const auto& [name, value] : spec_.env) has_port = has_port || mentions_port(value);
  if (!has_port && !spec_.port && !spec_.command.empty()) {
    fault("command", "does not say where to listen",
          "put {port} into it, or set engine.port if the port is fixed");
  }
}

void Checker::check_model() {
  const bool needed = spec_.kind != Kind::Command && spec_.kind != Kind::Sim;
  if (needed && spec_.model.empty()) {
    fault("model", "is missing",
          spec_.kind == Kind::LlamaCpp ? "the path of a GGUF file" : "a model name or a directory");
    return;
  }
  const bool path = spec_.kind == Kind::LlamaCpp || spec_.model.starts_with("/") ||
                    spec_.model.starts_with("./") || spec_.model.starts_with("../") ||
                    spec_.model.starts_with("~");
  if (!needed || !path || runs_elsewhere(spec_.command)) return;
  if (access(spec_.model.c_str(), R_OK) != 0) {
    fault("model", "no such file: " + spec_.model,
          spec_.model.starts_with("~") ? "~ is not expanded: use ${HOME}" : "");
  }
}

void Checker::check_reserved_flags() {
  const EngineKind& facts = engine_kind(spec_.kind);
  const core::Node* args = node_.find("args");
  for (const FixedArgument& argument : spec_.args) {
    const char* key = nullptr;
    if ("--" + argument.name == facts.host_flag) key = "host";
    if ("--" + argument.name == facts.port_flag) key = "port";
    if ("--" + argument.name == facts.model_flag || (argument.name == "model" && spec_.kind != Kind::Command))
      key = "model";
    if (key == nullptr) continue;
    const core::Node* value = args == nullptr ? nullptr : args->find(argument.name);
    diagnostics_.fault(value == nullptr ? node_.position : value->position, "engine.args." + argument.name,
                       "is set by paretune itself", std::string("use engine.") + key);
  }
}

void Checker::check_environment_names() {
  for (const auto& [name, value] : spec_.env) {
    const bool usable = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                        std::all_of(name.begin(), name.end(), [](char c) {
                          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                        });
    if (!usable) fault("env", "'" + name + "' is no name of an environment variable");
    if (name == kTokenVariable || name == kOwnerVariable) fault("env", name + " is set by paretune itself");
  }
}

void Checker::check_secrets() {
  if (!spec_.ca_file.empty() && access(spec_.ca_file.c_str(), R_OK) != 0) {
    fault("ca_file", "cannot be read: " + spec_.ca_file);
  }
  if (!spec_.ca_file.empty() && spec_.insecure) {
    fault("insecure", "excludes ca_file", "keep the one you mean");
  }
  if (!spec_.api_key_env.empty() && std::getenv(spec_.api_key_env.c_str()) == nullptr) {
    fault("api_key_env", "the environment variable " + spec_.api_key_env + " is not set",
          "it holds the key itself; engine.api_key_env holds only its name");
  }
}

}  // namespace

void check_engine(const EngineSpec& spec, const core::Node& node, core::Diagnostics& diagnostics) {
  Checker(spec, node, diagnostics).check();
}

}  // namespace paretune::engine
