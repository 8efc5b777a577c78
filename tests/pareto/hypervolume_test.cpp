#include "paretune/pareto/hypervolume.hpp"

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

using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

CostMatrix matrix(const std::vector<CostVector>& rows) {
  return CostMatrix::from_rows(rows);
}

void expect_close(double actual, double expected, double relative = 1e-12) {
  EXPECT_NEAR(actual, expected, relative * std::max(1.0, std::abs(expected)));
}

TEST(Hypervolume, EqualsInclusionExclusionOnSetsWithTies) {
  core::Random random(31);
  for (std::size_t m = 1; m <= 6; ++m) {
    for (int round = 0; round < 250; ++round) {
      const CostMatrix costs = testing::grid_set(m, 1 + random.index(10), 2 + random.index(5), random);
      const CostVector reference(m, static_cast<double>(3 + random.index(4)));  // some points lie outside
      EXPECT_EQ(hypervolume(costs, reference), testing::inclusion_exclusion(costs, reference))
          << "m = " << m << ", round " << round;
    }
  }
}

TEST(Hypervolume, EqualsInclusionExclusionOnContinuousSets) {
  core::Random random(32);
  for (std::size_t m = 2; m <= 6; ++m) {
    for (int round = 0; round < 100; ++round) {
      const CostMatrix costs =
          round % 2 == 0 ? testing::cube_set(m, 9, random) : testing::sphere_set(m, 9, random);
      const CostVector reference(m, 1.1);
      expect_close(hypervolume(costs, reference), testing::inclusion_exclusion(costs, reference), 1e-11);
    }
  }
}

/// A cost that all points share turns the m-dimensional kernel into the check of the (m-1)-dimensional one.
TEST(Hypervolume, OfPointsWithAConstantCostIsThatOfTheOthersTimesItsDepth) {
  core::Random random(33);
  for (std::size_t m = 2; m <= 6; ++m) {
    for (int round = 0; round < 12; ++round) {
      const CostMatrix costs = round % 3 == 0   ? testing::sphere_set(m, 70, random)
                               : round % 3 == 1 ? testing::cube_set(m, 150, random)
                                                : testing::grid_set(m, 150, 8, random);
      CostVector reference(m, round % 3 == 2 ? 9.0 : 1.1);
      const double expected = hypervolume(costs, reference);
      reference.push_back(3);
      expect_close(hypervolume(testing::with_constant(costs, 1), reference), 2 * expected);
    }
  }
}

TEST(Hypervolume, DoesNotDependOnTheOrderOfPointsOrCosts) {
  core::Random random(34);
  for (std::size_t m = 2; m <= 6; ++m) {
    std::vector<std::size_t> order(m);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int round = 0; round < 30; ++round) {
      const CostMatrix costs =
          round % 2 == 0 ? testing::grid_set(m, 40, 5, random) : testing::sphere_set(m, 40, random);
      const CostVector reference(m, 6.0);
      const double expected = hypervolume(costs, reference);
      random.shuffle(order);
      expect_close(hypervolume(testing::with_columns(costs, order), reference), expected);
      expect_close(hypervolume(testing::shuffled(costs, random), reference), expected);
      expect_close(hypervolume(testing::joined(costs, costs), reference), expected);
    }
  }
}

TEST(Hypervolume, IsNotChangedByDominatedPoints) {
  core::Random random(35);
  for (std::size_t m = 2; m <= 6; ++m) {
    for (int round = 0; round < 20; ++round) {
      const CostMatrix costs = testing::grid_set(m, 60, 7, random);
      const CostMatrix front = costs.select(distinct_non_dominated(costs));
      const CostVector reference(m, 7.0);
      expect_close(hypervolume(costs, reference), hypervolume(front, reference));
    }
  }
}

TEST(Hypervolume, GrowsWithThePointsAndWithTheReference) {
  core::Random random(36);
  for (std::size_t m = 1; m <= 5; ++m) {
    CostMatrix costs(m);
    double last = 0;
    const CostVector reference(m, 1.0);
    for (std::size_t i = 0; i < 40; ++i) {
      costs.add(testing::cube_set(m, 1, random).row(0));
      const double volume = hypervolume(costs, reference);
      EXPECT_GE(volume, last * (1 - 1e-14));
      EXPECT_GE(hypervolume(costs, CostVector(m, 1.2)), volume);
      last = volume;
    }
  }
}

