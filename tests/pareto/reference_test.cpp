#include "paretune/pareto/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "paretune/pareto/hypervolume.hpp"

namespace paretune::pareto {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

CostMatrix matrix(const std::vector<CostVector>& rows) {
  return CostMatrix::from_rows(rows);
}

TEST(Reference, LiesTenPercentOfTheRangeBeyondTheNadir) {
  EXPECT_THAT(choose_reference(matrix({{1, 20}, {3, 10}})).value(), ElementsAre(DoubleEq(3.2), DoubleEq(21)));
}

TEST(Reference, TakesTheGivenCostsAndFindsTheOthers) {
  const std::vector<std::optional<double>> given{std::nullopt, 50.0};
  EXPECT_THAT(choose_reference(matrix({{1, 20}, {3, 10}}), given).value(), ElementsAre(DoubleEq(3.2), 50.0));
}

TEST(Reference, OfOnePointLeavesItRoom) {
  const CostMatrix one = matrix({{-200, 5, 0}});
  const CostVector reference = choose_reference(one).value();
  EXPECT_THAT(reference, ElementsAre(DoubleEq(-180), DoubleEq(5.5), DoubleEq(0.1)));
  EXPECT_GT(hypervolume(one, reference), 0);
  EXPECT_GT(log_hypervolume(matrix({{-200, 5}}), CostVector{-180, 5.5}).value(), 0);
}

TEST(Reference, TreatsARangeOfRoundingSizeAsNone) {
  EXPECT_THAT(choose_reference(matrix({{100, 1}, {100 + 1e-12, 0}})).value()[0], DoubleEq(110 + 1e-12 * 1.1));
}

TEST(Reference, KeepsAMaximisedMetricPositive) {
  // 1000 … 10 tok/s: nadir + 10 % of the range would be -89 tok/s.
  EXPECT_THAT(choose_reference(matrix({{-1000, 2}, {-10, 1}})).value()[0], DoubleEq(-5));
  EXPECT_THAT(choose_reference(matrix({{-1000, 2}, {-500, 1}})).value()[0], DoubleEq(-450));
}

TEST(Reference, LooksOnlyAtFiniteRows) {
  EXPECT_THAT(choose_reference(matrix({{1, 20}, {3, 10}, {0, kInf}})).value(),
              ElementsAre(DoubleEq(3.2), DoubleEq(21)));
}

TEST(Reference, OfNothingIsWhatWasGiven) {
  EXPECT_FALSE(choose_reference(CostMatrix(2)).has_value());
  EXPECT_FALSE(
      choose_reference(CostMatrix(2), std::vector<std::optional<double>>{1.0, std::nullopt}).has_value());
  EXPECT_THAT(choose_reference(CostMatrix(2), std::vector<std::optional<double>>{1.0, 2.0}).value(),
              ElementsAre(1, 2));
}

TEST(Reference, RefusesAGivenPointOfAnotherLength) {
  EXPECT_THROW(choose_reference(matrix({{1, 2}}), std::vector<std::optional<double>>{1.0}),
               std::invalid_argument);
}

TEST(IdealAndNadir, AreTheBestAndWorstOfEachCost) {
  EXPECT_THAT(ideal_point(matrix({{1, 20}, {3, 10}})), ElementsAre(1, 10));
  EXPECT_THAT(nadir_point(matrix({{1, 20}, {3, 10}})), ElementsAre(3, 20));
  EXPECT_THROW(ideal_point(CostMatrix(2)), std::invalid_argument);
}

}  // namespace
}  // namespace paretune::pareto
