#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/support.hpp"

namespace paretune::search {
namespace {

using testing::ask_one;
using testing::number;
using testing::problem_of;
using testing::searcher_of;
using testing::space_of;

std::size_t launches(const std::vector<space::Point>& points) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    count += i == 0 || points[i].configuration != points[i - 1].configuration;
  }
  return count;
}

TEST(Grid, WalksConfigurationByConfigurationWithTheLiveSettingsInside) {
  // The live parameter comes first in the file and still moves fastest.
  const auto grid = searcher_of(
      "grid", problem_of(space_of("concurrency: [1, 4]\na: [1, 2]\nb: [1, 2, 3]", {"concurrency"})));
  const auto points = testing::run(*grid, 100, [](const space::Point&) { return std::vector<double>{1, 1}; });
  ASSERT_EQ(points.size(), 12U);
  EXPECT_EQ(launches(points), 6U);
  std::vector<std::vector<double>> seen;
  for (const space::Point& p : points)
    seen.push_back({number(p, "a"), number(p, "b"), number(p, "concurrency")});
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(Grid, LeavesOutInvalidAndInactiveCombinations) {
  const auto space =
      space_of("a: [1, 2, 3]\nmode: [x, y]\nk: {values: [1, 2], when: \"mode == x\"}", {}, {"a <= 2"});
  const auto grid = searcher_of("grid", problem_of(space));
  const auto points = testing::run(*grid, 100, [](const space::Point&) { return std::vector<double>{1, 1}; });
  EXPECT_EQ(points.size(), 2U * (2 + 1));
  for (const space::Point& p : points) {
    EXPECT_LE(number(p, "a"), 2);
    EXPECT_EQ(p.configuration.contains("k"), p.configuration.at("mode") == space::Value{std::string("x")});
  }
}

TEST(Grid, GoesOnBeyondOneChunk) {
  // 70,000 configurations: more than are listed at a time.
  const auto grid = searcher_of(
      "grid", problem_of(space_of("a: {min: 1, max: 70, step: 1}\nb: {min: 1, max: 1000, step: 1}")));
  std::vector<Proposal> proposals = grid->ask({69'999, std::nullopt});
  EXPECT_EQ(proposals.size(), 69'999U);
  EXPECT_EQ(number(proposals.back().point, "b"), 999);
  EXPECT_EQ(number(ask_one(*grid).point, "b"), 1000);
  EXPECT_TRUE(grid->ask({}).empty());
}

TEST(Grid, SkipsTheOtherLiveSettingsOfALaunchThatFailed) {
  const auto grid =
      searcher_of("grid", problem_of(space_of("a: [1, 2]\nconcurrency: [1, 2, 4]", {"concurrency"})));
  const auto points =
      testing::run(*grid, 100, [](const space::Point& p) -> std::optional<std::vector<double>> {
        if (number(p, "a") == 1) return std::nullopt;
        return std::vector<double>{1, 1};
      });
  EXPECT_EQ(points.size(), 1U + 3U);
}

TEST(Grid, OverCandidatesListsOnlyThoseByConfiguration) {
  Problem problem = problem_of(space_of("a: {min: 0.0, max: 1.0, type: real}\nc: [1, 2]", {"c"}));
  for (double a : {0.5, 0.25, 0.5}) {
    for (std::int64_t c : {2, 1}) problem.candidates.push_back({{{"a", a}}, {{"c", c}}});
  }
  const auto points = testing::run(*searcher_of("grid", problem), 100, [](const space::Point&) {
    return std::vector<double>{1, 1};
  });
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(launches(points), 2U);
  EXPECT_EQ(number(points[0], "a"), 0.5);
}

}  // namespace
}  // namespace paretune::search
