#include "search/nsga2.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "paretune/pareto/hypervolume.hpp"
#include "search/support.hpp"

namespace paretune::search {
namespace {

using testing::ask_one;
using ::testing::ElementsAre;
using testing::number;
using testing::problem_of;
using testing::searcher_of;
using testing::space_of;
using testing::tell_one;

std::vector<std::size_t> ranks(const std::vector<std::vector<Outcome>>& sites) {
  std::vector<std::size_t> result;
  for (const SiteRank& rank : rank_sites(sites, 2)) result.push_back(rank.rank);
  return result;
}

TEST(RankSites, PutsFeasibleBeforeInfeasibleBeforeFailed) {
  EXPECT_THAT(ranks({{{{0}, {}, 0}},
                     {{{1}, {0, 0}, 0.5}},
                     {{{2}, {9, 9}, 0}},
                     {{{3}, {0, 0}, 0.1}},
                     {{{4}, {8, 8}, 0}}}),
              ElementsAre(4, 3, 1, 2, 0));
  EXPECT_TRUE(rank_sites({{{{0}, {}, 0}}}, 2)[0].failed);
}

TEST(RankSites, GivesEqualViolationsAndEqualCostsTheSameRank) {
  EXPECT_THAT(ranks({{{{0}, {1, 1}, 0.5}}, {{{1}, {2, 2}, 0.5}}}), ElementsAre(0, 0));
  EXPECT_THAT(ranks({{{{0}, {1, 1}, 0}}, {{{1}, {1, 1}, 0}}}), ElementsAre(0, 0));
}

TEST(RankSites, MakesASiteAsGoodAsItsBestPoint) {
  const std::vector<std::vector<Outcome>> sites{{{{0, 0}, {9, 9}, 0}, {{0, 1}, {0, 5}, 0}},
                                                {{{1, 0}, {5, 1}, 0}, {{1, 1}, {}, 0}},
                                                {{{2, 0}, {6, 6}, 0}}};
  EXPECT_THAT(ranks(sites), ElementsAre(0, 0, 1));
}

TEST(Population, JudgesASiteByItsNeighbours) {
  const space::Space space = space_of("a: {min: 1, max: 20, step: 1}\nb: [x, y]");
  Population population(space, 2, 8);
  population.record({3, 0}, {{3, 0}, {1, 1}, 0});
  population.record({17, 0}, {{17, 0}, {}, 0});
  EXPECT_LT(population.badness({4, 0}), 0.3);
  EXPECT_GT(population.badness({16, 0}), 0.7);
  EXPECT_NEAR(population.badness({10, 1}), 0.5, 0.05);
}

TEST(Population, BreedsFailedSitesOnlyIfThereAreNoOthers) {
  const space::Space space = space_of("a: {min: 1, max: 20, step: 1}");
  Population population(space, 2, 8);
  population.record({3}, {{3}, {}, 0});
  ASSERT_EQ(population.parents().size(), 1U);
  population.record({5}, {{5}, {1, 1}, 0});
  ASSERT_EQ(population.parents().size(), 1U);
  EXPECT_EQ(*population.parents()[0], space::Code{5});
}

TEST(Population, ForgetsTheWorstWhenItGrowsLarge) {
  const space::Space space = space_of("a: {min: 1, max: 5000, step: 1}");
  Population population(space, 2, 8);
  for (int i = 0; i < 4000; ++i)
    population.record({static_cast<double>(i)}, {{static_cast<double>(i)}, {1.0 * i, 1.0 * i}, 0});
  EXPECT_LE(population.usable(), 2000U);
  EXPECT_EQ(*population.parents()[0], space::Code{0});
}

TEST(Nsga2, SizesItselfToTheBudget) {
  Problem problem = problem_of(space_of("a: [1, 2]\nc: [1, 2, 4, 8]", {"c"}));
  problem.budget_points = 60;
  EXPECT_EQ(nsga2_sizes(problem).first, 6U);
  EXPECT_EQ(nsga2_sizes(problem).parents, 10U);
  problem.whole_curves = true;
  EXPECT_EQ(nsga2_sizes(problem).parents, 8U);
  problem.budget_launches = 12;
  EXPECT_EQ(nsga2_sizes(problem).first, 5U);
  problem = problem_of(space_of("a: [1, 2]"));
  problem.budget_points = 100'000;
  EXPECT_EQ(nsga2_sizes(problem).parents, 20U);
}

std::optional<std::vector<double>> zdt1(const space::Point& point) {
  double g = 0;
  for (int i = 1; i < 8; ++i) g += number(point, "x" + std::to_string(i));
  g = 1 + 9 * g / 7;
  const double x = number(point, "x0");
  return std::vector<double>{x, g * (1 - std::sqrt(x / g))};
}

std::string zdt1_space() {
  std::string yaml;
  for (int i = 0; i < 8; ++i) yaml += "x" + std::to_string(i) + ": {min: 0.0, max: 1.0, type: real}\n";
  return yaml;
}

double median_hypervolume(const std::string& method, const std::string& yaml,
                          const pareto::CostVector& reference, std::size_t budget,
                          const testing::Evaluate& evaluate) {
  std::vector<double> volumes;
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    Problem problem = problem_of(space_of(yaml), seed, reference.size());
    problem.budget_points = budget;
    pareto::CostMatrix costs(reference.size());
    testing::run(*searcher_of(method, problem), budget, [&](const space::Point& point) {
      const auto cost = evaluate(point);
      if (cost) costs.add(*cost);
      return cost;
    });
    volumes.push_back(pareto::hypervolume(costs, reference));
  }
  std::sort(volumes.begin(), volumes.end());
  return volumes[3];
}

/// ZDT1 with 8 real parameters: the whole front has a hypervolume of 120.667 to (11, 11).
TEST(Nsga2, BeatsRandomAndSobolOnZdt1At200Evaluations) {
  const double nsga2 = median_hypervolume("nsga2", zdt1_space(), {11, 11}, 200, zdt1);
  const double random = median_hypervolume("random", zdt1_space(), {11, 11}, 200, zdt1);
  const double sobol = median_hypervolume("sobol", zdt1_space(), {11, 11}, 200, zdt1);
  EXPECT_GT(nsga2, random + 5);
  EXPECT_GT(nsga2, sobol + 5);
  EXPECT_GT(nsga2, 115);
  EXPECT_LT(nsga2, 120.667);
}

/// A server that needs memory: most launches fail, the best one is at the edge.
std::optional<std::vector<double>> small_server(const space::Point& point) {
  const double tp = number(point, "tp");
  const double batch = number(point, "batch");
  const double weights = point.configuration.at("quant") == space::Value{std::string("int4")} ? 40 : 140;
  if ((weights + batch) / tp > 70) return std::nullopt;
  const double step = weights / tp + 0.2 * batch / tp + 2 * std::log2(tp) + 2;
  return std::vector<double>{std::log(step), -std::log(batch / step / tp)};
}

TEST(Nsga2, LearnsToAvoidLaunchesThatFail) {
  const std::string yaml =
      "tp: [1, 2, 4, 8]\nquant: [bf16, int4]\nbatch: {min: 1, max: 512, scale: log2}\nnoise: {min: 1, max: "
      "12, step: 1}";
  const auto failures = [&](const std::string& method) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Problem problem = problem_of(space_of(yaml), seed);
      problem.budget_points = 60;
      testing::run(*searcher_of(method, problem), 60, [&](const space::Point& point) {
        const auto cost = small_server(point);
        count += !cost.has_value();
        return cost;
      });
    }
    return count;
  };
  EXPECT_LT(failures("nsga2"), failures("random") * 2 / 3);
}

