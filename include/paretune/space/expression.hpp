// Expressions over parameters: constraints, `when` conditions, `gpus`. Grammar (design §4): comparison (== !=
// < <= > >=), arithmetic (+ - * / %), and/or/not, `in [a, b]`, parentheses. Names may contain dashes (minus
// needs blanks on both sides); bare words on the right of ==, !=, in are strings unless they name a
// parameter.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/space/value.hpp"

namespace paretune::space {

/// Looks a name up; nullopt = the parameter is inactive in this configuration.
using Lookup = std::function<std::optional<Value>(std::string_view name)>;

/// Values of Expression::names(), in their order; nullptr = inactive. The fast form of a Lookup.
using Slots = std::span<const Value* const>;

/// What is known of a name before anything runs.
struct PossibleValues {
  std::vector<Value> values;  ///< of one kind; empty = nothing is known
  bool complete = false;      ///< it takes no other value
};
using Possibilities = std::function<PossibleValues(std::string_view name)>;

/// Immutable once parsed; cheap to copy; safe from many threads.
class Expression {
 public:
  struct Tree;

  /// @param known_names  parameters and fixed arguments; an unknown name is an error with "did you mean".
  static core::Result<Expression> parse(std::string_view text, const std::vector<std::string>& known_names);

  /// A comparison with an inactive name is false (so `not` of it is true); a constraint uses
  /// holds_or_inactive().
  /// @return Error{InvalidInput} for a type clash ("'fp8' < 3") or division by zero.
  core::Result<Value> evaluate(const Lookup& lookup) const;
  /// Truth of the expression; an evaluation error counts as false.
  bool holds(const Lookup& lookup) const;
  bool holds(Slots slots) const;
  /// For constraints: true also when a name that it needs is inactive. What the active names decide alone
  /// still counts: `a == 1 and b < 2` is violated by a = 3 whether b is active or not.
  bool holds_or_inactive(const Lookup& lookup) const;
  bool holds_or_inactive(Slots slots) const;
  /// For numbers (`gpus`). nullopt if it is no number.
  std::optional<double> number(const Lookup& lookup) const;

  /// What is wrong with it as a condition whatever the values turn out to be: texts that are ordered or
  /// computed with, a number where a truth value is needed. Empty = nothing.
  std::vector<std::string> type_faults(const Possibilities& possible) const;
  /// Remarks on comparisons of a name with a value that it never takes: most often a misspelt word.
  std::vector<std::string> never_met(const Possibilities& possible) const;

  const std::string& text() const;
  const std::vector<std::string>& names() const;  ///< names it uses, each once, sorted

 private:
  std::shared_ptr<const Tree> tree_;
};

}  // namespace paretune::space
