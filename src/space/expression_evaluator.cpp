#include <cmath>

#include "space/expression_tree.hpp"

namespace paretune::space::detail {

namespace {

using Kind = Operand::Kind;

Operand boolean(bool value) {
  Operand operand;
  operand.kind = Kind::Boolean;
  operand.boolean = value;
  return operand;
}

Operand number(double value, bool integer) {
  Operand operand;
  operand.kind = Kind::Number;
  operand.number = value;
  operand.integer = integer;
  return operand;
}

Operand from_value(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return boolean(*truth);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return number(static_cast<double>(*whole), true);
  if (const auto* real = std::get_if<double>(&value)) return number(*real, false);
  Operand operand;
  operand.kind = std::holds_alternative<std::string>(value) ? Kind::Text : Kind::Nested;
  operand.text = operand.kind == Kind::Text ? &std::get<std::string>(value) : &std::get<Nested>(value).json;
  return operand;
}

std::string shown(const Operand& operand) {
  switch (operand.kind) {
    case Kind::Boolean:
      return operand.boolean ? "true" : "false";
    case Kind::Number:
      return to_text(operand.number);
    case Kind::Text:
      return "'" + *operand.text + "'";
    case Kind::Nested:
      return *operand.text;
    default:
      return "an inactive parameter";
  }
}

bool equal(const Operand& a, const Operand& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::Boolean) return a.boolean == b.boolean;
  if (a.kind == Kind::Number) return a.number == b.number;
  return *a.text == *b.text;
}

/// The remainder has the sign of the divisor, as in mathematics.
double modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

class Evaluator {
 public:
  Evaluator(const Expression::Tree& tree, std::span<const Value* const> slots, InactiveRule rule,
            std::string* message)
      : tree_(tree), slots_(slots), rule_(rule), message_(message) {}

  Operand run(std::size_t index) {
    const TreeNode& node = tree_.nodes[index];
    switch (node.op) {
      case Operator::Literal:
        return from_value(node.literal);
      case Operator::Name:
        return slots_[node.slot] == nullptr ? Operand{} : from_value(*slots_[node.slot]);
      case Operator::And:
      case Operator::Or:
        return logic(node);
      case Operator::Not:
        return negation(node);
      case Operator::In:
        return membership(node);
      case Operator::Negate:
        return negative(node);
      case Operator::Add:
      case Operator::Subtract:
      case Operator::Multiply:
      case Operator::Divide:
      case Operator::Modulo:
        return arithmetic(node);
      default:
        return comparison(node);
    }
  }

 private:
  template <class... Parts>
  Operand fault(const Parts&... parts) {
    if (message_ != nullptr) *message_ = (std::string() + ... + parts);
    Operand operand;
    operand.kind = Kind::Fault;
    return operand;
  }

  /// The operand as a truth value: Boolean, Inactive (unknown) or Fault.
  Operand truth(std::size_t index) {
    const Operand operand = run(index);
    if (operand.kind == Kind::Boolean || operand.kind == Kind::Fault) return operand;
    if (operand.kind == Kind::Inactive) return unknown();
    return fault(shown(operand), " is neither true nor false");
  }
  Operand unknown() const { return rule_ == InactiveRule::IsFalse ? boolean(false) : Operand{}; }

  /// Three-valued (Kleene): what one side decides, the other cannot change.
  Operand logic(const TreeNode& node) {
    const bool decisive = node.op == Operator::Or;
    const Operand left = truth(node.left);
    if (left.kind == Kind::Fault || (left.kind == Kind::Boolean && left.boolean == decisive)) return left;
    const Operand right = truth(node.right);
    if (right.kind == Kind::Fault || (right.kind == Kind::Boolean && right.boolean == decisive)) return right;
    return left.kind == Kind::Inactive ? left : right;
  }

  Operand negation(const TreeNode& node) {
    const Operand operand = truth(node.left);
    return operand.kind == Kind::Boolean ? boolean(!operand.boolean) : operand;
  }

  Operand membership(const TreeNode& node) {
    const Operand left = run(node.left);
    if (left.kind == Kind::Fault) return left;
    if (left.kind == Kind::Inactive) return unknown();
    for (const std::size_t item : node.items) {
      const Operand candidate = run(item);
      if (candidate.kind == Kind::Fault) return candidate;
      if (equal(left, candidate)) return boolean(true);
    }
    return boolean(false);
  }

  Operand negative(const TreeNode& node) {
    const Operand operand = run(node.left);
    if (operand.kind == Kind::Inactive || operand.kind == Kind::Fault) return operand;
    if (operand.kind != Kind::Number) return fault("cannot negate ", shown(operand));
    return number(-operand.number, operand.integer);
  }

  Operand arithmetic(const TreeNode& node) {
    const Operand a = run(node.left);
    if (a.kind == Kind::Fault) return a;
    const Operand b = run(node.right);
    if (b.kind == Kind::Fault || b.kind == Kind::Inactive) return b;
    if (a.kind == Kind::Inactive) return a;
    if (a.kind != Kind::Number || b.kind != Kind::Number) {
      return fault("cannot compute with ", shown(a), " and ", shown(b));
    }
    return compute(node.op, a, b);
  }

  Operand compute(Operator op, const Operand& a, const Operand& b) {
    const bool integer = a.integer && b.integer;
    if (op == Operator::Add) return number(a.number + b.number, integer);
    if (op == Operator::Subtract) return number(a.number - b.number, integer);
    if (op == Operator::Multiply) return number(a.number * b.number, integer);
    if (b.number == 0) return fault("division of ", shown(a), " by zero");
    if (op == Operator::Modulo) return number(modulo(a.number, b.number), integer);
    const double quotient = a.number / b.number;
    return number(quotient, integer && quotient == std::floor(quotient));
  }

  Operand comparison(const TreeNode& node) {
    const Operand a = run(node.left);
    if (a.kind == Kind::Fault) return a;
    const Operand b = run(node.right);
    if (b.kind == Kind::Fault) return b;
    if (a.kind == Kind::Inactive || b.kind == Kind::Inactive) return unknown();
    if (node.op == Operator::Equal) return boolean(equal(a, b));
    if (node.op == Operator::NotEqual) return boolean(!equal(a, b));
    if (a.kind != Kind::Number || b.kind != Kind::Number) {
      return fault("cannot order ", shown(a), " and ", shown(b), ": only numbers have an order");
    }
    if (node.op == Operator::Less) return boolean(a.number < b.number);
    if (node.op == Operator::LessEqual) return boolean(a.number <= b.number);
    if (node.op == Operator::Greater) return boolean(a.number > b.number);
    return boolean(a.number >= b.number);
  }

  const Expression::Tree& tree_;
  std::span<const Value* const> slots_;
  InactiveRule rule_;
  std::string* message_;
};

}  // namespace

Operand evaluate(const Expression::Tree& tree, std::span<const Value* const> slots, InactiveRule rule,
                 std::string* message) {
  return Evaluator(tree, slots, rule, message).run(tree.root);
}

}  // namespace paretune::space::detail
