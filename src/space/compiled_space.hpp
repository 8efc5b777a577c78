// Tables behind Space: the values of every level, the slots of every expression, the order in which
// conditions are decided. Built once by Space::create; read by canonical(), valid(), decode() and the
// enumerator.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "paretune/space/space.hpp"

namespace paretune::space::detail {

/// Where the value of one name of an expression comes from.
struct SlotSource {
  const Value* fixed = nullptr;  ///< a fixed argument, or:
  std::size_t parameter = 0;
};

struct BoundExpression {
  Expression expression;
  std::vector<SlotSource> sources;      ///< one per name
  std::vector<std::size_t> parameters;  ///< the parameters among them
};

/// Axes that share expressions, in file order; different components do not influence each other.
struct Component {
  std::vector<std::size_t> axes;
  std::vector<std::size_t> conditions;   ///< parameters with a condition, in the order of deciding
  std::vector<std::size_t> constraints;  ///< indices
  bool free = true;                      ///< no expression touches it
};

class Enumerator;

/// Values of all parameters for one (partial) code. One per thread and call.
struct Assignment {
  std::vector<const Value*> chosen;  ///< by the code, active or not
  std::vector<const Value*> value;   ///< nullptr = inactive
  std::vector<Value> computed;       ///< storage for levels that are not in a table
  std::vector<const Value*> slots;   ///< scratch of evaluate
};

class CompiledSpace {
 public:
  /// @return Error{InvalidInput} with every fault, one a line.
  static core::Result<std::shared_ptr<const CompiledSpace>> build(const std::vector<Parameter>& parameters,
                                                                  const std::vector<Axis>& axes,
                                                                  const std::vector<Link>& links,
                                                                  const std::vector<Expression>& constraints,
                                                                  const Configuration& fixed);

  std::size_t axis_count() const { return axes_.size(); }
  const Axis& axis(std::size_t index) const { return axes_[index]; }
  const std::vector<Component>& components() const { return components_; }
  std::size_t constraint_count() const { return constraints_.size(); }
  const BoundExpression& constraint(std::size_t index) const { return constraints_[index]; }
  const std::map<std::size_t, BoundExpression>& conditions() const { return conditions_; }
  /// Parameters with a condition, each after those that its condition names.
  const std::vector<std::size_t>& condition_order() const { return condition_order_; }

  Assignment start() const;
  /// Gives the parameters of one axis the values of a level; they count as active until decided otherwise.
  /// @throws std::out_of_range for a level that the axis does not have.
  void assign(Assignment& state, std::size_t axis, double code) const;
  void decide(Assignment& state, std::size_t parameter) const;
  void decide(Assignment& state, const Component& component) const;
  void decide_all(Assignment& state) const;
  /// The least code that means the same under the present activity.
  double canonical_code(const Assignment& state, std::size_t axis, double code) const;
  bool holds(Assignment& state, std::size_t constraint) const;
  std::size_t axis_of(std::size_t parameter) const { return axis_of_[parameter]; }
  /// Index of the first row of the axis whose values equal `wanted` (one per column; nullptr = any).
  std::optional<std::size_t> find_row(std::size_t axis, const std::vector<const Value*>& wanted) const;

  /// Draws the axes of one discrete component uniformly by its exact counts, which are kept for the next
  /// draw. Safe from many threads. @return false if there is nothing to draw, or if counting takes over
  /// `step_limit` steps.
  bool draw_by_counting(std::size_t component, std::size_t step_limit, core::Random& random,
                        Code& code) const;

  CompiledSpace();
  ~CompiledSpace();
  CompiledSpace(const CompiledSpace&) = delete;
  CompiledSpace& operator=(const CompiledSpace&) = delete;

 private:
  struct Table {
    std::vector<std::vector<Value>> columns;  ///< columns[c][level]; empty = computed from the domain
  };
  Slots fill_slots(Assignment& state, const BoundExpression& bound) const;
  BoundExpression bind(const Expression& expression) const;
  bool order_conditions(std::string& cycle);
  void find_components();

  std::vector<Parameter> parameters_;
  std::vector<Axis> axes_;
  std::vector<Table> tables_;         ///< by axis
  std::vector<std::size_t> axis_of_;  ///< by parameter
  Configuration fixed_;
  std::map<std::size_t, BoundExpression> conditions_;  ///< by parameter
  std::vector<std::size_t> condition_order_;
  std::vector<BoundExpression> constraints_;
  std::vector<Component> components_;

  mutable std::mutex counters_mutex_;
  mutable std::map<std::size_t, std::unique_ptr<Enumerator>> counters_;  ///< by component
};

/// Equal as parameter values: numbers compare by value (16 and 16.0), everything else by kind and content.
bool equal_values(const Value& a, const Value& b);

}  // namespace paretune::space::detail
