// Hypervolumes and contributions whose value is known from elsewhere: small hand sets (checked by grid sums),
// closed forms, and inputs that broke other programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pareto/oracles.hpp"
#include "paretune/pareto/hypervolume.hpp"

namespace paretune::pareto {
namespace {

using ::testing::ElementsAre;

CostMatrix matrix(const std::vector<CostVector>& rows) {
  return CostMatrix::from_rows(rows);
}

TEST(KnownHypervolume, OfHandSets) {
  EXPECT_NEAR(hypervolume(matrix({{2.3, 4.5}, {3.4, 3.4}, {6, 1.2}}), CostVector{7, 7}), 17.91, 1e-12);
  EXPECT_NEAR(hypervolume(matrix({{2.3, 4.5, 3.2}, {3.4, 3.4, 3.4}, {6, 1.2, 3.6}}), CostVector(3, 7)),
              66.386, 1e-12);
  EXPECT_NEAR(hypervolume(matrix({{2.3, 4.5, 3.2, 1.9, 6}, {3.4, 3.4, 3.4, 2.1, 5.8}, {6, 1.2, 3.6, 3, 6}}),
                          CostVector(5, 7)),
              373.21228, 1e-11);
  EXPECT_EQ(hypervolume(matrix({{1, 2, 3}, {2, 1, 3}}), CostVector(3, 4)), 8.0);  // equal third costs
}

TEST(KnownHypervolume, OfTiesDoesNotDependOnTheirOrder) {
  std::vector<CostVector> rows{{2, 2, 0}, {2, 0, 1}, {3, 1, 0}};
  std::sort(rows.begin(), rows.end());
  do {
    EXPECT_EQ(hypervolume(matrix(rows), CostVector(3, 4)), 29.0);
  } while (std::next_permutation(rows.begin(), rows.end()));
}

TEST(KnownHypervolume, OfRepeatedCoordinatesInEveryAxisOrder) {
  const CostMatrix costs = matrix({{.5, .5, .1}, {.4, .5, .2}, {.3, .5, .3}, {.2, .5, .4}, {.1, .1, .5}});
  std::vector<std::size_t> order{0, 1, 2};
  do {
    const CostMatrix turned = testing::with_columns(costs, order);
    EXPECT_NEAR(hypervolume(turned, CostVector(3, 1)), 0.535, 1e-15);
    EXPECT_NEAR(hypervolume(testing::joined(turned, turned), CostVector(3, 1)), 0.535, 1e-15);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(KnownHypervolume, OfUnitVectors) {
  EXPECT_NEAR(hypervolume(matrix({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), CostVector{2.1, 2.5, 2.3}), 11.075,
              1e-12);
  EXPECT_NEAR(hypervolume(matrix({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}),
                          CostVector{2.1, 2.5, 2.3, 2.0}),
              23.15, 1e-12);
}

TEST(KnownHypervolume, OfAStaircase) {
  const std::size_t n = 500;
  CostMatrix costs(2);
  for (std::size_t i = 0; i < n; ++i)
    costs.add(CostVector{static_cast<double>(i), static_cast<double>(n - 1 - i)});
  EXPECT_EQ(hypervolume(costs, CostVector(2, n)), static_cast<double>(n * n - n * (n - 1) / 2));
}

TEST(KnownHypervolume, OfASimplexLattice) {
  const std::size_t n = 25;
  CostMatrix costs(3);
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; x + y < n; ++y) {
      costs.add(
          CostVector{static_cast<double>(x), static_cast<double>(y), static_cast<double>(n - 1 - x - y)});
    }
  }
  EXPECT_EQ(hypervolume(costs, CostVector(3, n)), static_cast<double>(n * n * n - (n - 1) * n * (n + 1) / 6));
}

TEST(KnownHypervolume, OfUnitRowsAndAnythingBehindThem) {
  core::Random random(41);
  for (std::size_t m = 2; m <= 8; ++m) {
    CostMatrix costs(m);
    for (std::size_t i = 0; i < m; ++i) {
      CostVector row(m, 0.0);
      row[i] = 1;
      costs.add(row);
    }
    for (int i = 0; i < 20; ++i) {
      CostVector row(m);
      for (double& cost : row) cost = random.uniform(1, 10);
      costs.add(row);
    }
    const double whole = std::pow(10.0, static_cast<double>(m));
    EXPECT_NEAR(hypervolume(costs, CostVector(m, 10.0)), whole - 1, 1e-12 * whole);
  }
}

TEST(KnownContributions, OfSixPointsInThreeCosts) {
  const CostMatrix costs =
      matrix({{-6, -1, -6}, {-1, -3, -5}, {-3, -4, -4}, {-4, -2, -3}, {-5, -5, -2}, {-2, -6, -1}});
  EXPECT_THAT(exclusive_contributions(costs, CostVector(3, 0.0)), ElementsAre(18, 2, 12, 1, 18, 2));
}

TEST(KnownContributions, OfOneHugeBoxOverSmallOnes) {
  const CostMatrix costs = matrix({{-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}, {-1000, -1000, -1000}});
  EXPECT_THAT(exclusive_contributions(costs, CostVector(3, 0.0)), ElementsAre(0, 0, 0, 999999999));
}

TEST(KnownContributions, AreZeroForCopiesDominatedAndOutsidePoints) {
  EXPECT_THAT(exclusive_contributions(matrix({{1, 3}, {3, 1}, {3, 1}, {4, 4}, {9, 0}}), CostVector{5, 5}),
              ElementsAre(4, 0, 0, 0, 0));
}

}  // namespace
}  // namespace paretune::pareto
