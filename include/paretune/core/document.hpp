// A tree of values with positions, read from YAML 1.2 (core schema) or JSON. Both kinds of study file and
// every section reader use it, so that each fault can name file, line and column. Source: YAML 1.2.2 §10.3
// (core schema); JSON is read strictly (no comments, no trailing commas).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/json.hpp"
#include "paretune/core/result.hpp"

namespace paretune::core {

struct Position {
  int line = 0;    ///< 1-based; 0 = unknown (a value given with --set)
  int column = 0;  ///< 1-based
};

struct Member;

/// One value. Plain data; copying copies the whole subtree.
struct Node {
  enum class Kind { Null, Boolean, Integer, Real, String, Sequence, Mapping };

  Kind kind = Kind::Null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;   ///< also set for Integer, so that number() works for both
  std::string text;    ///< the scalar as written (1.10 stays "1.10"); for String its value
  bool plain = false;  ///< an unquoted YAML scalar; ${NAME} in it may turn into a number
  Position position;
  std::vector<Node> items;      ///< Sequence
  std::vector<Member> members;  ///< Mapping, in file order; keys are unique

  bool is_number() const { return kind == Kind::Integer || kind == Kind::Real; }
  bool is_scalar() const { return kind != Kind::Sequence && kind != Kind::Mapping; }
  const Node* find(std::string_view key) const;  ///< nullptr if this is no mapping or has no such key
  Node* find(std::string_view key);
};

struct Member {
  std::string key;
  Position position;  ///< of the key
  Node value;
};

/// "a string", "a number", "a list", "a mapping" … for messages.
std::string describe(const Node& node);

struct Document {
  std::string file;  ///< as the user named it; used in messages
  Node root;
};

/// @param file  name for messages; a name ending in .json selects strict JSON, everything else YAML.
/// @return Error{InvalidInput} "FILE:LINE:COLUMN: what" on bad syntax, duplicate keys (both lines named),
/// anchors
///         that loop, or more than one document. `.inf`/`.nan` parse as Real; the space reader refuses them
///         as values.
Result<Document> parse_document(std::string_view text, std::string file);
Result<Document> load_document(const std::string& path);

/// Sets or adds `a.b.c=value`; the value is read as a YAML scalar or flow collection. List items:
/// `objectives[0].metric=x`.
Result<void> set_value(Document& document, std::string_view assignment);

/// Replaces ${NAME} and ${NAME:-default} in every string. Unset names without a default are collected as
/// faults.
/// `$${` stays a literal `${`.
class Diagnostics;
void expand_environment(Document& document, Diagnostics& diagnostics);

Json to_json(const Node& node);
Node from_json(const Json& json);

/// YAML text that loads back to the same tree with the same types (0.00001 stays a number, "on" stays a
/// string).
std::string to_yaml(const Node& node);

}  // namespace paretune::core
