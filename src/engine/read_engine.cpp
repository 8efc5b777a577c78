// The `engine` section: every key of design §4, all faults together.
#include "engine/engine_checks.hpp"
#include "engine/engine_command.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

using core::Node;

std::optional<space::Style> style_from(const std::string& word) {
  if (word == "value") return space::Style::Value;
  if (word == "equals") return space::Style::Equals;
  if (word == "presence") return space::Style::Presence;
  if (word == "no-prefix") return space::Style::NoPrefix;
  if (word == "json") return space::Style::Json;
  return std::nullopt;
}

class EngineReader {
 public:
  EngineReader(const Node& node, core::Diagnostics& diagnostics)
      : node_(node), reader_(node, "engine", diagnostics), diagnostics_(diagnostics) {}

  EngineSpec read();

 private:
  void fault(const Node& node, std::string_view key, std::string message, std::string hint = {}) {
    diagnostics_.fault(node.position, reader_.path_of(key), std::move(message), std::move(hint));
  }
  bool read_kind();
  void read_command();
  void read_args();
  void read_argument(const core::Member& member);
  std::map<std::string, std::string> read_texts(std::string_view key);
  void read_gpus();
  void read_api();
  void read_sections();
  void read_address();

  const Node& node_;
  core::MappingReader reader_;
  core::Diagnostics& diagnostics_;
  EngineSpec spec_;
};

bool EngineReader::read_kind() {
  const Node* node = reader_.required("kind");
  const auto word = reader_.string("kind");
  if (node == nullptr || !word) return false;
  const auto kind = kind_from(*word);
  if (!kind) {
    const std::string hint = core::did_you_mean(*word, kind_names());
    fault(*node, "kind", "unknown engine '" + *word + "'",
          hint.empty() ? "kinds are " + core::join(kind_names(), ", ") : hint);
    return false;
  }
  spec_.kind = *kind;
  return true;
}

void EngineReader::read_command() {
  const Node* node = reader_.get("command");
  if (node == nullptr) {
    spec_.command = default_command(spec_.kind);
    return;
  }
  if (node->kind == Node::Kind::String) {
    const std::string_view text = core::trim(node->text);
    if (text.find_first_of(" \t\n") != std::string_view::npos) {
      std::vector<std::string> words;
      for (const std::string& word : core::split(text, ' ')) {
        if (!core::trim(word).empty()) words.push_back(word);
      }
      fault(*node, "command", "is one text with blanks, but no shell will split it",
            "write the list [" + core::join(words, ", ") + "]");
      return;
    }
  }
  const auto words = reader_.strings("command");
  if (!words) return;
  if (words->empty() || words->front().empty()) {
    fault(*node, "command", "is empty", "leave it out for the default of the kind");
    return;
  }
  spec_.command = completed_command(spec_.kind, *words);
}

void EngineReader::read_argument(const core::Member& member) {
  const std::string path = reader_.path_of("args") + "." + member.key;
  FixedArgument argument;
  argument.name = member.key;
  if (member.key.starts_with("-")) {
    const std::size_t start = member.key.find_first_not_of('-');
    diagnostics_.fault(member.position, path, "flags are written without their dashes",
                       start == std::string::npos ? "" : "write " + member.key.substr(start));
    return;
  }
  const Node* value = &member.value;
  if (const Node* inner = value->find("value"); inner != nullptr) {  // {value: …, style: …}
    core::MappingReader entry(*value, path, diagnostics_);
    entry.get("value");
    if (const auto word = entry.string("style")) {
      const auto style = style_from(*word);
      if (!style) {
        diagnostics_.fault(value->find("style")->position, path + ".style", "unknown style '" + *word + "'",
                           "styles are value, equals, presence, no-prefix, json");
      }
      argument.style = style.value_or(space::Style::Value);
    }
    entry.finish();
    value = inner;
  }
  auto level = space::read_level(*value, path, diagnostics_);
  if (!level) return;
  argument.level = std::move(*level);
  spec_.args.push_back(std::move(argument));
}

void EngineReader::read_args() {
  const Node* node = reader_.get("args");
  if (node == nullptr || node->kind == Node::Kind::Null) return;
  if (node->kind != Node::Kind::Mapping) {
    fault(*node, "args", "must be a mapping of flags to values, not " + core::describe(*node),
          "for example {ctx-size: 4096}");
    return;
  }
  for (const core::Member& member : node->members) read_argument(member);
}

