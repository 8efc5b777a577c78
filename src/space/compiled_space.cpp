#include "space/compiled_space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "space/enumerator.hpp"

namespace paretune::space::detail {

namespace {

/// Levels up to this many are kept as values; a longer range computes each when it is asked for.
constexpr std::size_t kTableLevels = 4096;

std::vector<Value> level_values(const Domain& domain, std::size_t count) {
  std::vector<Value> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(level_at(domain, i).value);
  return values;
}

const Link* link_of(const std::vector<Link>& links, const std::string& parameter) {
  for (const Link& link : links) {
    if (std::find(link.names.begin(), link.names.end(), parameter) != link.names.end()) return &link;
  }
  return nullptr;
}

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::size_t find(std::size_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  /// The smaller index becomes the representative, so that components keep the order of the file.
  void join(std::size_t a, std::size_t b) {
    const std::size_t low = std::min(find(a), find(b)), high = std::max(find(a), find(b));
    parent_[high] = low;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

bool equal_values(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return as_number(a) == as_number(b);
  return a == b;
}

CompiledSpace::CompiledSpace() = default;
CompiledSpace::~CompiledSpace() = default;

core::Result<std::shared_ptr<const CompiledSpace>> CompiledSpace::build(
    const std::vector<Parameter>& parameters, const std::vector<Axis>& axes, const std::vector<Link>& links,
    const std::vector<Expression>& constraints, const Configuration& fixed) {
  auto compiled = std::make_shared<CompiledSpace>();
  compiled->parameters_ = parameters;
  compiled->axes_ = axes;
  compiled->fixed_ = fixed;
  compiled->axis_of_.resize(parameters.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    Table table;
    const Link* link = link_of(links, parameters[axes[a].parameters.front()].name);
    for (std::size_t c = 0; c < axes[a].parameters.size(); ++c) {
      const std::size_t p = axes[a].parameters[c];
      compiled->axis_of_[p] = a;
      if (link != nullptr) {
        std::vector<Value> column;
        for (const auto& row : link->rows) column.push_back(row[c].value);
        table.columns.push_back(std::move(column));
      } else if (axes[a].levels && *axes[a].levels <= kTableLevels) {
        table.columns.push_back(level_values(parameters[p].domain, *axes[a].levels));
      }
    }
    compiled->tables_.push_back(std::move(table));
  }
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].when) compiled->conditions_.emplace(p, compiled->bind(*parameters[p].when));
  }
  for (const Expression& constraint : constraints)
    compiled->constraints_.push_back(compiled->bind(constraint));
  std::string cycle;
  if (!compiled->order_conditions(cycle)) {
    return core::invalid_input("the `when` conditions of " + cycle + " depend on each other");
  }
  compiled->find_components();
  return std::shared_ptr<const CompiledSpace>(std::move(compiled));
}

BoundExpression CompiledSpace::bind(const Expression& expression) const {
  BoundExpression bound{expression, {}, {}};
  for (const std::string& name : expression.names()) {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    SlotSource source;
    if (found != parameters_.end()) {
      source.parameter = static_cast<std::size_t>(found - parameters_.begin());
      bound.parameters.push_back(source.parameter);
    } else {
      source.fixed = &fixed_.at(name);
    }
    bound.sources.push_back(source);
  }
  return bound;
}

/// Topological order by depth-first search over "names in its condition".
bool CompiledSpace::order_conditions(std::string& cycle) {
  enum class Mark { New, Open, Done };
  std::vector<Mark> marks(parameters_.size(), Mark::New);
  const auto visit = [&](const auto& self, std::size_t p) -> bool {
    const auto condition = conditions_.find(p);
    if (marks[p] == Mark::Done || condition == conditions_.end()) return true;
    if (marks[p] == Mark::Open) {
      cycle = "'" + parameters_[p].name + "'";
      return false;
    }
    marks[p] = Mark::Open;
    for (const std::size_t needed : condition->second.parameters) {
      if (self(self, needed)) continue;
      const std::string quoted = "'" + parameters_[p].name + "'";
      if (cycle.find(quoted) == std::string::npos) cycle += " and " + quoted;
      return false;
    }
    marks[p] = Mark::Done;
    condition_order_.push_back(p);
    return true;
  };
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (!visit(visit, p)) return false;
  }
  return true;
}

