#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/document_detail.hpp"
#include "paretune/core/diagnostics.hpp"
#include "paretune/core/document.hpp"
#include "paretune/core/text.hpp"

namespace paretune::core {

namespace {

void forget_positions(Node& node) {
  node.position = {};
  for (Node& item : node.items) forget_positions(item);
  for (Member& member : node.members) {
    member.position = {};
    forget_positions(member.value);
  }
}

/// A flow collection or quoted text by the YAML reader; anything else is one plain scalar, '#' and ': '
/// included.
Result<Node> read_value(std::string_view text) {
  try {
    const bool structured =
        !text.empty() && std::string_view("[{\"'").find(text[0]) != std::string_view::npos;
    Node node = structured ? detail::parse_yaml(text) : detail::resolve_plain(text, {});
    forget_positions(node);
    return node;
  } catch (const detail::SyntaxFault& fault) {
    return invalid_input(fault.message, fault.hint);
  }
}

struct Step {
  std::string key;  ///< empty with `index`
  std::optional<std::size_t> index;
};

/// One way to read the front of a path: a key, and what is left of the path after it.
struct KeyMatch {
  std::string_view key;
  std::string_view rest;  ///< begins with '.', '[' or is empty
};

KeyMatch split_at(std::string_view path, std::size_t end) {
  return {path.substr(0, end), path.substr(end)};
}

/// The longest existing key that the path begins with; else its part up to the first '.' or '['.
KeyMatch match_key(const Node& node, std::string_view path) {
  std::optional<KeyMatch> best;
  for (const Member& member : node.members) {
    if (!path.starts_with(member.key) || (best && best->key.size() >= member.key.size())) continue;
    const KeyMatch match = split_at(path, member.key.size());
    if (match.rest.empty() || match.rest[0] == '.' || match.rest[0] == '[') best = match;
  }
  if (best) return *best;
  return split_at(path, std::min(path.find_first_of(".["), path.size()));
}

Result<Node*> child_by_key(Node& node, std::string_view& path, std::string_view whole) {
  if (node.kind == Node::Kind::Null) node.kind = Node::Kind::Mapping;
  if (node.kind != Node::Kind::Mapping) {
    return invalid_input("--set " + std::string(whole) + ": what stands before '" + std::string(path) +
                         "' is " + describe(node) + ", not a mapping");
  }
  const KeyMatch match = match_key(node, path);
  if (match.key.empty()) return invalid_input("--set " + std::string(whole) + ": a key is missing");
  path = match.rest;
  if (Node* found = node.find(match.key)) return found;
  node.members.push_back({std::string(match.key), {}, Node{}});
  return &node.members.back().value;
}

Result<Node*> child_by_index(Node& node, std::string_view& path, std::string_view whole) {
  const std::size_t close = path.find(']');
  std::size_t position = 0;
  const std::string_view digits = path.substr(1, close == std::string_view::npos ? 0 : close - 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) {
    return invalid_input("--set " + std::string(whole) + ": write a list position like [0]");
  }
  if (node.kind == Node::Kind::Null) node.kind = Node::Kind::Sequence;
  if (node.kind != Node::Kind::Sequence) {
    return invalid_input("--set " + std::string(whole) + ": what stands before '" + std::string(path) +
                         "' is " + describe(node) + ", not a list");
  }
  if (position > node.items.size()) {
    return invalid_input("--set " + std::string(whole) + ": the list has " +
                         std::to_string(node.items.size()) + " items, so [" + std::to_string(position) +
                         "] is out of reach");
  }
  if (position == node.items.size()) node.items.emplace_back();
  path.remove_prefix(close + 1);
  return &node.items[position];
}

Result<Node*> descend(Node& root, std::string_view path, std::string_view whole) {
  Node* node = &root;
  bool first = true;
  while (!path.empty() || first) {
    const bool by_index = path.starts_with("[");
    if (!first && !by_index) path.remove_prefix(1);  // the dot
    Result<Node*> next = by_index ? child_by_index(*node, path, whole) : child_by_key(*node, path, whole);
    if (!next) return next;
    node = *next;
    if (!path.empty() && path[0] != '.' && path[0] != '[') {
      return invalid_input("--set " + std::string(whole) + ": unexpected '" + std::string(path) + "'");
    }
    first = false;
  }
  return node;
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text[0])) return false;
  for (const char c : text) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

/// Value of what stands between the braces. @return nullopt after recording a fault.
std::optional<std::string> lookup(std::string_view inside, Position position, const std::string& path,
                                  Diagnostics& diagnostics) {
  const std::size_t dash = inside.find(":-");
  const std::string name(inside.substr(0, dash));
  if (!is_name(name)) {
    diagnostics.fault(position, path, "'${" + std::string(inside) + "}' names no environment variable",
                      "write ${NAME} or ${NAME:-default}; $${ stands for a literal ${");
    return std::nullopt;
  }
  const char* value = std::getenv(name.c_str());
  const bool has_default = dash != std::string_view::npos;
  // As in a shell: `:-` also replaces a variable that is set but empty.
  if (value != nullptr && (*value != '\0' || !has_default)) return std::string(value);
  if (has_default) return std::string(inside.substr(dash + 2));
  diagnostics.fault(position, path, "the environment variable " + name + " is not set",
                    "set it, or give a default: ${" + name + ":-default}");
  return std::nullopt;
}

std::string expand(std::string_view text, Position position, const std::string& path,
                   Diagnostics& diagnostics) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    result += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    const std::size_t close = text.find('}');
    if (text.starts_with("$${")) {
      result += "${";
      text.remove_prefix(3);
    } else if (text.starts_with("${") && close == std::string_view::npos) {
      diagnostics.fault(position, path, "'" + std::string(text) + "' has no closing brace",
                        "$${ stands for a literal ${");
      break;
    } else if (text.starts_with("${")) {
      result += lookup(text.substr(2, close - 2), position, path, diagnostics).value_or("");
      text.remove_prefix(close + 1);
    } else {
      result += '$';
      text.remove_prefix(1);
    }
  }
  return result;
}