TEST(Nsga2, MinimisesTheViolationWhileNothingIsFeasible) {
  const auto least_violation = [](const std::string& method, std::uint64_t seed) {
    Problem problem = problem_of(space_of(zdt1_space()), seed);
    problem.budget_points = 60;
    const auto searcher = searcher_of(method, problem);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 60; ++i) {
      const Proposal proposal = ask_one(*searcher);
      Observation observation = testing::told(proposal, *zdt1(proposal.point));
      observation.violation = 0.1 + observation.cost[1];
      least = std::min(least, observation.violation);
      tell_one(*searcher, observation);
    }
    return least;
  };
  double nsga2 = 0;
  double random = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    nsga2 += least_violation("nsga2", seed);
    random += least_violation("random", seed);
  }
  EXPECT_LT(nsga2, 0.7 * random);
}

TEST(Nsga2, SpreadsOverTheFeasiblePartOfTheFront) {
  Problem problem = problem_of(space_of("x: {min: 0, max: 100, step: 1}\ny: {min: 0, max: 20, step: 1}"));
  problem.budget_points = 80;
  const auto searcher = searcher_of("nsga2", problem);
  int feasible = 0;
  for (int i = 0; i < 80; ++i) {
    const Proposal proposal = ask_one(*searcher);
    const double x = number(proposal.point, "x");
    const double y = number(proposal.point, "y");
    Observation observation = testing::told(proposal, {x + y, 100 - x + y});
    observation.violation = std::max(0.0, x / 40 - 1);  // x <= 40
    feasible += observation.violation == 0;
    tell_one(*searcher, observation);
  }
  EXPECT_GT(feasible, 50) << "random would give 33";
}

