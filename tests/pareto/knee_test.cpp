#include "paretune/pareto/knee.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pareto/oracles.hpp"
#include "paretune/pareto/fronts.hpp"

namespace paretune::pareto {
namespace {

using ::testing::Optional;

CostMatrix matrix(const std::vector<CostVector>& rows) {
  return CostMatrix::from_rows(rows);
}

TEST(Knee, IsTheBendOfABentFront) {
  EXPECT_THAT(knee(matrix({{0, 10}, {1, 2}, {4, 1}, {10, 0}})), Optional(1U));
  EXPECT_THAT(knee(matrix({{0, 10, 5}, {10, 0, 5}, {5, 5, 0}, {1, 1, 1}})), Optional(3U));
}

TEST(Knee, IsTheMiddleOfAStraightOrConcaveFront) {
  EXPECT_THAT(knee(matrix({{0, 4}, {1, 3}, {2, 2}, {3, 1}, {4, 0}})), Optional(2U));
  EXPECT_THAT(knee(matrix({{0, 1}, {.38, .92}, {.71, .71}, {.92, .38}, {1, 0}})), Optional(2U));
}

TEST(Knee, OfOnePointIsThatPointAndOfNoneNothing) {
  EXPECT_THAT(knee(matrix({{3, 4}})), Optional(0U));
  EXPECT_FALSE(knee(CostMatrix(2)).has_value());
}

TEST(Knee, OfTwoPointsIsTheOneWithTheLowerFirstCost) {
  EXPECT_THAT(knee(matrix({{2, 1}, {1, 2}})), Optional(1U));
  EXPECT_THAT(knee(matrix({{1, 2}, {2, 1}})), Optional(0U));
}

TEST(Knee, OfOneObjectiveIsTheBestAndOfEqualPointsTheFirst) {
  EXPECT_THAT(knee(matrix({{3}, {2}, {2}})), Optional(1U));
  EXPECT_THAT(knee(matrix({{3, 3}, {3, 3}})), Optional(0U));
}

TEST(Knee, ToleratesInfiniteCosts) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(knee(matrix({{0, inf}, {1, 2}, {2, 1}})), Optional(1U));
}

TEST(Knee, DoesNotDependOnUnitsOffsetsOrOrder) {
  core::Random random(51);
  for (int round = 0; round < 200; ++round) {
    const std::size_t m = 2 + random.index(3);
    const CostMatrix all = testing::cube_set(m, 30, random);
    const CostMatrix front = all.select(distinct_non_dominated(all));
    const CostVector expected(front.row(*knee(front)).begin(), front.row(*knee(front)).end());
    CostMatrix scaled(m);
    for (std::size_t i = 0; i < front.size(); ++i) {
      CostVector row(front.row(i).begin(), front.row(i).end());
      for (std::size_t j = 0; j < m; ++j) row[j] = (row[j] - 3) * (j == 0 ? 1024 : 0.25);
      scaled.add(row);
    }
    EXPECT_EQ(knee(scaled), knee(front));
    const CostMatrix mixed = testing::shuffled(front, random);
    EXPECT_TRUE(std::ranges::equal(mixed.row(*knee(mixed)), expected));
  }
}

}  // namespace
}  // namespace paretune::pareto
