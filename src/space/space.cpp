#include "paretune/space/space.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "space/compiled_space.hpp"
#include "space/enumerator.hpp"

namespace paretune::space {

namespace {

using detail::CompiledSpace;
using detail::Component;
using detail::Enumerator;

constexpr std::size_t kDrawStepLimit = 2'000'000;
/// Draws by rejection before counting is tried: about what building the counts of a small component costs.
constexpr std::size_t kTriesBeforeCounting = 200;

std::size_t restart_axes(const CompiledSpace& space, const std::vector<std::size_t>& axes) {
  return static_cast<std::size_t>(
      std::count_if(axes.begin(), axes.end(), [&](std::size_t axis) { return !space.axis(axis).live; }));
}

core::Count count_component(const CompiledSpace& space, const Component& component, bool only_restart,
                            std::size_t limit) {
  const std::vector<std::size_t> order = detail::counting_order(space, component.axes, only_restart);
  const std::size_t counted = only_restart ? restart_axes(space, order) : order.size();
  return Enumerator(space, order, counted, limit).count();
}

core::Count count_all(const CompiledSpace& space, bool only_restart, std::size_t limit) {
  core::Count total = 1;
  for (const Component& component : space.components()) {
    total *= count_component(space, component, only_restart, limit);
  }
  return total;
}

void require_discrete(const Space& space, const char* what) {
  if (space.continuous())
    throw std::invalid_argument(std::string(what) + ": the space has a continuous parameter");
}

std::vector<std::size_t> restart_then_live(const std::vector<Axis>& axes) {
  std::vector<std::size_t> order;
  for (const bool live : {false, true}) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axes[a].live == live) order.push_back(a);
    }
  }
  return order;
}

}  // namespace

const Parameter* Space::find(std::string_view name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

bool Space::continuous() const {
  return std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return !axis.levels; });
}

std::optional<core::Count> Space::count_points(std::size_t component_limit) const {
  if (continuous()) return std::nullopt;
  return compiled_ ? count_all(*compiled_, false, component_limit) : core::Count(1);
}

std::optional<core::Count> Space::count_configurations(std::size_t component_limit) const {
  if (continuous()) return std::nullopt;
  return compiled_ ? count_all(*compiled_, true, component_limit) : core::Count(1);
}

core::Count Space::raw_configurations() const {
  core::Count product = 1;
  for (const Axis& axis : axes_) {
    if (!axis.live) product *= axis.levels.value_or(1);
  }
  return product;
}

void Space::for_each_configuration(const std::function<bool(const Code&)>& visit) const {
  require_discrete(*this, "for_each_configuration");
  Code code(axes_.size(), 0.0);
  if (!compiled_) {
    visit(code);
    return;
  }
  const std::vector<std::size_t> order = restart_then_live(axes_);
  Enumerator(*compiled_, order, restart_axes(*compiled_, order), 0).visit(code, visit);
}

std::vector<Code> Space::live_codes(const Code& configuration) const {
  require_discrete(*this, "live_codes");
  Code code = canonical(configuration);
  std::vector<Code> codes;
  if (!compiled_) return {code};
  const std::vector<std::size_t> order = restart_then_live(axes_);
  Enumerator enumerator(*compiled_, order, order.size(), 0);
  enumerator.visit_from(restart_axes(*compiled_, order), code, [&](const Code& found) {
    codes.push_back(found);
    return true;
  });
  return codes;
}

namespace {

/// Draws the axes of one component without regard to its checks.
void draw_freely(const CompiledSpace& compiled, const Space& space, const Component& component,
                 core::Random& random, Code& code) {
  for (const std::size_t axis : component.axes) {
    if (const auto levels = compiled.axis(axis).levels) {
      code[axis] = static_cast<double>(random.index(*levels));
    } else {
      std::vector<double> unit(space.axes().size(), 0.0);
      unit[axis] = random.uniform();
      code[axis] = space.from_unit(unit)[axis];
    }
  }
}

/// Is the drawn part canonical and valid? A continuous axis that is inactive is set to 0, for no draw would
/// hit that.
bool accept(const CompiledSpace& compiled, const Component& component, Code& code) {
  detail::Assignment state = compiled.start();
  for (const std::size_t axis : component.axes) compiled.assign(state, axis, code[axis]);
  compiled.decide(state, component);
  for (const std::size_t axis : component.axes) {
    const double canonical = compiled.canonical_code(state, axis, code[axis]);
    if (!compiled.axis(axis).levels) code[axis] = canonical;
    if (code[axis] != canonical) return false;
  }
  return std::all_of(component.constraints.begin(), component.constraints.end(),
                     [&](std::size_t constraint) { return compiled.holds(state, constraint); });
}

bool is_discrete(const CompiledSpace& compiled, const Component& component) {
  return std::all_of(component.axes.begin(), component.axes.end(),
                     [&](std::size_t axis) { return compiled.axis(axis).levels.has_value(); });
}

}  // namespace

std::optional<Code> Space::sample(core::Random& random, std::size_t tries) const {
  Code code(axes_.size(), 0.0);
  if (!compiled_) return code;
  for (std::size_t c = 0; c < compiled_->components().size(); ++c) {
    const Component& component = compiled_->components()[c];
    bool found = false;
    for (std::size_t attempt = 0; attempt < std::max<std::size_t>(tries, 1) && !found; ++attempt) {
      if (attempt == kTriesBeforeCounting && is_discrete(*compiled_, component) &&
          compiled_->draw_by_counting(c, kDrawStepLimit, random, code)) {
        found = true;
        break;
      }
      draw_freely(*compiled_, *this, component, random, code);
      found = component.free || accept(*compiled_, component, code);
    }
    if (!found) return std::nullopt;
  }
  return code;
}

}  // namespace paretune::space
