#include <algorithm>
#include <stdexcept>

#include "space/compiled_space.hpp"

namespace paretune::space {

namespace {

using detail::Assignment;
using detail::CompiledSpace;

Assignment decided(const CompiledSpace& compiled, const Code& code) {
  if (code.size() != compiled.axis_count()) {
    throw std::invalid_argument("Space: a code of " + std::to_string(code.size()) + " numbers for " +
                                std::to_string(compiled.axis_count()) + " axes");
  }
  Assignment state = compiled.start();
  for (std::size_t axis = 0; axis < code.size(); ++axis) compiled.assign(state, axis, code[axis]);
  compiled.decide_all(state);
  return state;
}

const Value* find_value(const Point& point, const Parameter& parameter) {
  const auto& values = parameter.live ? point.live : point.configuration;
  const auto found = values.find(parameter.name);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<double> encode_real(const RealRange& range, const Value& value) {
  if (!is_number(value)) return std::nullopt;
  const double number = as_number(value);
  if (!(number >= range.min && number <= range.max)) return std::nullopt;
  return number;
}

/// Does every active continuous parameter lie in its range?
bool reals_in_range(const std::vector<Axis>& axes, const std::vector<Parameter>& parameters,
                    const Assignment& state) {
  return std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
    const std::size_t p = axis.parameters.front();
    if (axis.levels || state.value[p] == nullptr) return true;
    return encode_real(std::get<RealRange>(parameters[p].domain), *state.value[p]).has_value();
  });
}

/// Are all names of the point known? A fixed argument may be repeated with its own value.
bool names_are_known(const Space& space, const Point& point) {
  for (const auto* values : {&point.configuration, &point.live}) {
    for (const auto& [name, value] : *values) {
      const Parameter* parameter = space.find(name);
      if (parameter != nullptr && parameter->live == (values == &point.live)) continue;
      const auto fixed = space.fixed().find(name);
      if (fixed == space.fixed().end() || !detail::equal_values(fixed->second, value)) return false;
    }
  }
  return true;
}

}  // namespace

Code Space::canonical(Code code) const {
  if (!compiled_) return code;
  const Assignment state = decided(*compiled_, code);
  for (std::size_t axis = 0; axis < code.size(); ++axis) {
    code[axis] = compiled_->canonical_code(state, axis, code[axis]);
  }
  return code;
}

bool Space::valid(const Code& code) const {
  if (!compiled_) return true;
  Assignment state = decided(*compiled_, code);
  if (!reals_in_range(axes_, parameters_, state)) return false;
  for (std::size_t constraint = 0; constraint < constraints_.size(); ++constraint) {
    if (!compiled_->holds(state, constraint)) return false;
  }
  return true;
}

Point Space::decode(const Code& code) const {
  Point point;
  if (!compiled_) return point;
  const Assignment state = decided(*compiled_, code);
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (state.value[p] == nullptr) continue;
    auto& values = parameters_[p].live ? point.live : point.configuration;
    values.emplace(parameters_[p].name, *state.value[p]);
  }
  return point;
}

std::optional<Code> Space::encode(const Point& point) const {
  if (!names_are_known(*this, point)) return std::nullopt;
  Code code(axes_.size(), 0.0);
  if (!compiled_) return code;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    std::vector<const Value*> wanted;
    for (const std::size_t p : axes_[a].parameters) wanted.push_back(find_value(point, parameters_[p]));
    if (std::all_of(wanted.begin(), wanted.end(), [](const Value* value) { return value == nullptr; })) {
      // Harmless if inactive (then 0 is canonical); a missing active value is found out below.
      const auto* real = std::get_if<RealRange>(&parameters_[axes_[a].parameters.front()].domain);
      code[a] = !axes_[a].levels && real != nullptr ? real->min : 0;
      continue;
    }
    const Domain& domain = parameters_[axes_[a].parameters.front()].domain;
    std::optional<double> found;
    if (!axes_[a].levels) {
      found = encode_real(std::get<RealRange>(domain), *wanted.front());
    } else {
      const auto level = axes_[a].parameters.size() > 1 ? compiled_->find_row(a, wanted)
                                                        : level_index(domain, *wanted.front());
      if (level) found = static_cast<double>(*level);
    }
    if (!found) return std::nullopt;
    code[a] = *found;
  }
  const Assignment state = decided(*compiled_, code);
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (state.value[p] != nullptr && find_value(point, parameters_[p]) == nullptr) return std::nullopt;
  }
  return canonical(std::move(code));
}

std::string Space::text(std::string_view name, const Value& value) const {
  const Parameter* parameter = find(name);
  if (parameter == nullptr) return to_text(value);
  const std::optional<std::size_t> level = level_index(parameter->domain, value);
  return level ? level_at(parameter->domain, *level).text : to_text(value);
}

}  // namespace paretune::space
