#include "search/ledger.hpp"

#include <algorithm>

namespace paretune::search {

using space::Code;

std::optional<Code> first_point_of(const space::Space& space, const space::Configuration& configuration) {
  space::Point point{configuration, {}};
  for (const space::Parameter& parameter : space.parameters()) {
    if (!parameter.live) continue;
    const auto* real = std::get_if<space::RealRange>(&parameter.domain);
    point.live[parameter.name] =
        real != nullptr ? space::Value{real->min} : level_at(parameter.domain, 0).value;
  }
  return space.encode(point);
}

Ledger::Ledger(const space::Space& space, bool curves, std::vector<Code> candidates)
    : space_(space), curves_(curves) {
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
    if (space.axes()[axis].live && space.axes()[axis].levels) live_axes_.push_back(axis);
  }
  for (const Code& point : candidates) {
    if (!candidates_.insert(point).second) continue;
    std::vector<Code>& curve = candidate_curves_[configuration_of(point)];
    curve.push_back(point);
    if (!curves_) {
      candidate_sites_.push_back(point);
    } else if (curve.size() == 1) {
      candidate_sites_.push_back(configuration_of(point));
    }
  }
}

Code Ledger::configuration_of(Code code) const {
  for (std::size_t axis = 0; axis < code.size(); ++axis) {
    if (space_.axes()[axis].live) code[axis] = 0;
  }
  return code;
}

std::optional<Code> Ledger::find_configuration(const space::Configuration& configuration) const {
  const std::optional<Code> point = first_point_of(space_, configuration);
  return point ? std::optional(configuration_of(*point)) : std::nullopt;
}

bool Ledger::is_open(const Code& point) const {
  if (seen_.contains(point) || (has_candidates() && !candidates_.contains(point))) return false;
  return !failed_.contains(configuration_of(point)) && space_.valid(point);
}

bool Ledger::is_new_site(const Code& site) const {
  if (!curves_) return is_open(site);
  if (opened_.contains(site) || failed_.contains(site)) return false;
  return visit_points(site, [this](const Code& point) { return !is_open(point); });
}

std::vector<Code> Ledger::open_points(const Code& configuration) const {
  std::vector<Code> points;
  visit_points(configuration, [&](const Code& point) {
    if (is_open(point)) points.push_back(point);
    return true;
  });
  return points;
}

/// Candidates of the configuration, or all combinations of its live levels, the last axis moving fastest,
/// until `visit` returns false. (Space::live_codes does the same for spaces without real parameters only.)
/// @return true if `visit` ended it
bool Ledger::visit_points(const Code& configuration, const std::function<bool(const Code&)>& visit) const {
  if (has_candidates()) {
    const auto found = candidate_curves_.find(configuration);
    return found != candidate_curves_.end() &&
           !std::all_of(found->second.begin(), found->second.end(), visit);
  }
  Code point = configuration;
  while (true) {
    // Another code of the same point (an inactive live axis) is not canonical.
    if (space_.canonical(point) == point && !visit(point)) return true;
    std::size_t k = live_axes_.size();
    for (; k > 0; --k) {
      double& level = point[live_axes_[k - 1]];
      if (++level < static_cast<double>(*space_.axes()[live_axes_[k - 1]].levels)) break;
      level = 0;
    }
    if (k == 0) return false;
  }
}

}  // namespace paretune::search
