#include "paretune/pareto/front.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace paretune::pareto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(FindFront, KeepsEqualPointsByNameAndCountsThemOnce) {
  const std::vector<Candidate> candidates{{"a", {2, 1}}, {"b", {1, 2}}, {"c", {2, 1}}, {"d", {3, 3}}};
  const Front front = find_front(candidates, 2);
  EXPECT_THAT(front.members, ElementsAre(1, 0, 2));
  EXPECT_EQ(front.distinct, 2U);
  EXPECT_FALSE(front.nearest.has_value());
  EXPECT_GT(front.hypervolume, 0);
}

TEST(FindFront, LetsInfeasiblePointsDominateNobody) {
  const std::vector<Candidate> candidates{{"best", {0, 0}, 0.5}, {"ok", {1, 1}, 0}};
  EXPECT_THAT(find_front(candidates, 2).members, ElementsAre(1));
}

TEST(FindFront, NamesTheNearestWhenNothingIsFeasible) {
  const std::vector<Candidate> candidates{
      {"a", {0, 0}, 0.5}, {"b", {}, 0.01}, {"c", {1, 1}, 0.2}, {"d", {9, 9}, 0.2}};
  const Front front = find_front(candidates, 2);
  EXPECT_THAT(front.members, IsEmpty());
  ASSERT_TRUE(front.nearest.has_value());
  EXPECT_EQ(front.nearest->index, 2U);
  EXPECT_EQ(front.nearest->violation, 0.2);
  EXPECT_FALSE(front.reference.has_value());
  EXPECT_EQ(front.hypervolume, 0);
  EXPECT_FALSE(front.knee.has_value());
}

TEST(FindFront, LeavesOutPointsWithoutUsableCosts) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Candidate> candidates{{"a", {1, nan}, 0}, {"b", {1, 1}, 0},   {"c", {-inf, 0}, 0},
                                          {"d", {0}, 0},      {"e", {0, 0}, nan}, {"f", {0.5, inf}, 0}};
  const Front front = find_front(candidates, 2);
  EXPECT_THAT(front.members, ElementsAre(5, 1));
  EXPECT_THAT(front.unusable, ElementsAre(0, 2, 3, 4));
}

TEST(FindFront, MeasuresAgainstTheGivenReference) {
  const std::vector<Candidate> candidates{{"a", {1, 2}}, {"b", {2, 1}}};
  const std::vector<std::optional<double>> given{3.0, 3.0};
  const Front front = find_front(candidates, 2, given);
  EXPECT_EQ(front.hypervolume, 3.0);
  EXPECT_THAT(front.reference, Optional(ElementsAre(3, 3)));
  EXPECT_THAT(front.knee, Optional(0U));
  EXPECT_THAT(find_front({}, 2, given).reference, Optional(ElementsAre(3, 3)));
}

TEST(FindFront, OfNoCandidatesIsEmpty) {
  const Front front = find_front({}, 3);
  EXPECT_THAT(front.members, IsEmpty());
  EXPECT_FALSE(front.nearest.has_value());
}

}  // namespace
}  // namespace paretune::pareto