void expand_node(Node& node, const std::string& path, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    expand_node(node.items[i], path + "[" + std::to_string(i) + "]", diagnostics);
  }
  for (Member& member : node.members) {
    expand_node(member.value, path.empty() ? member.key : path + "." + member.key, diagnostics);
  }
  if (node.kind != Node::Kind::String || node.text.find("${") == std::string::npos) return;
  std::string text = expand(node.text, node.position, path, diagnostics);
  if (!node.plain) {
    node.text = std::move(text);
    return;
  }
  // `seed: ${SEED}` is a number when SEED is one, as if it had been written there.
  try {
    node = detail::resolve_plain(text, node.position);
  } catch (const detail::SyntaxFault& fault) {
    diagnostics.fault(node.position, path, fault.message, fault.hint);
  }
}

}  // namespace

Result<void> set_value(Document& document, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || trim(assignment.substr(0, equals)).empty()) {
    return invalid_input("--set " + std::string(assignment) + ": not of the form key.path=value");
  }
  Result<Node> value = read_value(trim(assignment.substr(equals + 1)));
  if (!value)
    return invalid_input("--set " + std::string(assignment) + ": " + value.error().message,
                         value.error().hint);
  // Work on a copy: a path that fails half-way must not leave empty mappings behind.
  Node root = document.root;
  Result<Node*> target = descend(root, trim(assignment.substr(0, equals)), assignment);
  if (!target) return target.error();
  **target = std::move(*value);
  document.root = std::move(root);
  return {};
}

void expand_environment(Document& document, Diagnostics& diagnostics) {
  expand_node(document.root, "", diagnostics);
}

}  // namespace paretune::core
