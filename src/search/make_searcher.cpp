#include <algorithm>
#include <array>
#include <cmath>

#include "paretune/core/text.hpp"
#include "paretune/search/searcher.hpp"
#include "search/methods.hpp"
#include "search/nsga2.hpp"

namespace paretune::search {

namespace {

constexpr std::uint64_t kMaxGrid = 10'000'000;

/// Methods of later versions: known by name, so that the answer is not "unknown".
constexpr std::array<std::string_view, 2> kPlanned{"mobo", "mgda"};

core::Error unknown_method(std::string_view method) {
  const std::string known = core::join(searcher_names(), ", ");
  if (std::find(kPlanned.begin(), kPlanned.end(), method) != kPlanned.end()) {
    return core::invalid_input("method '" + std::string(method) + "' is not available yet",
                               "use one of " + known);
  }
  const std::string guess = core::did_you_mean(method, searcher_names());
  return core::invalid_input("unknown method '" + std::string(method) + "'",
                             (guess.empty() ? "" : guess + " ") + "known methods: " + known);
}

std::optional<core::Error> check_grid(const Problem& problem) {
  if (!problem.candidates.empty()) return std::nullopt;
  const std::string others = "use random, sobol or nsga2";
  for (const space::Axis& axis : problem.space.axes()) {
    if (axis.levels) continue;
    return core::invalid_input("grid cannot list the continuous parameter '" + axis.name + "'",
                               "give it values or a step, or " + others);
  }
  const core::Count count = problem.space.count_configurations().value_or(core::Count{});
  if (count.saturated() || count.as_uint64().value_or(kMaxGrid + 1) > kMaxGrid) {
    return core::invalid_input(
        "grid would list " + count.to_string() + " configurations, the limit is 10000000",
        "narrow the space, or " + others);
  }
  return std::nullopt;
}

std::optional<core::Error> check_curves(const Problem& problem) {
  if (!problem.whole_curves) return std::nullopt;
  for (const space::Axis& axis : problem.space.axes()) {
    if (axis.live && !axis.levels) {
      return core::invalid_input(
          "whole curves need a list of live settings, but '" + axis.name + "' is continuous",
          "give it values or a step");
    }
  }
  return std::nullopt;
}

/// The code of a point; a point without live settings stands for its configuration.
std::optional<space::Code> find_point(const Problem& problem, const space::Point& point) {
  if (auto code = problem.space.encode(point)) return code;
  if (!point.live.empty()) return std::nullopt;
  return first_point_of(problem.space, point.configuration);
}

std::string describe(const space::Point& point) {
  std::string text = space::describe(point.configuration);
  if (!point.live.empty()) text += " at " + space::describe(point.live);
  return text;
}

core::Result<CheckedProblem> check(Problem problem) {
  if (problem.objectives.empty()) return core::invalid_input("a search needs at least one objective");
  if (auto error = check_curves(problem)) return *error;
  CheckedProblem checked;
  for (const space::Point& point : problem.candidates) {
    const std::optional<space::Code> code = problem.space.encode(point);
    if (!code) return core::invalid_input("the candidate " + describe(point) + " is not in the space");
    checked.candidates.push_back(*code);
  }
  if (problem.baseline) {
    checked.baseline = find_point(problem, *problem.baseline);
    if (!checked.baseline) {
      return core::invalid_input("the baseline " + describe(*problem.baseline) + " is not in the space",
                                 "name every parameter that is active, with a value of its range");
    }
  }
  for (const Observation& expected : problem.prior) {
    const std::optional<space::Code> code = problem.space.encode(expected.point);
    const bool usable = code && !expected.failure && expected.cost.size() == problem.objectives.size() &&
                        std::isfinite(expected.violation) &&
                        std::ranges::all_of(expected.cost, [](double cost) { return std::isfinite(cost); });
    if (usable) checked.prior.push_back({*code, expected.cost, expected.violation});
  }
  checked.problem = std::move(problem);
  return checked;
}

}  // namespace

const std::vector<std::string>& searcher_names() {
  static const std::vector<std::string> kNames{"grid", "random", "sobol", "nsga2"};
  return kNames;
}

core::Result<std::unique_ptr<Searcher>> make_searcher(std::string_view method, Problem problem) {
  if (std::find(searcher_names().begin(), searcher_names().end(), method) == searcher_names().end()) {
    return unknown_method(method);
  }
  if (method == "grid") {
    if (auto error = check_grid(problem)) return *error;
  }
  core::Result<CheckedProblem> checked = check(std::move(problem));
  if (!checked) return checked.error();
  std::unique_ptr<Searcher> searcher;
  if (method == "grid") {
    searcher = std::make_unique<GridSearcher>(std::move(*checked));
  } else if (method == "random") {
    searcher = std::make_unique<RandomSearcher>(std::move(*checked));
  } else if (method == "sobol") {
    searcher = std::make_unique<SobolSearcher>(std::move(*checked));
  } else {
    searcher = std::make_unique<Nsga2Searcher>(std::move(*checked));
  }
  return searcher;
}

}  // namespace paretune::search
