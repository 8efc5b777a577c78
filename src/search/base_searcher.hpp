// The frame around every method: ids, the baseline first, whole curves in a row, failed configurations ruled
// out, and the bookkeeping of asked and told points. A method only says which site is next and listens to
// what came out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "paretune/search/searcher.hpp"
#include "search/ledger.hpp"

namespace paretune::search {

/// A site that a method chose, and why.
struct Choice {
  space::Code site;
  std::string reason;
};

/// What came out at a point. Failed points have no cost.
struct Outcome {
  space::Code point;
  std::vector<double> cost;  ///< finite; empty = failed
  double violation = 0;
};

/// A problem whose candidates, baseline and prior were found in its space.
struct CheckedProblem {
  Problem problem;
  std::vector<space::Code> candidates;
  std::optional<space::Code> baseline;  ///< a point
  std::vector<Outcome> prior;           ///< predicted, not measured
};

class BaseSearcher : public Searcher {
 public:
  /// @param always_curves  sites are configurations even if the problem does not ask for whole curves
  explicit BaseSearcher(CheckedProblem checked, bool always_curves = false);
  BaseSearcher(const BaseSearcher&) = delete;
  BaseSearcher& operator=(const BaseSearcher&) = delete;

  std::vector<Proposal> ask(const AskContext& context) final;
  void tell(std::span<const Observation> observations) final;

 protected:
  /// The next site, one that ledger().is_new_site(); nullopt when there is none left.
  /// @param running  key of the configuration that is up
  virtual std::optional<Choice> choose(const std::optional<space::Code>& running) = 0;
  /// Called for each told point, in the order of telling. A point that is told again comes again: the last
  /// one counts.
  virtual void learn(const Outcome& /*outcome*/) {}

  const Problem& problem() const { return problem_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  struct Curve {
    space::Code configuration;
    std::vector<space::Code> rest;  ///< live settings not yet proposed, the next one last
    std::string reason;
  };
  struct Planned {
    space::Code point;
    std::string reason;
  };

  std::optional<Planned> next_point(const std::optional<space::Code>& running);
  std::optional<Planned> from_baseline();
  std::optional<Planned> from_curve_of(const std::optional<space::Code>& configuration);
  void open_curve(const space::Code& configuration, std::string reason);
  std::vector<Proposal> issue(std::vector<Planned> planned, const std::optional<space::Code>& running);
  void take(const Observation& observation);

  Problem problem_;
  Ledger ledger_;
  std::optional<space::Code> baseline_;
  std::vector<Curve> curves_;                     ///< begun, oldest first
  std::map<std::uint64_t, space::Code> pending_;  ///< proposals not yet told
  std::uint64_t last_id_ = 0;
};

}  // namespace paretune::search
