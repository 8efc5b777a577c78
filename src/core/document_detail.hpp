// What the two readers of document.hpp (YAML and JSON) share: scalar rules, fault positions, and the builder
// that turns a stream of events into a tree while it refuses duplicate keys and input made to exhaust memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "paretune/core/document.hpp"

namespace paretune::core::detail {

inline constexpr std::size_t kMaxDepth = 100;
inline constexpr std::size_t kMaxNodes = 500'000;
inline constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

/// Thrown inside a reader only; parse_document turns it into an Error.
struct SyntaxFault {
  Position position;
  std::string message;
  std::string hint;
};

/// Line and column (in characters) of byte offsets.
class TextIndex {
 public:
  explicit TextIndex(std::string_view text);
  Position at(std::size_t offset) const;
  /// @param line, byte_column  0-based.
  Position at(std::size_t line, std::size_t byte_column) const;
  std::string_view line(std::size_t zero_based) const;
  /// The text from a place on.
  std::string_view from(std::size_t line, std::size_t byte_column) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// A plain scalar by the YAML 1.2 core schema. @throws SyntaxFault for an integer beyond 64 bits.
Node resolve_plain(std::string_view text, Position position);
Node string_node(std::string value, Position position);

/// Builds the tree. A scalar that arrives in a mapping without a pending key is the key.
class TreeBuilder {
 public:
  void begin(Node::Kind kind, Position position);
  Node end();  ///< closes the innermost container; returns a copy only when `keep_copy()` asked for one
  void keep_copy();
  void add(Node node);
  void key(std::string name, Position position);
  bool expects_key() const;
  bool complete() const { return complete_; }
  Node take() { return std::move(root_); }
  /// Counts `nodes` more against the limit (a copy made for an anchor). @throws SyntaxFault
  void charge(std::size_t nodes, Position position);

 private:
  struct Frame {
    Node node;
    std::unordered_map<std::string, Position> keys;
    bool has_key = false;
    std::string key;
    Position key_position;
    bool copy = false;
  };
  void attach(Node node);

  std::vector<Frame> open_;
  Node root_;
  bool complete_ = false;
  std::size_t nodes_ = 0;
};

/// Number of nodes in a tree, itself included.
std::size_t count_nodes(const Node& node);

Node parse_yaml(std::string_view text);
Node parse_json(std::string_view text);

}  // namespace paretune::core::detail
