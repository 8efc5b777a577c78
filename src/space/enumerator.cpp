#include "space/enumerator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace paretune::space::detail {

namespace {

constexpr std::size_t kRememberedLimit = 4'000'000;  // about 200 MB
constexpr std::size_t kPruneSteps = 20'000'000;      // then dead prefixes are walked instead of foreseen

using AxisSet = std::set<std::size_t>;

/// All checks on `axes`: conditions first, each after those it depends on, then what uses their outcome.
std::vector<Check> checks_on(const CompiledSpace& space, const std::vector<std::size_t>& axes) {
  const AxisSet wanted(axes.begin(), axes.end());
  std::vector<Check> checks;
  std::map<std::size_t, AxisSet> of_condition;  // axes that the activity of a parameter depends on
  const auto add = [&](Check::Kind kind, std::size_t subject, const AxisSet& on) {
    if (!on.empty() && wanted.count(*on.begin()) > 0)
      checks.push_back({kind, subject, {on.begin(), on.end()}});
  };
  const auto add_axes_of = [&](std::size_t parameter, AxisSet& to) {
    to.insert(space.axis_of(parameter));
    const auto condition = of_condition.find(parameter);
    if (condition != of_condition.end()) to.insert(condition->second.begin(), condition->second.end());
  };
  std::map<std::size_t, AxisSet> of_axis;
  for (const std::size_t p : space.condition_order()) {
    AxisSet on{space.axis_of(p)};
    for (const std::size_t needed : space.conditions().at(p).parameters) add_axes_of(needed, on);
    of_axis[space.axis_of(p)].insert(on.begin(), on.end());
    add(Check::Kind::Condition, p, on);
    of_condition.emplace(p, std::move(on));
  }
  for (const auto& [axis, on] : of_axis) add(Check::Kind::Canonical, axis, on);
  for (std::size_t c = 0; c < space.constraint_count(); ++c) {
    AxisSet on;
    for (const std::size_t p : space.constraint(c).parameters) add_axes_of(p, on);
    add(Check::Kind::Constraint, c, on);
  }
  return checks;
}

}  // namespace

Enumerator::Enumerator(const CompiledSpace& space, std::vector<std::size_t> axes, std::size_t counted_axes,
                       std::size_t step_limit)
    : space_(space),
      axes_(std::move(axes)),
      counted_(counted_axes),
      step_limit_(step_limit),
      checks_(axes_.size()),
      frontiers_(axes_.size() + 1),
      chosen_(axes_.size(), 0),
      counts_(axes_.size() + 1),
      completable_(axes_.size() + 1),
      state_(space.start()) {
  plan();
}

void Enumerator::plan() {
  std::map<std::size_t, std::size_t> depth_of;
  for (std::size_t depth = 0; depth < axes_.size(); ++depth) depth_of[axes_[depth]] = depth;
  std::vector<std::set<std::size_t>> frontiers(frontiers_.size());
  for (Check& check : checks_on(space_, axes_)) {
    std::vector<std::size_t> depths;
    for (const std::size_t axis : check.axes) depths.push_back(depth_of.at(axis));
    const std::size_t ready = *std::max_element(depths.begin(), depths.end());
    // At every depth up to the check, what was set before matters to it.
    for (const std::size_t depth : depths) {
      for (std::size_t later = depth + 1; later <= ready; ++later) frontiers[later].insert(depth);
    }
    end_of_checks_ = std::max(end_of_checks_, ready + 1);
    checks_[ready].push_back(std::move(check));
  }
  for (std::size_t depth = 0; depth < frontiers.size(); ++depth) {
    frontiers_[depth].assign(frontiers[depth].begin(), frontiers[depth].end());
  }
}

bool Enumerator::passes(const Check& check) {
  switch (check.kind) {
    case Check::Kind::Condition:
      space_.decide(state_, check.subject);
      return true;
    case Check::Kind::Canonical: {
      const auto depth =
          static_cast<std::size_t>(std::find(axes_.begin(), axes_.end(), check.subject) - axes_.begin());
      const auto code = static_cast<double>(chosen_[depth]);
      return space_.canonical_code(state_, check.subject, code) == code;
    }
    case Check::Kind::Constraint:
      return space_.holds(state_, check.subject);
  }
  return false;
}

bool Enumerator::enter(std::size_t depth, std::size_t level) {
  chosen_[depth] = level;
  space_.assign(state_, axes_[depth], static_cast<double>(level));
  return std::all_of(checks_[depth].begin(), checks_[depth].end(),
                     [&](const Check& check) { return passes(check); });
}

/// Does no check look at the level chosen here?
bool Enumerator::is_free(std::size_t depth) const {
  const std::vector<std::size_t>& next = frontiers_[depth + 1];
  return checks_[depth].empty() && std::find(next.begin(), next.end(), depth) == next.end();
}

/// The part of the prefix that still matters, as one number; nullopt if it does not fit.
std::optional<std::uint64_t> Enumerator::key(std::size_t depth) const {
  std::uint64_t number = 0;
  for (const std::size_t earlier : frontiers_[depth]) {
    const bool overflow =
        __builtin_mul_overflow(number, static_cast<std::uint64_t>(levels(earlier)), &number) ||
        __builtin_add_overflow(number, static_cast<std::uint64_t>(chosen_[earlier]), &number);
    if (overflow) return std::nullopt;
  }
  return number;
}

core::Count Enumerator::count() {
  steps_ = 0;
  return count_from(0);
}

