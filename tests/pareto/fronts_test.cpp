#include "paretune/pareto/fronts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "pareto/oracles.hpp"

namespace paretune::pareto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kInf = std::numeric_limits<double>::infinity();

CostMatrix matrix(const std::vector<CostVector>& rows) {
  return CostMatrix::from_rows(rows);
}

std::vector<std::size_t> rows_of_rank_0(const std::vector<std::size_t>& ranks) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == 0) rows.push_back(i);
  }
  return rows;
}

TEST(SortFronts, FindsThreeFrontsOfTheTextbookSet) {
  const Fronts fronts = sort_fronts(
      matrix({{0, 7}, {1, 5}, {2, 3}, {4, 2}, {7, 1}, {10, 0}, {2, 6}, {4, 4}, {10, 2}, {6, 6}, {9, 5}}));
  ASSERT_EQ(fronts.members.size(), 3U);
  EXPECT_THAT(fronts.members[0], ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(fronts.members[1], ElementsAre(6, 7, 8));
  EXPECT_THAT(fronts.members[2], ElementsAre(9, 10));
}

TEST(SortFronts, PutsEqualPointsInTheSameFront) {
  EXPECT_THAT(sort_fronts(matrix({{1, 1}, {2, 2}, {1, 1}, {2, 2}})).rank, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(sort_fronts(matrix({{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}})).rank,
              ElementsAre(0, 1, 0));
}

TEST(SortFronts, RanksInfiniteCostsByComparison) {
  EXPECT_THAT(sort_fronts(matrix({{1, 1}, {1, kInf}, {kInf, 1}, {kInf, kInf}})).rank,
              ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(sort_fronts(matrix({{1, 1, 1, 1}, {1, 1, 1, kInf}, {kInf, kInf, kInf, kInf}})).rank,
              ElementsAre(0, 1, 2));
}

TEST(SortFronts, RanksOneObjectiveByDistinctValue) {
  EXPECT_THAT(sort_fronts(matrix({{3}, {1}, {2}, {1}})).rank, ElementsAre(2, 0, 1, 0));
}

TEST(SortFronts, KeepsBothEndsOfMixedDirections) {
  // All objectives but one better: with the sign of the last one turned both are non-dominated.
  EXPECT_THAT(sort_fronts(matrix({{0, 0, 0, 0}, {1, 1, 1, -1}})).rank, ElementsAre(0, 0));
}

TEST(SortFronts, OfNothingIsNothing) {
  EXPECT_THAT(sort_fronts(CostMatrix(3)).members, IsEmpty());
  EXPECT_THAT(non_dominated(CostMatrix(3)), IsEmpty());
}

/// 1,200 sets per run of m = 1 … 6: small ones full of ties, and larger continuous ones.
TEST(SortFronts, EqualsPeelingOnRandomSetsWithTies) {
  core::Random random(11);
  for (std::size_t m = 1; m <= 6; ++m) {
    for (std::size_t round = 0; round < 200; ++round) {
      const std::size_t n = 1 + random.index(60);
      const CostMatrix costs = round % 4 == 3 ? testing::cube_set(m, n, random)
                                              : testing::grid_set(m, n, 2 + random.index(5), random);
      const std::vector<std::size_t> expected = testing::peeled_ranks(costs);
      EXPECT_EQ(sort_fronts(costs).rank, expected) << "m = " << m << ", round " << round;
      EXPECT_EQ(non_dominated(costs), rows_of_rank_0(expected)) << "m = " << m << ", round " << round;
    }
  }
}

TEST(SortFronts, EqualsPeelingOnSetsLargerThanABlockOfBits) {
  core::Random random(12);
  for (std::size_t m : {2U, 3U, 4U, 5U}) {
    for (std::size_t levels : {3U, 30U}) {
      const CostMatrix costs = testing::grid_set(m, 400, levels, random);
      EXPECT_EQ(sort_fronts(costs).rank, testing::peeled_ranks(costs))
          << "m = " << m << ", levels " << levels;
    }
  }
}

TEST(SortFronts, HandlesAChainOfDominatedPoints) {
  for (std::size_t m : {2U, 3U, 4U}) {
    CostMatrix chain(m);
    for (std::size_t i = 0; i < 300; ++i) chain.add(CostVector(m, static_cast<double>(300 - i)));
    const Fronts fronts = sort_fronts(chain);
    EXPECT_EQ(fronts.members.size(), 300U);
    EXPECT_EQ(fronts.rank[299], 0U);
    EXPECT_EQ(fronts.rank[0], 299U);
  }
}

TEST(SortFronts, DoesNotDependOnTheOrderOfTheCosts) {
  core::Random random(13);
  for (std::size_t round = 0; round < 50; ++round) {
    const CostMatrix costs = testing::grid_set(4, 80, 6, random);
    const std::vector<std::size_t> ranks = sort_fronts(costs).rank;
    EXPECT_EQ(sort_fronts(testing::with_columns(costs, {3, 1, 0, 2})).rank, ranks);
    EXPECT_EQ(sort_fronts(testing::with_constant(costs, 7)).rank, ranks);
  }
}

TEST(NonDominated, KeepsAllCopiesAndTheDistinctFormOnlyTheFirst) {
  const CostMatrix costs = matrix({{5, 5}, {1, 2}, {2, 1}, {1, 2}, {2, 1}, {2, 2}});
  EXPECT_THAT(non_dominated(costs), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(distinct_non_dominated(costs), ElementsAre(1, 2));
}

TEST(NonDominated, IsAllRowsWhenAllAreEqual) {
  for (std::size_t m : {1U, 2U, 3U, 4U, 7U}) {
    CostMatrix costs(m);
    for (int i = 0; i < 5; ++i) costs.add(CostVector(m, 3.0));
    EXPECT_EQ(non_dominated(costs).size(), 5U);
    EXPECT_THAT(distinct_non_dominated(costs), ElementsAre(0));
  }
}

TEST(NonDominated, KeepsTheFirstPointEvenIfItsSecondCostIsInfinite) {
  EXPECT_THAT(non_dominated(matrix({{1, kInf}, {2, kInf}, {3, 4}})), ElementsAre(0, 2));
}

}  // namespace
}  // namespace paretune::pareto