TEST(Hypervolume, OfManyPointsOfFiveCostsNeedsNoTable) {
  core::Random random(37);
  const CostMatrix many =
      testing::grid_set(5, 8300, 9, random);  // more than the table of the 5-D kernel holds
  const CostMatrix front = many.select(distinct_non_dominated(many));
  ASSERT_LT(front.size(), 2000U);
  const CostVector reference(5, 9.0);
  expect_close(hypervolume(many, reference), hypervolume(front, reference));
}

TEST(Hypervolume, LeavesOutPointsThatAreNotBelowTheReference) {
  EXPECT_EQ(hypervolume(matrix({{1, 1}, {0, 2}, {2, 0}}), CostVector{2, 2}), 1.0);
  EXPECT_EQ(hypervolume(matrix({{3, 3}}), CostVector{2, 2}), 0.0);
  EXPECT_EQ(hypervolume(matrix({{1, kInf}, {kInf, 1}}), CostVector{2, 2}), 0.0);
  EXPECT_EQ(hypervolume(CostMatrix(4), CostVector(4, 1.0)), 0.0);
}

TEST(Hypervolume, MakesNoAssumptionAboutSigns) {
  core::Random random(38);
  for (std::size_t m = 2; m <= 5; ++m) {
    const CostMatrix costs = testing::grid_set(m, 10, 6, random);
    CostMatrix moved(m);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      CostVector row(costs.row(i).begin(), costs.row(i).end());
      for (double& cost : row) cost -= 100;
      moved.add(row);
    }
    EXPECT_EQ(hypervolume(moved, CostVector(m, -94.0)), hypervolume(costs, CostVector(m, 6.0)));
  }
}

TEST(Hypervolume, RefusesAReferenceOfWrongLengthOrWithoutValue) {
  EXPECT_THROW(hypervolume(matrix({{1, 1}}), CostVector{1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(hypervolume(matrix({{1, 1}}), CostVector{1, kInf}), std::invalid_argument);
  EXPECT_THROW(hypervolume(matrix({{1, 1}}), CostVector{1, std::nan("")}), std::invalid_argument);
}

TEST(Contributions, AreTheLossWithoutThePoint) {
  core::Random random(39);
  for (std::size_t m = 1; m <= 5; ++m) {
    for (int round = 0; round < 40; ++round) {
      const CostMatrix costs = testing::grid_set(m, 2 + random.index(12), 5, random);
      const CostVector reference(m, static_cast<double>(4 + random.index(2)));
      const std::vector<double> contributions = exclusive_contributions(costs, reference);
      for (std::size_t i = 0; i < costs.size(); ++i) {
        EXPECT_EQ(contributions[i],
                  hypervolume(costs, reference) - hypervolume(testing::without_row(costs, i), reference));
      }
    }
  }
}

TEST(LogHypervolume, IsAProductOfRatiosToTheReference) {
  // Throughput 20 (maximised) and latency 2 against 10 and 4: both better by a factor of 2.
  EXPECT_DOUBLE_EQ(log_hypervolume(matrix({{-20, 2}}), CostVector{-10, 4}).value(),
                   std::log(2) * std::log(2));
}

TEST(LogHypervolume, DoesNotDependOnUnits) {
  core::Random random(40);
  CostMatrix costs(2);
  CostMatrix scaled(2);
  for (int i = 0; i < 20; ++i) {
    const double throughput = random.uniform(10, 100);
    const double latency = random.uniform(1, 9);
    costs.add(CostVector{-throughput, latency});
    scaled.add(CostVector{-throughput / 8, latency * 1000});
  }
  expect_close(log_hypervolume(scaled, CostVector{-1, 10000}).value(),
               log_hypervolume(costs, CostVector{-8, 10}).value());
}

TEST(LogHypervolume, DoesNotExistForZeroOrMixedSigns) {
  EXPECT_FALSE(log_hypervolume(matrix({{0, 1}}), CostVector{1, 2}).has_value());
  EXPECT_FALSE(log_hypervolume(matrix({{-1, 1}}), CostVector{1, 2}).has_value());
  EXPECT_FALSE(log_hypervolume(matrix({{1, 1}}), CostVector{0, 2}).has_value());
}

}  // namespace
}  // namespace paretune::pareto
