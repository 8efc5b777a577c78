#include "paretune/pareto/crowding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pareto/oracles.hpp"
#include "paretune/pareto/fronts.hpp"

namespace paretune::pareto {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

CostMatrix matrix(const std::vector<CostVector>& rows) {
  return CostMatrix::from_rows(rows);
}

TEST(Crowding, IsTheNormalisedGapBetweenTheNeighbours) {
  EXPECT_THAT(crowding_distances(matrix({{0, 0}, {1, -1}, {2, -2}, {4, -4}})),
              ElementsAre(kInf, DoubleEq(1.0), DoubleEq(1.5), kInf));
}

TEST(Crowding, OrdersTheTextbookSetLikePagmo) {
  const CostMatrix costs =
      matrix({{0, 7}, {1, 5}, {2, 3}, {4, 2}, {7, 1}, {10, 0}, {2, 6}, {4, 4}, {10, 2}, {6, 6}, {9, 5}});
  std::vector<std::size_t> order;
  for (const std::vector<std::size_t>& members : sort_fronts(costs).members) {
    const std::vector<double> distances = crowding_distances(costs, members);
    std::vector<std::size_t> positions(members.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return distances[a] > distances[b]; });
    for (std::size_t p : positions) order.push_back(members[p]);
  }
  EXPECT_THAT(order, ElementsAre(0, 5, 4, 3, 1, 2, 6, 8, 7, 9, 10));
}

TEST(Crowding, TakesNoNoticeOfAnObjectiveWithoutRange) {
  EXPECT_THAT(crowding_distances(matrix({{0, 5}, {1, 5}, {2, 5}, {3, 5}})),
              ElementsAre(kInf, DoubleEq(2.0 / 3), DoubleEq(2.0 / 3), kInf));
}

TEST(Crowding, GivesCopiesOfAPointNoRoom) {
  EXPECT_THAT(crowding_distances(matrix({{0, 2}, {1, 1}, {1, 1}, {2, 0}, {0, 2}})),
              ElementsAre(kInf, DoubleEq(2.0), 0.0, kInf, 0.0));
  EXPECT_THAT(crowding_distances(matrix({{3, 3}, {3, 3}})), ElementsAre(kInf, 0.0));
}

TEST(Crowding, OfOneOrTwoPointsIsInfinite) {
  EXPECT_THAT(crowding_distances(matrix({{3, 3, 3}})), ElementsAre(kInf));
  EXPECT_THAT(crowding_distances(matrix({{1, 2, 3}, {2, 1, 3}})), ElementsAre(kInf, kInf));
  EXPECT_TRUE(crowding_distances(CostMatrix(2)).empty());
}

TEST(Crowding, IsNeverNan) {
  const std::vector<double> distances =
      crowding_distances(matrix({{0, kInf}, {1, 5}, {kInf, 0}, {2, 4}, {kInf, 0}, {3, 3}}));
  for (double d : distances) EXPECT_FALSE(std::isnan(d));
}

TEST(Crowding, BelongsToThePointNotToItsPlaceInTheList) {
  core::Random random(21);
  for (int round = 0; round < 50; ++round) {
    const CostMatrix all = testing::grid_set(3, 40, 6, random);
    const CostMatrix front = all.select(distinct_non_dominated(all));
    const CostMatrix mixed = testing::shuffled(front, random);
    const std::vector<double> before = crowding_distances(front);
    const std::vector<double> after = crowding_distances(mixed);
    for (std::size_t i = 0; i < front.size(); ++i) {
      for (std::size_t k = 0; k < mixed.size(); ++k) {
        if (std::ranges::equal(front.row(i), mixed.row(k))) {
          EXPECT_DOUBLE_EQ(before[i], after[k]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace paretune::pareto