void CompiledSpace::find_components() {
  DisjointSets sets(axes_.size());
  std::vector<bool> touched(axes_.size(), false);
  const auto join_all = [&](const BoundExpression& bound, std::optional<std::size_t> owner) {
    for (const std::size_t p : bound.parameters) {
      sets.join(axis_of_[p], axis_of_[owner.value_or(bound.parameters.front())]);
      touched[axis_of_[p]] = true;
    }
    if (owner) touched[axis_of_[*owner]] = true;
  };
  for (const auto& [p, condition] : conditions_) join_all(condition, p);
  for (const BoundExpression& constraint : constraints_) join_all(constraint, std::nullopt);
  std::map<std::size_t, Component> by_representative;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    Component& component = by_representative[sets.find(a)];
    component.axes.push_back(a);
    component.free = component.free && !touched[a];
  }
  for (const std::size_t p : condition_order_)
    by_representative[sets.find(axis_of_[p])].conditions.push_back(p);
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    if (constraints_[c].parameters.empty()) continue;
    by_representative[sets.find(axis_of_[constraints_[c].parameters.front()])].constraints.push_back(c);
  }
  for (auto& [representative, component] : by_representative) components_.push_back(std::move(component));
}

Assignment CompiledSpace::start() const {
  Assignment state;
  state.chosen.assign(parameters_.size(), nullptr);
  state.value.assign(parameters_.size(), nullptr);
  state.computed.resize(parameters_.size());
  return state;
}

void CompiledSpace::assign(Assignment& state, std::size_t axis_index, double code) const {
  const Axis& axis = axes_[axis_index];
  const Table& table = tables_[axis_index];
  const bool in_range = !axis.levels || (code >= 0 && code < static_cast<double>(*axis.levels));
  if (!in_range) throw std::out_of_range("Space: the code of '" + axis.name + "' is no level of it");
  const std::size_t level = axis.levels ? static_cast<std::size_t>(code) : 0;
  for (std::size_t c = 0; c < axis.parameters.size(); ++c) {
    const std::size_t p = axis.parameters[c];
    if (!table.columns.empty()) {
      state.chosen[p] = &table.columns[c][level];
    } else {
      state.computed[p] = axis.levels ? level_at(parameters_[p].domain, level).value : Value(code);
      state.chosen[p] = &state.computed[p];
    }
    state.value[p] = state.chosen[p];
  }
}

Slots CompiledSpace::fill_slots(Assignment& state, const BoundExpression& bound) const {
  state.slots.clear();
  for (const SlotSource& source : bound.sources) {
    state.slots.push_back(source.fixed != nullptr ? source.fixed : state.value[source.parameter]);
  }
  return state.slots;
}

void CompiledSpace::decide(Assignment& state, std::size_t parameter) const {
  const BoundExpression& condition = conditions_.at(parameter);
  state.value[parameter] =
      condition.expression.holds(fill_slots(state, condition)) ? state.chosen[parameter] : nullptr;
}

void CompiledSpace::decide(Assignment& state, const Component& component) const {
  for (const std::size_t p : component.conditions) decide(state, p);
}

void CompiledSpace::decide_all(Assignment& state) const {
  for (const std::size_t p : condition_order_) decide(state, p);
}

double CompiledSpace::canonical_code(const Assignment& state, std::size_t axis_index, double code) const {
  const std::vector<std::size_t>& members = axes_[axis_index].parameters;
  std::vector<const Value*> active;
  for (const std::size_t p : members) active.push_back(state.value[p]);
  const auto inactive = std::count(active.begin(), active.end(), nullptr);
  if (inactive == 0) return code;
  if (static_cast<std::size_t>(inactive) == members.size()) return 0;
  return static_cast<double>(*find_row(axis_index, active));
}

bool CompiledSpace::holds(Assignment& state, std::size_t index) const {
  const BoundExpression& constraint = constraints_[index];
  return constraint.expression.holds_or_inactive(fill_slots(state, constraint));
}

bool CompiledSpace::draw_by_counting(std::size_t component, std::size_t step_limit, core::Random& random,
                                     Code& code) const {
  const std::lock_guard lock(counters_mutex_);
  std::unique_ptr<Enumerator>& counter = counters_[component];
  if (counter == nullptr) {
    const std::vector<std::size_t> order = counting_order(*this, components_[component].axes, false);
    counter = std::make_unique<Enumerator>(*this, order, order.size(), step_limit);
  }
  return counter->draw(code, random);
}

std::optional<std::size_t> CompiledSpace::find_row(std::size_t axis_index,
                                                   const std::vector<const Value*>& wanted) const {
  const Table& table = tables_[axis_index];
  for (std::size_t row = 0; row < *axes_[axis_index].levels; ++row) {
    bool fits = true;
    for (std::size_t c = 0; c < wanted.size() && fits; ++c) {
      fits = wanted[c] == nullptr || equal_values(*wanted[c], table.columns[c][row]);
    }
    if (fits) return row;
  }
  return std::nullopt;
}

}  // namespace paretune::space::detail