std::map<std::string, std::string> EngineReader::read_texts(std::string_view key) {
  std::map<std::string, std::string> texts;
  const Node* node = reader_.get(key);
  if (node == nullptr || node->kind == Node::Kind::Null) return texts;
  if (node->kind != Node::Kind::Mapping) {
    fault(*node, key, "must be a mapping of names to texts, not " + core::describe(*node));
    return texts;
  }
  for (const core::Member& member : node->members) {
    const bool usable = member.value.is_scalar() && member.value.kind != Node::Kind::Null;
    if (usable) texts[member.key] = member.value.text;
    if (!usable) {
      diagnostics_.fault(member.value.position, reader_.path_of(key) + "." + member.key,
                         "must be a text, not " + core::describe(member.value), "\"\" is the empty text");
    }
  }
  return texts;
}

void EngineReader::read_gpus() {
  const Node* node = reader_.get("gpus");
  if (node == nullptr || node->kind == Node::Kind::Null) return;
  if (node->is_number() && node->real < 0) fault(*node, "gpus", "must not be negative, not " + node->text);
  if (node->is_number() || node->kind == Node::Kind::String) {
    spec_.gpus_text = node->text;
  } else {
    fault(*node, "gpus", "must be a number or an expression over the space, not " + core::describe(*node));
  }
}

void EngineReader::read_api() {
  const auto word = reader_.string("api");
  if (!word || *word == "chat") return;
  spec_.api = load::Api::Completions;
  if (*word != "completions")
    fault(*reader_.get("api"), "api", "unknown API '" + *word + "'", "chat or completions");
}

void EngineReader::read_sections() {
  if (const Node* ready = reader_.get("ready"); ready != nullptr) {
    core::MappingReader section(*ready, reader_.path_of("ready"), diagnostics_);
    spec_.ready_path = section.string("path").value_or("");
    spec_.ready_timeout_s = section.duration_s("timeout").value_or(spec_.ready_timeout_s);
    section.finish();
    if (!spec_.ready_path.empty() && spec_.ready_path.front() != '/') spec_.ready_path.insert(0, 1, '/');
  }
  if (const Node* stop = reader_.get("stop"); stop != nullptr) {
    core::MappingReader section(*stop, reader_.path_of("stop"), diagnostics_);
    spec_.stop_grace_s = section.duration_s("grace").value_or(spec_.stop_grace_s);
    section.finish();
  }
}

void EngineReader::read_address() {
  spec_.host = reader_.string("host").value_or(spec_.host);
  if (const auto port = reader_.integer("port", 1, 65535)) spec_.port = static_cast<int>(*port);
  spec_.url = reader_.string("url").value_or("");
  spec_.headers = read_texts("headers");
  spec_.api_key_env = reader_.string("api_key_env").value_or("");
  spec_.ca_file = reader_.string("ca_file").value_or("");
  spec_.insecure = reader_.boolean("insecure").value_or(false);
}

EngineSpec EngineReader::read() {
  const bool known = read_kind();
  if (known) {
    spec_.ready_timeout_s = engine_kind(spec_.kind).ready_timeout_s;
    spec_.stop_grace_s = engine_kind(spec_.kind).stop_grace_s;
  }
  read_command();
  spec_.model = reader_.string("model").value_or("");
  read_args();
  spec_.env = read_texts("env");
  read_gpus();
  read_api();
  read_sections();
  read_address();
  spec_.device = reader_.string("device").value_or("");
  if (const auto count = reader_.integer("device_count", 1, 1 << 20))
    spec_.device_count = static_cast<int>(*count);
  reader_.finish();
  if (known) check_engine(spec_, node_, diagnostics_);
  return spec_;
}

}  // namespace

EngineSpec read_engine(const core::Node* node, core::Diagnostics& diagnostics) {
  if (node == nullptr) {
    diagnostics.fault({}, "engine", "is missing", "for example engine: {kind: llama.cpp, model: model.gguf}");
    return {};
  }
  return EngineReader(*node, diagnostics).read();
}

space::Configuration EngineSpec::fixed() const {
  space::Configuration configuration;
  for (const FixedArgument& argument : args) configuration[argument.name] = argument.level.value;
  return configuration;
}

}  // namespace paretune::engine
