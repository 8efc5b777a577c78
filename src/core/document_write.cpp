#include <array>
#include <cmath>

#include "core/document_detail.hpp"
#include "paretune/core/document.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::core {

namespace {

/// Words that YAML 1.1 readers take for booleans; quoted, so that other tools read our files alike.
bool is_old_boolean(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kWords{"on", "off", "yes", "no", "y", "n"};
  const std::string lower = to_lower(text);
  for (const std::string_view word : kWords) {
    if (lower == word) return true;
  }
  return false;
}

bool may_stay_plain(std::string_view text) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+";
  if (text.empty() || text.find_first_not_of(kSafe) != std::string_view::npos) return false;
  if (text[0] == '-' || text[0] == '.' || text[0] == '+' || is_old_boolean(text)) return false;
  if (text[0] >= '0' && text[0] <= '9') return false;
  return detail::resolve_plain(text, {}).kind == Node::Kind::String;
}

std::string quoted(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string text_scalar(std::string_view text) {
  return may_stay_plain(text) ? std::string(text) : quoted(text);
}

std::string real_scalar(const Node& node) {
  if (std::isnan(node.real)) return ".nan";
  if (std::isinf(node.real)) return node.real > 0 ? ".inf" : "-.inf";
  const std::string text = format_number(node.real);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// The text as written, when it reads back to the same value.
std::string number_scalar(const Node& node) {
  try {
    const Node read = detail::resolve_plain(node.text, {});
    if (read.kind == node.kind && read.integer == node.integer && read.real == node.real) return node.text;
  } catch (const detail::SyntaxFault&) {
    // A text that does not even parse is replaced below.
  }
  return node.kind == Node::Kind::Integer ? std::to_string(node.integer) : real_scalar(node);
}

std::string scalar(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::Integer:
    case Node::Kind::Real:
      return number_scalar(node);
    case Node::Kind::String:
      return text_scalar(node.text);
    default:
      return "null";
  }
}

bool fits_on_the_line(const Node& node) {
  return node.is_scalar() || (node.items.empty() && node.members.empty());
}

std::string on_the_line(const Node& node) {
  if (node.is_scalar()) return scalar(node);
  return node.kind == Node::Kind::Sequence ? "[]" : "{}";
}

void write(const Node& node, std::size_t indent, std::string& out);

void write_entry(const Node& value, std::size_t indent, std::string& out) {
  if (fits_on_the_line(value)) {
    out += ' ' + on_the_line(value) + '\n';
  } else {
    out += '\n';
    write(value, indent + 2, out);
  }
}

void write(const Node& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (const Node& item : node.items) {
    out += margin + "-";
    write_entry(item, indent, out);
  }
  for (const Member& member : node.members) {
    out += margin + text_scalar(member.key) + ":";
    write_entry(member.value, indent, out);
  }
}

}  // namespace

std::string to_yaml(const Node& node) {
  if (fits_on_the_line(node)) return on_the_line(node) + '\n';
  std::string out;
  write(node, 0, out);
  return out;
}

}  // namespace paretune::core
