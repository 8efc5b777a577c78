#include "paretune/pareto/dominance.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Dominance, NeedsOneStrictlyBetterCost) {
  EXPECT_TRUE(dominates(CostVector{1, 2}, CostVector{1, 3}));
  EXPECT_FALSE(dominates(CostVector{1, 3}, CostVector{1, 2}));
  EXPECT_FALSE(dominates(CostVector{1, 4}, CostVector{2, 3}));
}

TEST(Dominance, IsFalseBetweenEqualVectors) {
  EXPECT_FALSE(dominates(CostVector{1, 2}, CostVector{1, 2}));
  EXPECT_TRUE(weakly_dominates(CostVector{1, 2}, CostVector{1, 2}));
}

TEST(Dominance, ComparesInfinityAsTheWorstNumber) {
  EXPECT_TRUE(dominates(CostVector{1, 1}, CostVector{1, kInf}));
  EXPECT_TRUE(dominates(CostVector{1, kInf}, CostVector{kInf, kInf}));
  EXPECT_FALSE(dominates(CostVector{kInf, kInf}, CostVector{kInf, kInf}));
}

TEST(Dominance, PutsFeasibleBeforeInfeasibleAndThenTheSmallerViolation) {
  EXPECT_TRUE(constrained_dominates(CostVector{9, 9}, 0, CostVector{1, 1}, 0.1));
  EXPECT_FALSE(constrained_dominates(CostVector{1, 1}, 0.1, CostVector{9, 9}, 0));
  EXPECT_TRUE(constrained_dominates(CostVector{9, 9}, 0.1, CostVector{1, 1}, 0.2));
  EXPECT_FALSE(constrained_dominates(CostVector{1, 1}, 0.2, CostVector{2, 2}, 0.2));
  EXPECT_TRUE(constrained_dominates(CostVector{1, 1}, 0, CostVector{2, 2}, 0));
}

TEST(Dominance, RefusesVectorsOfDifferentLength) {
  EXPECT_THROW(dominates(CostVector{1, 2}, CostVector{1}), std::invalid_argument);
}

TEST(CostMatrix, RefusesNanMinusInfinityAndWrongLengths) {
  CostMatrix costs(2);
  EXPECT_THROW(costs.add(CostVector{1, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  EXPECT_THROW(costs.add(CostVector{-kInf, 1}), std::invalid_argument);
  EXPECT_THROW(costs.add(CostVector{1}), std::invalid_argument);
  EXPECT_THROW(CostMatrix(0), std::invalid_argument);
  EXPECT_TRUE(costs.empty());
  costs.add(CostVector{1, kInf});
  EXPECT_EQ(costs.size(), 1U);
}

}  // namespace
}  // namespace paretune::pareto
