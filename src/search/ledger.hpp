// What may still be proposed: valid points that were neither asked nor told, whose configuration did not
// fail, and that are among the candidates if there are any. Every searcher draws through it, so none can
// repeat itself. A *site* is what a searcher chooses: a point, or (whole curves) a configuration with all its
// live settings.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "paretune/search/searcher.hpp"
#include "search/code_set.hpp"

namespace paretune::search {

/// A configuration at its first live setting. @return nullopt if it is not in the space.
std::optional<space::Code> first_point_of(const space::Space& space,
                                          const space::Configuration& configuration);

/// One thread. Holds a reference to the space, which must outlive it.
class Ledger {
 public:
  /// @param curves  sites are configurations
  /// @param candidates  codes of Problem::candidates; empty = no restriction
  Ledger(const space::Space& space, bool curves, std::vector<space::Code> candidates);

  const space::Space& space() const { return space_; }
  bool curves() const { return curves_; }
  bool has_candidates() const { return !candidates_.empty(); }
  /// Sites among the candidates, in their order.
  const std::vector<space::Code>& candidate_sites() const { return candidate_sites_; }

  /// The restart part of a code: live axes set to 0. The key of a configuration.
  space::Code configuration_of(space::Code code) const;
  /// The same for a configuration given by name. @return nullopt if it is not in the space.
  std::optional<space::Code> find_configuration(const space::Configuration& configuration) const;
  /// The site of a point: itself, or its configuration.
  space::Code site_of(const space::Code& point) const { return curves_ ? configuration_of(point) : point; }

  /// May this (canonical) point still be proposed?
  bool is_open(const space::Code& point) const;
  /// May this site still be chosen? A configuration may if it was not opened and has an open live setting.
  bool is_new_site(const space::Code& site) const;
  /// Live settings of a configuration that may still be proposed, in file order (a continuous live axis stays
  /// at 0).
  std::vector<space::Code> open_points(const space::Code& configuration) const;

  bool seen(const space::Code& point) const { return seen_.contains(point); }
  bool failed(const space::Code& configuration) const { return failed_.contains(configuration); }
  bool opened(const space::Code& configuration) const { return opened_.contains(configuration); }
  void mark_seen(const space::Code& point) { seen_.insert(point); }
  void mark_opened(const space::Code& configuration) { opened_.insert(configuration); }
  void rule_out(const space::Code& configuration) { failed_.insert(configuration); }

 private:
  bool visit_points(const space::Code& configuration,
                    const std::function<bool(const space::Code&)>& visit) const;

  const space::Space& space_;
  bool curves_;
  std::vector<std::size_t> live_axes_;  ///< those with levels
  CodeSet candidates_;
  std::vector<space::Code> candidate_sites_;
  CodeMap<std::vector<space::Code>> candidate_curves_;  ///< configuration -> its candidate points
  CodeSet seen_;                                        ///< points asked or told
  CodeSet opened_;                                      ///< configurations whose curve was begun
  CodeSet failed_;                                      ///< configurations that cannot run
};

}  // namespace paretune::search
