#include "paretune/core/document.hpp"

#include <algorithm>

#include "core/document_detail.hpp"
#include "core/utf8.hpp"
#include "paretune/core/diagnostics.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"

namespace paretune::core {

namespace {

using detail::SyntaxFault;

bool is_blank(std::string_view text) {
  return trim(text).empty();
}

/// @throws SyntaxFault for bytes that are no text.
void require_text(std::string_view text) {
  if (text.size() > detail::kMaxBytes)
    throw SyntaxFault{{}, "is larger than 32 MiB; this is no study file", ""};
  const std::size_t bad = find_bad_utf8(text);
  if (bad != std::string_view::npos) {
    throw SyntaxFault{detail::TextIndex(text).at(bad), "this byte is no UTF-8 text",
                      "save the file as UTF-8"};
  }
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
  });
  if (control != text.end()) {
    const auto offset = static_cast<std::size_t>(control - text.begin());
    throw SyntaxFault{detail::TextIndex(text).at(offset), "control characters are not allowed", ""};
  }
  if (is_blank(text)) throw SyntaxFault{{}, "the file is empty", ""};
}

Error to_error(const SyntaxFault& fault, const std::string& file) {
  Error error = invalid_input(format_fault({fault.position, "", fault.message, ""}, file), fault.hint);
  return error;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "empty";
    case Node::Kind::Boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::Integer:
    case Node::Kind::Real:
      return "the number " + node.text;
    case Node::Kind::String:
      return "the text '" + node.text + "'";
    case Node::Kind::Sequence:
      return "a list";
    case Node::Kind::Mapping:
      return "a mapping";
  }
  return "a value";
}

Result<Document> parse_document(std::string_view text, std::string file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  try {
    require_text(text);
    Node root = to_lower(file).ends_with(".json") ? detail::parse_json(text) : detail::parse_yaml(text);
    return Document{std::move(file), std::move(root)};
  } catch (const SyntaxFault& fault) {
    return to_error(fault, file);
  }
}

Result<Document> load_document(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return parse_document(*text, path);
}

}  // namespace paretune::core
