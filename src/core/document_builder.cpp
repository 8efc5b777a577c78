#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/document_detail.hpp"
#include "paretune/core/units.hpp"

namespace paretune::core::detail {

namespace {

bool all_of_set(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

constexpr std::string_view kDecimal = "0123456789";

struct IntegerText {
  std::string_view digits;  ///< with the sign for base 10
  int base = 10;
};

std::optional<IntegerText> as_integer_text(std::string_view text) {
  if (text.starts_with("0o") && all_of_set(text.substr(2), "01234567")) return IntegerText{text.substr(2), 8};
  if (text.starts_with("0x") && all_of_set(text.substr(2), "0123456789abcdefABCDEF")) {
    return IntegerText{text.substr(2), 16};
  }
  const bool has_sign = text.starts_with("-") || text.starts_with("+");
  if (!all_of_set(text.substr(has_sign ? 1 : 0), kDecimal)) return std::nullopt;
  return IntegerText{text.starts_with("+") ? text.substr(1) : text, 10};
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_real_text(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && kDecimal.find(text[i]) != std::string_view::npos) ++i;
    return i - begin;
  };
  const auto take = [&](std::string_view set) {
    const bool found = i < text.size() && set.find(text[i]) != std::string_view::npos;
    if (found) ++i;
    return found;
  };
  take("+-");
  const bool whole = digits() > 0;
  const bool fraction = take(".") && digits() > 0;
  if (!whole && !fraction) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<double> as_special_real(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with("-");
  if (negative || text.starts_with("+")) text.remove_prefix(1);
  if (text != ".inf" && text != ".Inf" && text != ".INF") return std::nullopt;
  return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

bool is_word(std::string_view text, std::string_view lower, std::string_view title, std::string_view upper) {
  return text == lower || text == title || text == upper;
}

Node integer_node(Node node, const IntegerText& digits) {
  const char* end = digits.digits.data() + digits.digits.size();
  const auto [stopped, error] = std::from_chars(digits.digits.data(), end, node.integer, digits.base);
  if (error != std::errc{} || stopped != end) {
    throw SyntaxFault{node.position, "the integer " + node.text + " does not fit into 64 bits",
                      "quote it if it is a text, or write it with a decimal point"};
  }
  node.kind = Node::Kind::Integer;
  node.real = static_cast<double>(node.integer);
  return node;
}

Node real_node(Node node) {
  // "1." and ".5" are reals in YAML; strtod and from_chars agree on both.
  const Result<double> value = parse_number(node.text);
  if (!value && node.text.find_first_of("123456789") != std::string::npos) {
    throw SyntaxFault{node.position, "the number " + node.text + " is outside the range of a double", ""};
  }
  node.kind = Node::Kind::Real;
  node.real = value ? *value : 0.0;
  return node;
}

}  // namespace

TextIndex::TextIndex(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

Position TextIndex::at(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), std::min(offset, text_.size()));
  const auto line_index = static_cast<std::size_t>(after - starts_.begin()) - 1;
  return at(line_index, offset - starts_[line_index]);
}

Position TextIndex::at(std::size_t line_index, std::size_t byte_column) const {
  const std::string_view before = line(line_index).substr(0, byte_column);
  const auto continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  const auto extra = static_cast<std::size_t>(std::count_if(before.begin(), before.end(), continuation));
  return {static_cast<int>(line_index + 1), static_cast<int>(byte_column - extra + 1)};
}

std::string_view TextIndex::line(std::size_t zero_based) const {
  if (zero_based >= starts_.size()) return {};
  const std::size_t begin = starts_[zero_based];
  return text_.substr(begin, text_.find('\n', begin) - begin);
}

std::string_view TextIndex::from(std::size_t line_index, std::size_t byte_column) const {
  return text_.substr(std::min(starts_[line_index] + byte_column, text_.size()));
}

Node string_node(std::string value, Position position) {
  Node node;
  node.kind = Node::Kind::String;
  node.text = std::move(value);
  node.position = position;
  return node;
}

Node resolve_plain(std::string_view text, Position position) {
  Node node = string_node(std::string(text), position);
  node.plain = true;
  if (text.empty() || text == "~" || is_word(text, "null", "Null", "NULL")) {
    node.kind = Node::Kind::Null;
  } else if (is_word(text, "true", "True", "TRUE") || is_word(text, "false", "False", "FALSE")) {
    node.kind = Node::Kind::Boolean;
    node.boolean = text[0] == 't' || text[0] == 'T';
  } else if (const auto digits = as_integer_text(text)) {
    return integer_node(std::move(node), *digits);
  } else if (const auto special = as_special_real(text)) {
    node.kind = Node::Kind::Real;
    node.real = *special;
  } else if (is_real_text(text)) {
    return real_node(std::move(node));
  }
  return node;
}

void TreeBuilder::begin(Node::Kind kind, Position position) {
  if (expects_key()) throw SyntaxFault{position, "a key must be a text", "quote it"};
  if (open_.size() >= kMaxDepth) throw SyntaxFault{position, "is nested more than 100 levels deep", ""};
  charge(1, position);
  Frame frame;
  frame.node.kind = kind;
  frame.node.position = position;
  open_.push_back(std::move(frame));
}

void TreeBuilder::keep_copy() {
  open_.back().copy = true;
}

Node TreeBuilder::end() {
  Frame frame = std::move(open_.back());
  open_.pop_back();
  Node copy;
  if (frame.copy) {
    copy = frame.node;
    charge(count_nodes(copy), copy.position);
  }
  attach(std::move(frame.node));
  return copy;
}

void TreeBuilder::add(Node node) {
  if (expects_key()) {
    if (!node.is_scalar() || node.kind == Node::Kind::Null) {
      throw SyntaxFault{node.position, "a key must be a text", "quote it"};
    }
    key(std::move(node.text), node.position);
    return;
  }
  charge(1, node.position);
  attach(std::move(node));
}

void TreeBuilder::key(std::string name, Position position) {
  Frame& frame = open_.back();
  const auto [seen, is_new] = frame.keys.emplace(name, position);
  if (!is_new) {
    throw SyntaxFault{position,
                      "the key '" + name + "' is given twice: line " + std::to_string(seen->second.line) +
                          " and line " + std::to_string(position.line),
                      "keep one of them"};
  }
  frame.has_key = true;
  frame.key = std::move(name);
  frame.key_position = position;
}

bool TreeBuilder::expects_key() const {
  return !open_.empty() && open_.back().node.kind == Node::Kind::Mapping && !open_.back().has_key;
}

void TreeBuilder::attach(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
    complete_ = true;
    return;
  }
  Frame& frame = open_.back();
  if (frame.node.kind == Node::Kind::Sequence) {
    frame.node.items.push_back(std::move(node));
    return;
  }
  // A value left empty has no place of its own: name the key's.
  if (node.kind == Node::Kind::Null && node.text.empty()) node.position = frame.key_position;
  frame.node.members.push_back({std::move(frame.key), frame.key_position, std::move(node)});
  frame.has_key = false;
}

void TreeBuilder::charge(std::size_t nodes, Position position) {
  nodes_ += nodes;
  if (nodes_ > kMaxNodes) {
    throw SyntaxFault{position, "holds more than " + std::to_string(kMaxNodes) + " values",
                      "aliases that repeat each other multiply; write the values out"};
  }
}

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  for (const Member& member : node.members) count += count_nodes(member.value);
  return count;
}

}  // namespace paretune::core::detail
