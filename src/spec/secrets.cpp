#include "spec/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>

#include "paretune/core/text.hpp"

namespace paretune::spec {

namespace {

using core::Json;
using core::Node;

std::string child_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string child_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

/// Visits every scalar with its path and the key it stands under.
template <class AnyNode>
void for_each_scalar(AnyNode& node, const std::string& path, const std::string& key,
                     const std::function<void(AnyNode&, const std::string&, const std::string&)>& visit) {
  for (std::size_t i = 0; i < node.items.size(); ++i)
    for_each_scalar(node.items[i], child_path(path, i), key, visit);
  for (auto& member : node.members) {
    // In {value: …, style: …} the name of the flag is the key that tells.
    const std::string& told = member.key == "value" ? key : member.key;
    for_each_scalar(member.value, child_path(path, member.key), told, visit);
  }
  if (node.is_scalar()) visit(node, path, key);
}

/// "--api-key" -> "API_KEY".
std::string variable_of(std::string_view name) {
  std::string variable;
  for (const char c : name.substr(std::min(name.find_first_not_of('-'), name.size()))) {
    const auto byte = static_cast<unsigned char>(c);
    variable += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  if (variable.empty() || std::isdigit(static_cast<unsigned char>(variable[0])) != 0)
    variable.insert(0, 1, '_');
  return variable;
}

/// What stands between ${ and } in `text`, without defaults, and the text with the defaults of secrets taken
/// out: a default is a secret too.
struct References {
  bool any = false;
  bool secret = false;
  std::string text;
};

References references_in(std::string_view text) {
  References found;
  while (!text.empty()) {
    const std::size_t open = text.find("${");
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    const bool literal = open > 0 && text[open - 1] == '$';
    const std::string_view inside = text.substr(open + 2, close - open - 2);
    const std::string_view name = inside.substr(0, inside.find(":-"));
    const bool secret = !literal && core::is_secret_name(name);
    found.any = found.any || !literal;
    found.secret = found.secret || secret;
    found.text += text.substr(0, open);
    const bool empty_default = inside == std::string(name) + ":-";
    found.text += secret && !empty_default ? "${" + std::string(name) + "}"
                                           : std::string(text.substr(open, close - open + 1));
    text.remove_prefix(close + 1);
  }
  found.text += text;
  return found;
}

/// Sections whose keys name things that go to the server.
bool is_key_value_section(const std::string& path) {
  static constexpr std::array<std::string_view, 3> kSections{"engine.env.", "engine.headers.",
                                                             "engine.args."};
  return core::starts_with_any(path, kSections);
}

class Finder {
 public:
  explicit Finder(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void look_at(const Node& node, const std::string& path, const std::string& key) {
    if (node.kind == Node::Kind::Null || node.kind == Node::Kind::Boolean) return;
    const References references = references_in(node.text);
    const bool named = is_key_value_section(path) && core::is_secret_name(key);
    if (references.secret || (named && references.any)) {
      secrets.push_back({path, references.text, ""});
    } else if (named && !node.text.empty()) {
      add_literal(node.position, path, "${" + variable_of(key) + "}", variable_of(key));
    }
  }

  /// A secret in an argv stands after its flag or behind its '='.
  void look_at_command(const Node& command) {
    std::vector<std::string> argv;
    for (const Node& item : command.items) argv.push_back(item.text);
    const std::vector<std::string> masked = core::mask_secrets(argv);
    for (std::size_t i = 0; i < masked.size(); ++i) {
      const std::size_t mask = masked[i].rfind("***");
      if (masked[i] == argv[i] || mask == std::string::npos || references_in(argv[i]).any) continue;
      const std::string flag = mask == 0 ? argv[i - 1] : masked[i].substr(0, masked[i].find_first_of("=:"));
      const std::string variable = variable_of(flag);
      add_literal(command.items[i].position, child_path("engine.command", i),
                  masked[i].substr(0, mask) + "${" + variable + "}", variable);
    }
  }

  std::vector<SecretText> secrets;

 private:
  void add_literal(core::Position position, const std::string& path, std::string reference,
                   const std::string& variable) {
    diagnostics_.warn(
        position, path,
        "a secret stands in the file; it is kept out of the results, and resume will take it from the "
        "environment variable " +
            variable,
        "write ${" + variable + "} instead");
    secrets.push_back({path, std::move(reference), ""});
  }

  core::Diagnostics& diagnostics_;
};

/// "engine.env.HF_TOKEN" -> "engine.env": a secret is looked for near the place where the file has it.
std::string_view section_of(std::string_view path) {
  const std::size_t first = path.find('.');
  if (first == std::string_view::npos) return path;
  return path.substr(0, path.find_first_of(".[", first + 1));
}

std::string escaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') result += '$';
    result += text[i];
  }
  return result;
}

void hide_in(Json& json, const std::string& path, const std::vector<SecretText>& secrets) {
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) hide_in(json[i], child_path(path, i), secrets);
  } else if (json.is_object()) {
    for (auto& [key, value] : json.items()) hide_in(value, child_path(path, key), secrets);
  } else if (json.is_string()) {
    const std::string text = json.get<std::string>();
    const auto secret = std::find_if(secrets.begin(), secrets.end(), [&](const SecretText& s) {
      return s.value == text && section_of(s.path) == section_of(path);
    });
    json = secret == secrets.end() ? escaped(text) : secret->reference;
  }
}

void for_each_secret(core::Document& document, std::vector<SecretText>& secrets,
                     const std::function<void(Node&, SecretText&)>& visit) {
  for_each_scalar<Node>(document.root, "", "", [&](Node& node, const std::string& path, const std::string&) {
    const auto secret =
        std::find_if(secrets.begin(), secrets.end(), [&](const SecretText& s) { return s.path == path; });
    if (secret == secrets.end()) return;
    node.kind = Node::Kind::String;
    visit(node, *secret);
  });
}

}  // namespace

std::vector<SecretText> find_secrets(const core::Document& document, core::Diagnostics& diagnostics) {
  Finder finder(diagnostics);
  for_each_scalar<const Node>(document.root, "", "",
                              [&](const Node& node, const std::string& path, const std::string& key) {
                                finder.look_at(node, path, key);
                              });
  const Node* engine = document.root.find("engine");
  const Node* command = engine == nullptr ? nullptr : engine->find("command");
  if (command != nullptr) finder.look_at_command(*command);
  return std::move(finder.secrets);
}

void resolve_secrets(core::Document& document, std::vector<SecretText>& secrets) {
  for_each_secret(document, secrets, [](Node& node, SecretText& secret) { secret.value = node.text; });
  // What turned out empty hides nothing, and would stand for every empty text.
  std::erase_if(secrets, [](const SecretText& secret) { return secret.value.empty(); });
}

void keep_references(core::Document& document, std::vector<SecretText>& secrets) {
  for_each_secret(document, secrets,
                  [](Node& node, SecretText& secret) { node.text = secret.value = secret.reference; });
}

void hide_secrets(Json& study, const std::vector<SecretText>& secrets) {
  hide_in(study, "", secrets);
}

}  // namespace paretune::spec
