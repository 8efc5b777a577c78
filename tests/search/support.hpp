// Short ways to spaces, problems and loops for the tests of this module.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paretune/search/searcher.hpp"

namespace paretune::search::testing {

/// @param yaml  the `space` section. @param live  names of parameters that change without a restart
space::Space space_of(const std::string& yaml, const std::vector<std::string>& live = {},
                      const std::vector<std::string>& constraints = {});

/// Two minimised objectives "f0" and "f1" (or more).
Problem problem_of(space::Space space, std::uint64_t seed = 1, std::size_t objectives = 2);

/// @throws std::runtime_error with the message if there is none.
std::unique_ptr<Searcher> searcher_of(const std::string& method, Problem problem);

/// Costs of a point; nullopt = the launch fails.
using Evaluate = std::function<std::optional<std::vector<double>>(const space::Point&)>;

/// Asks and tells one at a time. @return the points in order, at most `count`.
std::vector<space::Point> run(Searcher& searcher, std::size_t count, const Evaluate& evaluate);

Observation told(const Proposal& proposal, std::vector<double> cost);
Observation failed(const Proposal& proposal, FailureScope scope);
void tell_one(Searcher& searcher, const Observation& observation);
/// The only proposal of an ask for one. @throws std::runtime_error if there is none.
Proposal ask_one(Searcher& searcher, std::optional<space::Configuration> running = std::nullopt);

double number(const space::Point& point, const std::string& name);

}  // namespace paretune::search::testing
