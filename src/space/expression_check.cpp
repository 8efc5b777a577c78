#include <algorithm>
#include <optional>

#include "paretune/core/text.hpp"
#include "space/compiled_space.hpp"
#include "space/expression_tree.hpp"

namespace paretune::space {

namespace {

enum class Type { Unknown, Boolean, Number, Text, Nested };

Type type_of(const Value& value) {
  if (std::holds_alternative<bool>(value)) return Type::Boolean;
  if (is_number(value)) return Type::Number;
  return std::holds_alternative<std::string>(value) ? Type::Text : Type::Nested;
}

const char* noun(Type type) {
  switch (type) {
    case Type::Boolean:
      return "true or false";
    case Type::Number:
      return "a number";
    case Type::Text:
      return "a text";
    case Type::Nested:
      return "a mapping or list";
    case Type::Unknown:
      break;
  }
  return "a value";
}

/// One walk over the tree: the type of every node, the faults, and the comparisons that nothing can meet.
class TypeCheck {
 public:
  TypeCheck(const Expression::Tree& tree, const Possibilities& possible) : tree_(tree), possible_(possible) {
    for (const std::string& name : tree.names) names_.push_back(possible_(name));
  }

  Type visit(std::size_t index) {
    const TreeNode& node = tree_.nodes[index];
    switch (node.op) {
      case Operator::Literal:
        return type_of(node.literal);
      case Operator::Name:
        return names_[node.slot].values.empty() ? Type::Unknown : type_of(names_[node.slot].values.front());
      case Operator::Not:
        require(node.left, Type::Boolean, "'not' needs");
        return Type::Boolean;
      case Operator::And:
      case Operator::Or:
        require(node.left, Type::Boolean, "'and' and 'or' need");
        require(node.right, Type::Boolean, "'and' and 'or' need");
        return Type::Boolean;
      case Operator::Equal:
      case Operator::NotEqual:
        visit(node.left);
        visit(node.right);
        check_equality(node.left, node.right);
        check_equality(node.right, node.left);
        return Type::Boolean;
      case Operator::In:
        visit(node.left);
        for (const std::size_t item : node.items) {
          visit(item);
          check_equality(node.left, item);
        }
        return Type::Boolean;
      case Operator::Negate:
        require(node.left, Type::Number, "'-' needs");
        return Type::Number;
      case Operator::Less:
      case Operator::LessEqual:
      case Operator::Greater:
      case Operator::GreaterEqual:
        require(node.left, Type::Number, "an order needs");
        require(node.right, Type::Number, "an order needs");
        return Type::Boolean;
      default:
        require(node.left, Type::Number, "arithmetic needs");
        require(node.right, Type::Number, "arithmetic needs");
        return Type::Number;
    }
  }

  void require_condition() {
    const Type type = visit(tree_.root);
    if (type != Type::Boolean && type != Type::Unknown) {
      faults.push_back(std::string("is no condition: it yields ") + noun(type));
    }
  }

  std::vector<std::string> faults;
  std::vector<std::string> remarks;

 private:
  void require(std::size_t index, Type wanted, const char* who) {
    const Type type = visit(index);
    if (type == wanted || type == Type::Unknown) return;
    faults.push_back(std::string(who) + " " + noun(wanted) + ", but " + shown(index) + " is " + noun(type));
  }

  std::string shown(std::size_t index) const {
    const TreeNode& node = tree_.nodes[index];
    if (node.op == Operator::Name) return "'" + tree_.names[node.slot] + "'";
    if (node.op == Operator::Literal) return "'" + to_text(node.literal) + "'";
    return "its operand";
  }

  /// `name == literal` where the literal is none of the values of the name.
  void check_equality(std::size_t name_index, std::size_t literal_index) {
    const TreeNode& name = tree_.nodes[name_index];
    const TreeNode& literal = tree_.nodes[literal_index];
    if (name.op != Operator::Name || literal.op != Operator::Literal) return;
    const PossibleValues& possible = names_[name.slot];
    if (!possible.complete || possible.values.empty()) return;
    const bool found = std::any_of(possible.values.begin(), possible.values.end(), [&](const Value& value) {
      return detail::equal_values(value, literal.literal);
    });
    if (found) return;
    std::vector<std::string> texts;
    for (const Value& value : possible.values) texts.push_back(to_text(value));
    std::string remark = "'" + tree_.names[name.slot] + "' is never " + to_text(literal.literal);
    const std::string guess = core::did_you_mean(to_text(literal.literal), texts);
    const bool other_type = type_of(possible.values.front()) != type_of(literal.literal);
    if (other_type) {
      remark += std::string(", which is ") + noun(type_of(literal.literal)) + " and not " +
                noun(type_of(possible.values.front()));
    } else if (texts.size() <= 12) {
      remark += "; its values are " + core::join(texts, ", ");
    }
    if (!guess.empty() && !other_type) remark += " (" + guess + ")";
    remarks.push_back(std::move(remark));
  }

  const Expression::Tree& tree_;
  const Possibilities& possible_;
  std::vector<PossibleValues> names_;
};

}  // namespace

std::vector<std::string> Expression::type_faults(const Possibilities& possible) const {
  TypeCheck check(*tree_, possible);
  check.require_condition();
  return std::move(check.faults);
}

std::vector<std::string> Expression::never_met(const Possibilities& possible) const {
  TypeCheck check(*tree_, possible);
  check.visit(tree_->root);
  return std::move(check.remarks);
}

}  // namespace paretune::space