core::Count Enumerator::count_from(std::size_t depth) {
  if (depth == counted_) return can_complete(depth) ? 1 : 0;
  const std::optional<std::uint64_t> prefix = key(depth);
  if (prefix) {
    const auto known = counts_[depth].find(*prefix);
    if (known != counts_[depth].end()) return known->second;
  }
  const core::Count total = count_levels(depth);
  if (prefix && !total.saturated() && remembered_ < kRememberedLimit) {
    counts_[depth].emplace(*prefix, total);
    ++remembered_;
  }
  return total;
}

core::Count Enumerator::count_levels(std::size_t depth) {
  if (is_free(depth)) {
    enter(depth, 0);
    return core::Count(levels(depth)) * count_from(depth + 1);
  }
  core::Count total;
  for (std::size_t level = 0; level < levels(depth); ++level) {
    if (++steps_ > step_limit_) return core::Count::at_least(total);
    if (enter(depth, level)) total += count_from(depth + 1);
  }
  return total;
}

/// Can the axes from `depth` on be set so that all checks pass? May say yes when it is too long to find out,
/// but never for the axes that are not counted: there the answer is the result.
bool Enumerator::can_complete(std::size_t depth) {
  if (depth >= end_of_checks_) return true;
  if (depth < counted_ && prune_steps_ > kPruneSteps) return true;
  const std::optional<std::uint64_t> prefix = key(depth);
  if (!prefix && depth < counted_) return true;
  if (prefix) {
    const auto known = completable_[depth].find(*prefix);
    if (known != completable_[depth].end()) return known->second;
  }
  bool found = false;
  for (std::size_t level = 0; level < levels(depth) && !found; ++level) {
    ++prune_steps_;
    found = enter(depth, level) && can_complete(depth + 1);
    if (is_free(depth)) break;
  }
  if (prefix && remembered_ < kRememberedLimit) {
    completable_[depth].emplace(*prefix, found);
    ++remembered_;
  }
  return found;
}

bool Enumerator::visit(Code& code, const std::function<bool(const Code&)>& visit) {
  return !can_complete(0) || visit_level(0, code, visit);
}

bool Enumerator::visit_from(std::size_t fixed_axes, Code& code,
                            const std::function<bool(const Code&)>& visit) {
  for (std::size_t depth = 0; depth < fixed_axes; ++depth) {
    if (!enter(depth, static_cast<std::size_t>(code[axes_[depth]]))) return true;
  }
  return visit_level(fixed_axes, code, visit);
}

bool Enumerator::visit_level(std::size_t depth, Code& code, const std::function<bool(const Code&)>& visit) {
  if (depth == counted_) return visit(code);
  for (std::size_t level = 0; level < levels(depth); ++level) {
    if (!enter(depth, level) || !can_complete(depth + 1)) continue;
    code[axes_[depth]] = static_cast<double>(level);
    if (!visit_level(depth + 1, code, visit)) return false;
  }
  code[axes_[depth]] = 0;
  return true;
}

bool Enumerator::draw(Code& code, core::Random& random) {
  steps_ = 0;
  for (std::size_t depth = 0; depth < axes_.size(); ++depth) {
    std::size_t level = random.index(levels(depth));
    if (!is_free(depth)) {
      std::vector<double> cumulated;
      double total = 0;
      for (std::size_t candidate = 0; candidate < levels(depth); ++candidate) {
        ++steps_;
        const core::Count completions = enter(depth, candidate) ? count_from(depth + 1) : core::Count();
        if (completions.saturated()) return false;
        cumulated.push_back(total += completions.approximate());
      }
      if (total == 0) return false;
      const auto chosen = std::upper_bound(cumulated.begin(), cumulated.end(), random.uniform(0, total));
      level = static_cast<std::size_t>(chosen - cumulated.begin());
    }
    enter(depth, level);
    code[axes_[depth]] = static_cast<double>(level);
  }
  return true;
}

std::vector<std::size_t> counting_order(const CompiledSpace& space, const std::vector<std::size_t>& axes,
                                        bool live_last) {
  const std::vector<Check> checks = checks_on(space, axes);
  const auto size_of = [&](std::size_t axis) {
    return std::log2(static_cast<double>(*space.axis(axis).levels));
  };
  // Bits of what stays open once `set` is set: axes of checks that are not yet complete.
  const auto open_bits = [&](const AxisSet& set) {
    AxisSet open;
    for (const Check& check : checks) {
      const bool complete = std::includes(set.begin(), set.end(), check.axes.begin(), check.axes.end());
      if (!complete)
        std::set_intersection(set.begin(), set.end(), check.axes.begin(), check.axes.end(),
                              std::inserter(open, open.end()));
    }
    double bits = 0;
    for (const std::size_t axis : open) bits += size_of(axis);
    return bits;
  };
  std::vector<std::size_t> order, left = axes;
  AxisSet set;
  while (!left.empty()) {
    const bool restart_left = live_last && std::any_of(left.begin(), left.end(), [&](std::size_t axis) {
                                return !space.axis(axis).live;
                              });
    auto best = left.end();
    std::pair<double, double> best_bits{std::numeric_limits<double>::infinity(), 0};
    for (auto candidate = left.begin(); candidate != left.end(); ++candidate) {
      if (restart_left && space.axis(*candidate).live) continue;
      AxisSet with = set;
      with.insert(*candidate);
      const std::pair bits(open_bits(with), size_of(*candidate));
      if (bits >= best_bits) continue;
      best_bits = bits;
      best = candidate;
    }
    set.insert(*best);
    order.push_back(*best);
    left.erase(best);
  }
  return order;
}

}  // namespace paretune::space::detail
