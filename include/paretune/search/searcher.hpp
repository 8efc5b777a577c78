// The ask/tell interface of every optimiser. A searcher never calls the world: the study (or anyone's
// evaluator through ask-tell) asks for points, measures them, and tells what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/space/space.hpp"

namespace paretune::search {

enum class Direction { Min, Max };

struct Objective {
  std::string metric;
  Direction direction = Direction::Min;
};

/// metric <= bound or metric >= bound, in the metric's unit of files.
struct Limit {
  std::string metric;
  bool upper = true;  ///< true: <=, false: >=
  double bound = 0;
};

/// What it costs to evaluate: for searchers that weigh a restart against one more live setting. Any common
/// unit.
struct EvaluationCost {
  double launch = 5;
  double measure = 1;
};

enum class FailureScope {
  Launch,  ///< the server cannot run: rules out the whole configuration
  Point,   ///< only this live setting
};

/// What is known of one point. `cost` is minimised: a maximised objective has its sign turned.
struct Observation {
  space::Point point;
  std::vector<double> cost;  ///< m values; empty = failed
  std::vector<double> sd;    ///< m standard deviations of `cost`; empty = unknown
  double violation = 0;      ///< summed relative violation of the limits; 0 = feasible
  std::optional<FailureScope> failure;
  double seconds = 0;    ///< what it took
  std::uint64_t id = 0;  ///< of the proposal; 0 = not asked for (prior knowledge, baseline)
};

struct Problem {
  space::Space space;  ///< restart and live axes together
  std::vector<Objective> objectives;
  std::vector<Limit> limits;
  std::uint64_t seed = 1;
  std::optional<std::size_t> budget_points;
  std::optional<std::size_t> budget_launches;
  EvaluationCost cost;
  /// true: every configuration is proposed with all its live settings in a row (one launch buys a whole
  /// curve).
  bool whole_curves = false;
  std::vector<space::Point> candidates;  ///< if not empty: only these may be proposed
  std::optional<space::Point> baseline;  ///< proposed first; without a live part: its configuration
  /// Expected (not measured) costs of points, from a model or another study: they order the first proposals
  /// of methods that can use them. Entries outside the space or without finite costs are ignored.
  std::vector<Observation> prior;
};

struct Proposal {
  std::uint64_t id = 0;  ///< 1, 2, …
  space::Point point;
  std::string reason;  ///< for `tune -v` and the store
};

struct AskContext {
  std::size_t count = 1;
  /// The configuration of the server that is up now; a point of it costs no launch.
  std::optional<space::Configuration> running;
};

/// One thread. Deterministic for a seed and an equal sequence of calls.
class Searcher {
 public:
  virtual ~Searcher() = default;
  virtual std::string_view name() const = 0;
  /// @return at most `count` proposals, never one asked or told before; empty = exhausted. Points of one
  /// configuration
  ///         follow each other, those of the running one come first.
  virtual std::vector<Proposal> ask(const AskContext& context) = 0;
  /// In any order; several times for a repeated point (the last one counts). Observations of points outside
  /// the space are ignored. A cost that is not finite makes the point a failed one.
  virtual void tell(std::span<const Observation> observations) = 0;
};

/// Names accepted by make_searcher, for help and "did you mean".
const std::vector<std::string>& searcher_names();

/// @param method  grid, random, sobol, nsga2 (default of the program).
/// @return Error{InvalidInput}: unknown method with "did you mean"; grid on a continuous space.
core::Result<std::unique_ptr<Searcher>> make_searcher(std::string_view method, Problem problem);

/// Sign-turned costs of metric values. @return nullopt if one of them is missing or not finite.
std::optional<std::vector<double>> costs_of(std::span<const Objective> objectives,
                                            const std::vector<std::optional<double>>& values);
/// Relative violation of one limit: max(0, (value - bound)/|bound|) for an upper bound (absolute if bound is
/// 0).
double violation_of(const Limit& limit, double value);

}  // namespace paretune::search