/// A space of 50 switches broke another NSGA-II sampler.
TEST(Nsga2, WorksOnFiftySwitches) {
  std::string yaml;
  for (int i = 0; i < 50; ++i) yaml += "s" + std::to_string(i) + ": [\"off\", \"on\"]\n";
  const testing::Evaluate count_on = [](const space::Point& point) {
    double on = 0;
    for (const auto& [name, value] : point.configuration) on += value == space::Value{std::string("on")};
    return std::vector<double>{on, 50 - on};
  };
  const auto points = testing::run(*searcher_of("nsga2", problem_of(space_of(yaml))), 300, count_on);
  EXPECT_EQ(points.size(), 300U);
}

TEST(Nsga2, StartsWithWhatAPriorExpectsOnTheFront) {
  Problem problem = problem_of(space_of("a: {min: 1, max: 100, step: 1}"));
  for (std::int64_t a = 1; a <= 100; ++a) {
    Observation expected;
    expected.point.configuration = {{"a", a}};
    const double off = std::abs(static_cast<double>(a) - 42);
    expected.cost = {off, off};
    problem.prior.push_back(expected);
  }
  const auto searcher = searcher_of("nsga2", problem);
  const Proposal first = ask_one(*searcher);
  EXPECT_EQ(number(first.point, "a"), 42);
  EXPECT_EQ(first.reason, "expected on the front");
}

TEST(Nsga2, StaysOnTheRunningServerWhereLaunchesAreDear) {
  Problem problem =
      problem_of(space_of("a: {min: 1, max: 30, step: 1}\nb: [x, y, z]\nc: [1, 2, 4, 8, 16]", {"c"}));
  problem.cost = {50, 1};
  problem.budget_points = 60;
  const auto launches = [&](bool known) {
    const auto searcher = searcher_of("nsga2", problem);
    std::optional<space::Configuration> running;
    int count = 0;
    for (int i = 0; i < 60; ++i) {
      const Proposal proposal = ask_one(*searcher, known ? running : std::nullopt);
      count += !running || *running != proposal.point.configuration;
      running = proposal.point.configuration;
      const double c = number(proposal.point, "c");
      tell_one(*searcher, testing::told(proposal, {number(proposal.point, "a") + c, 100 / c}));
    }
    return count;
  };
  EXPECT_LT(launches(true), 30);
  EXPECT_GT(launches(false), 40);
}

TEST(Nsga2, KeepsLinkedParametersTogether) {
  const space::Space space = space_of(
      "linked: {link: [tp, pp], values: [[1, 8], [2, 4], [4, 2], [8, 1]]}\na: {min: 1, max: 9, step: 1}");
  testing::run(*searcher_of("nsga2", problem_of(space)), 36, [](const space::Point& point) {
    EXPECT_EQ(number(point, "tp") * number(point, "pp"), 8);
    return std::vector<double>{number(point, "tp"), number(point, "a")};
  });
}

}  // namespace
}  // namespace paretune::search
