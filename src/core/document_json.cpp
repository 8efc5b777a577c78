#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/document_detail.hpp"
#include "paretune/core/units.hpp"

namespace paretune::core {

namespace detail {

namespace {

/// A character iterator that tells how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value - X;
/// last read: 'Y'" -> "X".
std::string short_reason(std::string message) {
  if (const std::size_t dash = message.find(" - "); dash != std::string::npos) message.erase(0, dash + 3);
  if (const std::size_t last = message.find("; last read"); last != std::string::npos) message.erase(last);
  return message;
}

class JsonHandler final : public nlohmann::json_sax<Json> {
 public:
  JsonHandler(std::string_view text, const char* const& furthest)
      : text_(text), index_(text), furthest_(furthest) {}

  bool null() override { return add(Node{}, "null"); }
  bool boolean(bool value) override {
    Node node;
    node.kind = Node::Kind::Boolean;
    node.boolean = value;
    return add(std::move(node), value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse_large_integer(std::to_string(value));
    }
    return integer(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& written) override {
    // The parser falls back to a double for an integer that fits no 64-bit type.
    if (written.find_first_of(".eE") == std::string::npos) refuse_large_integer(written);
    Node node;
    node.kind = Node::Kind::Real;
    node.real = value;
    return add(std::move(node), written);
  }
  bool string(string_t& value) override {
    Node node;
    node.kind = Node::Kind::String;
    return add(std::move(node), std::move(value));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(Node::Kind::Mapping); }
  bool start_array(std::size_t) override { return begin(Node::Kind::Sequence); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    builder_.key(std::move(name), next_token());
    mark();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::string reason = short_reason(error.what());
    throw SyntaxFault{index_.at(fault_offset(position, reason)), reason,
                      "JSON has no comments, no trailing commas and only double quotes"};
  }

  Node take() { return builder_.take(); }

 private:
  /// Where the offending token begins; inside a string, the offending character.
  /// @param position  bytes read, the last one being the end of an unexpected token or the first that fits
  /// none.
  std::size_t fault_offset(std::size_t position, const std::string& reason) const {
    std::size_t offset = std::min(position == 0 ? 0 : position - 1, text_.size());
    if (reason.starts_with("unexpected string") ||
        reason.find("missing closing quote") != std::string::npos) {
      return std::min(text_.find('"', done_), text_.size());
    }
    const bool in_string = reason.starts_with("invalid string") || reason.starts_with("unexpected '");
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    };
    while (!in_string && offset > done_ && is_word(text_[offset - 1])) --offset;
    return offset;
  }
  [[noreturn]] void refuse_large_integer(const std::string& written) {
    throw SyntaxFault{next_token(), "the integer " + written + " does not fit into 64 bits",
                      "quote it if it is a text, or write it with a decimal point"};
  }
  bool integer(std::int64_t value) {
    Node node;
    node.kind = Node::Kind::Integer;
    node.integer = value;
    node.real = static_cast<double>(value);
    return add(std::move(node), std::to_string(value));
  }
  bool add(Node node, std::string written) {
    node.text = std::move(written);
    node.position = next_token();
    builder_.add(std::move(node));
    mark();
    return true;
  }
  bool begin(Node::Kind kind) {
    builder_.begin(kind, next_token());
    mark();
    return true;
  }
  bool end() {
    builder_.end();
    mark();
    return true;
  }
  void mark() { done_ = static_cast<std::size_t>(furthest_ - text_.data()); }
  /// Where the token that is being reported begins: the first byte after the last one that is no separator.
  Position next_token() const {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n,:]}", done_);
    return index_.at(begin == std::string_view::npos ? text_.size() : begin);
  }

  std::string_view text_;
  TextIndex index_;
  const char* const& furthest_;
  std::size_t done_ = 0;
  TreeBuilder builder_;
};

}  // namespace

Node parse_json(std::string_view text) {
  const char* furthest = text.data();
  JsonHandler handler(text, furthest);
  const CountingIterator first(text.data(), &furthest), last(text.data() + text.size(), &furthest);
  Json::sax_parse(first, last, &handler);
  return handler.take();
}

}  // namespace detail

Json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return nullptr;
    case Node::Kind::Boolean:
      return node.boolean;
    case Node::Kind::Integer:
      return node.integer;
    case Node::Kind::Real:
      return node.real;
    case Node::Kind::String:
      return node.text;
    case Node::Kind::Sequence: {
      Json list = Json::array();
      for (const Node& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case Node::Kind::Mapping: {
      Json object = Json::object();
      for (const Member& member : node.members) object[member.key] = to_json(member.value);
      return object;
    }
  }
  return nullptr;
}

namespace {

Node number_from_json(const Json& json) {
  Node node;
  if (json.is_number_float()) {
    node.kind = Node::Kind::Real;
    node.real = json.get<double>();
    node.text = format_number(node.real);
    return node;
  }
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{1} << 63) {
    throw std::invalid_argument("from_json: an integer beyond 64 bits");
  }
  node.kind = Node::Kind::Integer;
  node.integer = json.get<std::int64_t>();
  node.real = static_cast<double>(node.integer);
  node.text = std::to_string(node.integer);
  return node;
}

}  // namespace

Node from_json(const Json& json) {
  if (json.is_number()) return number_from_json(json);
  Node node;
  if (json.is_boolean()) {
    node.kind = Node::Kind::Boolean;
    node.boolean = json.get<bool>();
    node.text = node.boolean ? "true" : "false";
  } else if (json.is_string()) {
    node.kind = Node::Kind::String;
    node.text = json.get<std::string>();
  } else if (json.is_array()) {
    node.kind = Node::Kind::Sequence;
    for (const Json& item : json) node.items.push_back(from_json(item));
  } else if (json.is_object()) {
    node.kind = Node::Kind::Mapping;
    for (const auto& [key, value] : json.items()) node.members.push_back({key, {}, from_json(value)});
  } else if (!json.is_null()) {
    throw std::invalid_argument("from_json: binary values have no place in a document");
  }
  return node;
}

}  // namespace paretune::core
