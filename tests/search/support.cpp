#include "search/support.hpp"

#include <algorithm>
#include <stdexcept>

#include "paretune/core/document.hpp"

namespace paretune::search::testing {

space::Space space_of(const std::string& yaml, const std::vector<std::string>& live,
                      const std::vector<std::string>& constraints) {
  const core::Document document = core::parse_document(yaml, "space.yaml").value();
  core::Diagnostics diagnostics;
  space::SpaceSection section = space::read_space(&document.root, diagnostics);
  if (!diagnostics.ok()) throw std::runtime_error(diagnostics.to_error("space.yaml").message);
  for (space::Parameter& parameter : section.parameters) {
    parameter.live = std::find(live.begin(), live.end(), parameter.name) != live.end();
  }
  core::Result<space::Space> space = space::Space::create(section.parameters, section.links, constraints);
  if (!space) throw std::runtime_error(space.error().message);
  return std::move(*space);
}

Problem problem_of(space::Space space, std::uint64_t seed, std::size_t objectives) {
  Problem problem;
  problem.space = std::move(space);
  for (std::size_t j = 0; j < objectives; ++j)
    problem.objectives.push_back({"f" + std::to_string(j), Direction::Min});
  problem.seed = seed;
  return problem;
}

std::unique_ptr<Searcher> searcher_of(const std::string& method, Problem problem) {
  core::Result<std::unique_ptr<Searcher>> searcher = make_searcher(method, std::move(problem));
  if (!searcher) throw std::runtime_error(searcher.error().message);
  return std::move(*searcher);
}

std::vector<space::Point> run(Searcher& searcher, std::size_t count, const Evaluate& evaluate) {
  std::vector<space::Point> points;
  while (points.size() < count) {
    const std::vector<Proposal> proposals = searcher.ask({});
    if (proposals.empty()) break;
    const std::optional<std::vector<double>> cost = evaluate(proposals[0].point);
    tell_one(searcher, cost ? told(proposals[0], *cost) : failed(proposals[0], FailureScope::Launch));
    points.push_back(proposals[0].point);
  }
  return points;
}

Observation told(const Proposal& proposal, std::vector<double> cost) {
  Observation observation;
  observation.point = proposal.point;
  observation.cost = std::move(cost);
  observation.id = proposal.id;
  return observation;
}

Observation failed(const Proposal& proposal, FailureScope scope) {
  Observation observation = told(proposal, {});
  observation.failure = scope;
  return observation;
}

void tell_one(Searcher& searcher, const Observation& observation) {
  searcher.tell({&observation, 1});
}

Proposal ask_one(Searcher& searcher, std::optional<space::Configuration> running) {
  std::vector<Proposal> proposals = searcher.ask({1, std::move(running)});
  if (proposals.empty()) throw std::runtime_error("nothing was proposed");
  return proposals[0];
}

double number(const space::Point& point, const std::string& name) {
  const auto found = point.configuration.find(name);
  return space::as_number(found != point.configuration.end() ? found->second : point.live.at(name));
}

}  // namespace paretune::search::testing
