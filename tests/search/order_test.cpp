// What comes in which order: baseline, whole curves, the running server, batches, resumed studies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "search/support.hpp"

namespace paretune::search {
namespace {

using testing::ask_one;
using testing::number;
using testing::problem_of;
using testing::searcher_of;
using testing::space_of;
using testing::tell_one;
using testing::told;

Problem curve_problem(std::uint64_t seed = 1) {
  Problem problem = problem_of(space_of("a: [1, 2, 3]\nb: [x, y, z]\nc: [1, 2, 4]", {"c"}), seed);
  problem.whole_curves = true;
  return problem;
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Order, EveryMethod, ::testing::ValuesIn(searcher_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(EveryMethod, ProposesWholeCurvesInARow) {
  const auto searcher = searcher_of(GetParam(), curve_problem());
  const auto points = testing::run(*searcher, 100, [](const space::Point& p) {
    return std::vector<double>{number(p, "a") * number(p, "c"), 9 - number(p, "a")};
  });
  ASSERT_EQ(points.size(), 27U);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].configuration, points[i / 3 * 3].configuration);
    EXPECT_EQ(number(points[i], "c"), i % 3 == 2 ? 4 : static_cast<double>(i % 3 + 1));
  }
}

TEST_P(EveryMethod, BeginsWithTheBaseline) {
  Problem problem = curve_problem();
  problem.baseline =
      space::Point{{{"a", std::int64_t{2}}, {"b", std::string("y")}}, {{"c", std::int64_t{4}}}};
  const auto searcher = searcher_of(GetParam(), problem);
  const auto points = testing::run(*searcher, 27, [](const space::Point&) {
    return std::vector<double>{1, 1};
  });
  EXPECT_EQ(points[0], *problem.baseline);
  EXPECT_EQ(points[1].configuration, points[0].configuration);
  EXPECT_EQ(points[2].configuration, points[0].configuration);
  EXPECT_EQ(std::set<space::Point>(points.begin(), points.end()).size(), 27U);
}

TEST_P(EveryMethod, TakesABaselineWithoutALiveSetting) {
  Problem problem = curve_problem();
  problem.baseline = space::Point{{{"a", std::int64_t{3}}, {"b", std::string("x")}}, {}};
  const auto searcher = searcher_of(GetParam(), problem);
  const Proposal first = ask_one(*searcher);
  EXPECT_EQ(first.point.configuration, problem.baseline->configuration);
  EXPECT_EQ(number(first.point, "c"), 1);
  EXPECT_EQ(first.reason, "baseline");
}

TEST_P(EveryMethod, DropsTheRestOfACurveWhoseLaunchFailed) {
  const auto searcher = searcher_of(GetParam(), curve_problem());
  const Proposal first = ask_one(*searcher);
  tell_one(*searcher, testing::failed(first, FailureScope::Launch));
  for (int i = 0; i < 100; ++i) {
    const auto proposals = searcher->ask({});
    if (proposals.empty()) break;
    EXPECT_NE(proposals[0].point.configuration, first.point.configuration);
    tell_one(*searcher, told(proposals[0], {1, 1}));
  }
}

TEST_P(EveryMethod, GoesOnWithACurveAfterOneOfItsPointsFailed) {
  const auto searcher = searcher_of(GetParam(), curve_problem());
  const Proposal first = ask_one(*searcher);
  tell_one(*searcher, testing::failed(first, FailureScope::Point));
  EXPECT_EQ(ask_one(*searcher).point.configuration, first.point.configuration);
}

TEST_P(EveryMethod, KeepsTheRunningServerOnItsCurve) {
  const auto searcher = searcher_of(GetParam(), curve_problem());
  const space::Configuration one = ask_one(*searcher).point.configuration;
  EXPECT_EQ(ask_one(*searcher, one).point.configuration, one);
  EXPECT_EQ(ask_one(*searcher).point.configuration, one) << "no server up: the open curve comes first";
}

TEST_P(EveryMethod, LeavesAnotherWorkersCurveAloneWhileThereIsOtherWork) {
  const auto searcher = searcher_of(GetParam(), curve_problem());
  const space::Configuration mine = ask_one(*searcher).point.configuration;
  space::Configuration theirs{{"a", std::int64_t{1}}, {"b", std::string("x")}};
  if (theirs == mine) theirs["b"] = std::string("y");
  std::size_t before = 1;  // points of my curve proposed so far
  std::size_t others = 0;
  for (int i = 0; i < 26; ++i) {
    const Proposal proposal = ask_one(*searcher, theirs);
    if (proposal.point.configuration == mine) {
      ++before;
    } else {
      ++others;
      EXPECT_EQ(before, 1U) << "taken before the other work was done";
      theirs = proposal.point.configuration;
    }
  }
  EXPECT_EQ(before, 3U);
  EXPECT_EQ(others, 24U);
}

TEST_P(EveryMethod, DoesNotAskAgainForWhatAnEarlierRunMeasured) {
  const Problem problem = curve_problem();
  const auto earlier = searcher_of(GetParam(), problem);
  std::vector<Observation> measured;
  for (int i = 0; i < 8; ++i) {  // two whole curves and two of three points
    const Proposal proposal = ask_one(*earlier);
    measured.push_back(told(proposal, {1, 1}));
    tell_one(*earlier, measured.back());
    measured.back().id = 0;
  }
  const auto resumed = searcher_of(GetParam(), problem);
  resumed->tell(measured);
  const auto points = testing::run(*resumed, 100, [](const space::Point&) {
    return std::vector<double>{1, 1};
  });
  EXPECT_EQ(points.size(), 19U);
  EXPECT_EQ(points[0].configuration, measured.back().point.configuration)
      << "the open curve is finished first";
  std::set<space::Point> all(points.begin(), points.end());
  for (const Observation& observation : measured) all.insert(observation.point);
  EXPECT_EQ(all.size(), 27U);
}

TEST_P(EveryMethod, PutsTheRunningServersPointsFirstInABatch) {
  Problem problem = problem_of(space_of("a: [1, 2]\nc: [1, 2, 4]", {"c"}));
  const auto searcher = searcher_of(GetParam(), problem);
  const auto batch = searcher->ask({6, space::Configuration{{"a", std::int64_t{2}}}});
  ASSERT_EQ(batch.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(number(batch[i].point, "a"), i < 3 ? 2 : 1);
    EXPECT_EQ(batch[i].id, i + 1);
  }
}

TEST_P(EveryMethod, IgnoresObservationsFromOutsideTheSpace) {
  const auto searcher = searcher_of(GetParam(), problem_of(space_of("a: [1, 2]")));
  Observation outside;
  outside.point.configuration = {{"a", std::int64_t{7}}};
  outside.cost = {1, 1};
  tell_one(*searcher, outside);
  EXPECT_EQ(searcher->ask({9, std::nullopt}).size(), 2U);
}

TEST_P(EveryMethod, ProposesOnlyCandidates) {
  Problem problem =
      problem_of(space_of("a: {min: 1, max: 50, step: 1}\nb: [x, y]\nu: {min: 0.0, max: 1.0, type: real}"));
  for (std::int64_t a = 1; a <= 20; ++a) {
    problem.candidates.push_back(
        {{{"a", a}, {"b", std::string(a % 3 == 0 ? "x" : "y")}, {"u", 0.01 * static_cast<double>(a)}}, {}});
  }
  const auto searcher = searcher_of(GetParam(), problem);
  const auto points = testing::run(*searcher, 100, [](const space::Point& p) {
    return std::vector<double>{number(p, "a"), -number(p, "u")};
  });
  EXPECT_EQ(std::set<space::Point>(points.begin(), points.end()),
            std::set<space::Point>(problem.candidates.begin(), problem.candidates.end()));
}

TEST_P(EveryMethod, MeasuresAnEmptySpaceOnce) {
  Problem problem = problem_of(space::Space{});
  const auto searcher = searcher_of(GetParam(), problem);
  EXPECT_EQ(searcher->ask({5, std::nullopt}).size(), 1U);
  EXPECT_TRUE(searcher->ask({}).empty());
}

}  // namespace
}  // namespace paretune::search
