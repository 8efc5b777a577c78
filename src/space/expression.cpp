#include "paretune/space/expression.hpp"

#include <cmath>

#include "space/expression_tree.hpp"

namespace paretune::space {

namespace {

using detail::InactiveRule;
using detail::Operand;
using Kind = Operand::Kind;

/// Values of the names of one expression, looked up once.
class LookedUp {
 public:
  LookedUp(const std::vector<std::string>& names, const Lookup& lookup) {
    values_.reserve(names.size());
    for (const std::string& name : names) values_.push_back(lookup(name));
    for (const std::optional<Value>& value : values_) slots_.push_back(value ? &*value : nullptr);
  }
  Slots slots() const { return slots_; }

 private:
  std::vector<std::optional<Value>> values_;
  std::vector<const Value*> slots_;
};

Value to_value(const Operand& operand) {
  if (operand.kind == Kind::Boolean) return operand.boolean;
  if (operand.kind == Kind::Text) return *operand.text;
  if (operand.kind == Kind::Nested) return Nested{*operand.text};
  const bool exact = operand.integer && std::fabs(operand.number) < 9e15;
  return exact ? Value(static_cast<std::int64_t>(operand.number)) : Value(operand.number);
}

}  // namespace

core::Result<Expression> Expression::parse(std::string_view text,
                                           const std::vector<std::string>& known_names) {
  try {
    Expression expression;
    expression.tree_ = std::make_shared<const Tree>(detail::parse_tree(text, known_names));
    return expression;
  } catch (const detail::ParseFault& fault) {
    const std::string shown(text.substr(0, 200));
    return core::invalid_input(
        "'" + shown + "': " + fault.message + " at character " + std::to_string(fault.offset + 1),
        fault.hint);
  }
}

core::Result<Value> Expression::evaluate(const Lookup& lookup) const {
  const LookedUp found(names(), lookup);
  std::string message;
  const Operand result = detail::evaluate(*tree_, found.slots(), InactiveRule::IsFalse, &message);
  if (result.kind == Kind::Inactive) message = "needs a parameter that is inactive here";
  if (!message.empty()) return core::invalid_input("'" + text() + "': " + message);
  return to_value(result);
}

bool Expression::holds(const Lookup& lookup) const {
  return holds(LookedUp(names(), lookup).slots());
}

bool Expression::holds(Slots slots) const {
  const Operand result = detail::evaluate(*tree_, slots, InactiveRule::IsFalse, nullptr);
  return result.kind == Kind::Boolean && result.boolean;
}

bool Expression::holds_or_inactive(const Lookup& lookup) const {
  return holds_or_inactive(LookedUp(names(), lookup).slots());
}

bool Expression::holds_or_inactive(Slots slots) const {
  const Operand result = detail::evaluate(*tree_, slots, InactiveRule::IsUnknown, nullptr);
  return result.kind == Kind::Inactive || (result.kind == Kind::Boolean && result.boolean);
}

std::optional<double> Expression::number(const Lookup& lookup) const {
  const LookedUp found(names(), lookup);
  const Operand result = detail::evaluate(*tree_, found.slots(), InactiveRule::IsFalse, nullptr);
  if (result.kind != Kind::Number || !std::isfinite(result.number)) return std::nullopt;
  return result.number;
}

const std::string& Expression::text() const {
  return tree_->text;
}

const std::vector<std::string>& Expression::names() const {
  return tree_->names;
}

}  // namespace paretune::space
