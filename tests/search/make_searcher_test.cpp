#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "paretune/core/document.hpp"
#include "paretune/core/file.hpp"
#include "search/support.hpp"

namespace paretune::search {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using testing::problem_of;
using testing::searcher_of;
using testing::space_of;

std::string refusal(const std::string& method, Problem problem) {
  const auto searcher = make_searcher(method, std::move(problem));
  return searcher ? "" : searcher.error().message + " | " + searcher.error().hint;
}

TEST(MakeSearcher, MakesEveryMethodThatItNames) {
  EXPECT_THAT(searcher_names(), ElementsAre("grid", "random", "sobol", "nsga2"));
  for (const std::string& name : searcher_names()) {
    EXPECT_EQ(searcher_of(name, problem_of(space_of("a: [1, 2]")))->name(), name);
  }
}

TEST(MakeSearcher, SaysWhichMethodsComeLaterAndWhichThereAre) {
  for (const char* planned : {"mobo", "mgda"}) {
    const std::string message = refusal(planned, problem_of(space_of("a: [1, 2]")));
    EXPECT_THAT(message, HasSubstr("not available yet"));
    EXPECT_THAT(message, HasSubstr("nsga2"));
  }
}

TEST(MakeSearcher, SuggestsTheMethodThatWasMeant) {
  EXPECT_THAT(refusal("nsga-2", problem_of(space_of("a: [1, 2]"))), HasSubstr("did you mean 'nsga2'"));
  EXPECT_THAT(refusal("simplex", problem_of(space_of("a: [1, 2]"))), HasSubstr("grid, random, sobol, nsga2"));
}

TEST(MakeSearcher, RefusesAGridOverAContinuousParameterByName) {
  const std::string message =
      refusal("grid", problem_of(space_of("a: [1, 2]\nu: {min: 0.0, max: 1.0, type: real}")));
  EXPECT_THAT(message, HasSubstr("'u'"));
  EXPECT_THAT(message, HasSubstr("nsga2"));
}

/// Case 03: 20 parameters of 10 values are 10^20 configurations, more than 64 bits hold.
TEST(MakeSearcher, RefusesAGridThatIsTooLargeWithTheExactCountAndSamplesIt) {
  const std::string text = core::read_file(PARETUNE_TEST_DATA "/cases/03-overflow.json").value();
  const nlohmann::json parameters = nlohmann::json::parse(text).at("parameters");
  EXPECT_THAT(refusal("grid", problem_of(space_of(parameters.dump()))),
              HasSubstr("100000000000000000000 configurations"));
  for (const char* method : {"random", "sobol", "nsga2"}) {
    const auto searcher = searcher_of(method, problem_of(space_of(parameters.dump())));
    EXPECT_EQ(testing::run(*searcher, 30,
                           [](const space::Point&) {
                             return std::vector<double>{1, 2};
                           })
                  .size(),
              30U);
  }
}

TEST(MakeSearcher, RefusesAProblemWithoutObjectives) {
  EXPECT_THAT(refusal("random", problem_of(space_of("a: [1, 2]"), 1, 0)), HasSubstr("objective"));
}

TEST(MakeSearcher, RefusesWholeCurvesOverAContinuousLiveParameter) {
  Problem problem = problem_of(space_of("a: [1, 2]\nrate: {min: 0.0, max: 9.0, type: real}", {"rate"}));
  problem.whole_curves = true;
  EXPECT_THAT(refusal("random", std::move(problem)), HasSubstr("'rate'"));
}

TEST(MakeSearcher, RefusesCandidatesAndABaselineThatAreNotInTheSpace) {
  Problem problem = problem_of(space_of("a: [1, 2]"));
  problem.candidates = {{{{"a", std::int64_t{3}}}, {}}};
  EXPECT_THAT(refusal("random", problem), HasSubstr("candidate a=3"));
  problem.candidates.clear();
  problem.baseline = space::Point{{{"b", std::int64_t{1}}}, {}};
  EXPECT_THAT(refusal("random", problem), HasSubstr("baseline b=1"));
}

TEST(CostsOf, TurnsTheSignOfMaximisedMetrics) {
  const std::vector<Objective> objectives{{"tps", Direction::Max}, {"ttft", Direction::Min}};
  EXPECT_THAT(costs_of(objectives, {100.0, 3.0}), Optional(ElementsAre(-100, 3)));
}

TEST(CostsOf, HasNoCostsForMissingOrUnusableValues) {
  const std::vector<Objective> objectives{{"tps", Direction::Max}, {"ttft", Direction::Min}};
  EXPECT_FALSE(costs_of(objectives, {std::nullopt, 3.0}).has_value());
  EXPECT_FALSE(costs_of(objectives, {std::nan(""), 3.0}).has_value());
  EXPECT_FALSE(costs_of(objectives, {1.0, HUGE_VAL}).has_value());
  EXPECT_FALSE(costs_of(objectives, {1.0}).has_value());
}

TEST(ViolationOf, IsRelativeToTheBound) {
  EXPECT_THAT(violation_of({"tpot", true, 5}, 5.65), DoubleEq(0.13));
  EXPECT_THAT(violation_of({"tput", false, 600}, 479.1), DoubleEq((600 - 479.1) / 600));
  EXPECT_EQ(violation_of({"tpot", true, 5}, 5), 0);
  EXPECT_EQ(violation_of({"tput", false, 600}, 700), 0);
}

TEST(ViolationOf, IsAbsoluteForABoundOfZeroAndInfiniteForNoNumber) {
  EXPECT_EQ(violation_of({"error_rate", true, 0}, 0.25), 0.25);
  EXPECT_EQ(violation_of({"x", false, -2}, -3), 0.5);
  EXPECT_EQ(violation_of({"x", true, 1}, std::nan("")), HUGE_VAL);
  EXPECT_EQ(violation_of({"x", true, 1}, HUGE_VAL), HUGE_VAL);
}

}  // namespace
}  // namespace paretune::search
