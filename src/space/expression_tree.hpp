// The parsed form of an expression: a flat tree whose names are slots, so that an evaluation looks nothing
// up.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/space/expression.hpp"

namespace paretune::space {

enum class Operator {
  Literal,
  Name,
  Negate,
  Not,
  And,
  Or,
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
};

struct TreeNode {
  Operator op = Operator::Literal;
  std::size_t left = 0, right = 0;  ///< indices into Tree::nodes
  Value literal;                    ///< Literal
  std::size_t slot = 0;             ///< Name: index into Tree::names
  std::vector<std::size_t> items;   ///< In: the list on its right
};

struct Expression::Tree {
  std::string text;
  std::vector<std::string> names;  ///< sorted
  std::vector<TreeNode> nodes;
  std::size_t root = 0;
};

namespace detail {

struct Token {
  enum class Kind { Number, Text, Word, Symbol, End };
  Kind kind = Kind::End;
  std::string text;  ///< of a quoted text: what is inside
  double number = 0;
  std::size_t begin = 0;  ///< offset in the expression
  std::size_t end = 0;
};

/// Thrown inside the parser only.
struct ParseFault {
  std::size_t offset;
  std::string message;
  std::string hint;
};

std::vector<Token> tokenize(std::string_view text);
Expression::Tree parse_tree(std::string_view text, const std::vector<std::string>& known_names);

/// What an evaluation yields.
struct Operand {
  enum class Kind { Inactive, Boolean, Number, Text, Nested, Fault };
  Kind kind = Kind::Inactive;
  bool boolean = false;
  bool integer = false;  ///< Number: all its parts are integers
  double number = 0;
  const std::string* text = nullptr;
};

enum class InactiveRule {
  IsFalse,    ///< a comparison with an inactive name is false (conditions)
  IsUnknown,  ///< it is unknown, and three-valued logic decides whether that matters (constraints)
};

/// @param slots  values of tree.names; nullptr = inactive.
/// @param message  if not null, receives the reason of a Fault.
Operand evaluate(const Expression::Tree& tree, std::span<const Value* const> slots, InactiveRule rule,
                 std::string* message);

}  // namespace detail

}  // namespace paretune::space
