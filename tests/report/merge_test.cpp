#include "report/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/membership.hpp"
#include "report/studies.hpp"

namespace paretune::report {
namespace {

using testing::measured;
using trial::PointStatus;

TEST(CombineRepeats, KeepsASingleOneAsItIs) {
  const Combined one = combine_repeats({{5, std::pair{4.0, 6.0}}});
  EXPECT_EQ(one.value, 5);
  EXPECT_EQ(one.ci95, (std::pair{4.0, 6.0}));
  EXPECT_FALSE(combine_repeats({{5, std::nullopt}}).ci95);
}

TEST(CombineRepeats, WeighsByPrecision) {
  // Widths 2 and 4: weights 4 to 1. Close together, so no widening: half = 1 / sqrt(1 + 1/4).
  const Combined both = combine_repeats({{10, std::pair{9.0, 11.0}}, {10.5, std::pair{8.5, 12.5}}});
  EXPECT_NEAR(both.value, 10.1, 1e-12);
  EXPECT_NEAR(both.ci95->second - both.value, 1 / std::sqrt(1.25), 1e-9);
}

TEST(CombineRepeats, WidensWhereRepeatsDisagree) {
  const Combined both = combine_repeats({{10, std::pair{9.9, 10.1}}, {20, std::pair{19.9, 20.1}}});
  EXPECT_NEAR(both.value, 15, 1e-12);
  EXPECT_GT(both.ci95->second, 20);
  EXPECT_LT(both.ci95->first, 10);
}

TEST(CombineRepeats, FallsBackToThePlainMean) {
  EXPECT_EQ(combine_repeats({{10, std::pair{9.0, 11.0}}, {20, std::nullopt}}).value, 15);
  EXPECT_FALSE(combine_repeats({{10, std::nullopt}, {20, std::nullopt}}).ci95);
  // t(2, 0.975) = 4.302653, sd = 1, n = 3
  const Combined three = combine_repeats({{1, std::nullopt}, {2, std::nullopt}, {3, std::nullopt}});
  EXPECT_NEAR(three.ci95->second - three.value, 4.302653 / std::sqrt(3.0), 1e-6);
}

TEST(MergePoints, JoinsRepeatsOfOneId) {
  const auto points = merge_points(
      testing::two_objectives(),
      {measured(1, 1, 4, {{"output_throughput", 100}}), measured(1, 1, 8, {{"output_throughput", 5}}),
       measured(2, 1, 4, {{"output_throughput", 200}, {"ttft:p95", 7}})});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].repeats, 2);
  EXPECT_EQ(points[0].launch, 1);
  EXPECT_EQ(points[0].metrics.at("output_throughput"), 150);
  EXPECT_EQ(points[0].metrics.at("ttft:p95"), 7) << "the mean of those that know it";
}

TEST(MergePoints, PrefersValidMeasurements) {
  auto failed = measured(1, 1, 4, {}), good = measured(2, 1, 4, {{"output_throughput", 9}}),
       invalid = measured(3, 1, 4, {{"output_throughput", 900}});
  failed.status = PointStatus::Failed;
  invalid.status = PointStatus::Invalid;
  const auto points = merge_points(testing::two_objectives(), {failed, good, invalid});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].status, PointStatus::Ok);
  EXPECT_EQ(points[0].repeats, 1);
  EXPECT_EQ(points[0].launch, 2);
  EXPECT_EQ(points[0].metrics.at("output_throughput"), 9);
}

TEST(MergePoints, KeepsAFailedPointWithoutNumbers) {
  auto failed = measured(1, 1, 4, {{"output_throughput", 0}});
  failed.status = PointStatus::Failed;
  const auto points = merge_points(testing::two_objectives(), {failed});
  EXPECT_EQ(points[0].status, PointStatus::Failed);
  EXPECT_EQ(points[0].repeats, 0);
  EXPECT_TRUE(points[0].metrics.empty());
}

TEST(MergePoints, JudgesLimitsOnTheMergedValue) {
  spec::StudySpec spec = testing::two_objectives();
  spec.limits = {load::parse_bound("ttft:p95 <= 100").value()};
  const auto points =
      merge_points(spec, {measured(1, 1, 4, {{"ttft:p95", 90}}), measured(2, 1, 4, {{"ttft:p95", 130}}),
                          measured(2, 1, 8, {{"output_throughput", 1}})});
  EXPECT_EQ(points[0].status, PointStatus::Infeasible);
  EXPECT_NEAR(points[0].violation, 0.1, 1e-12);
  EXPECT_EQ(points[1].status, PointStatus::Infeasible) << "an unknown metric does not meet a limit";
}

TEST(LimitViolation, IsRelativeToTheBound) {
  const auto upper = load::parse_bound("ttft:p95 <= 200").value(),
             lower = load::parse_bound("output_throughput >= 500").value();
  EXPECT_DOUBLE_EQ(limit_violation(upper, 300), 0.5);
  EXPECT_DOUBLE_EQ(limit_violation(upper, 200), 0);
  EXPECT_DOUBLE_EQ(limit_violation(lower, 400), 0.2);
  EXPECT_DOUBLE_EQ(limit_violation(lower, 600), 0);
}

ReportPoint uncertain(const char* id, double rate, double ttft, double half) {
  ReportPoint point;
  point.id = id;
  point.metrics = {{"output_throughput", rate}, {"ttft:p95", ttft}};
  if (half > 0)
    point.ci95 = {{"output_throughput", {rate - half, rate + half}},
                  {"ttft:p95", {ttft - half, ttft + half}}};
  return point;
}

TEST(ProbabilityOnFront, IsOneForAClearWinnerAndZeroForAClearLoser) {
  const auto p = probability_on_front(testing::two_objectives(),
                                      {uncertain("a", 100, 10, 1), uncertain("b", 50, 50, 1)});
  EXPECT_EQ(p[0], 1.0);
  EXPECT_EQ(p[1], 0.0);
}

TEST(ProbabilityOnFront, IsThreeQuartersForTwins) {
  // Each of two equal points is beaten when the other is better in both objectives: 1/4.
  const auto p = probability_on_front(testing::two_objectives(),
                                      {uncertain("a", 100, 10, 2), uncertain("b", 100, 10, 2)});
  EXPECT_NEAR(*p[0], 0.75, 0.05);
  EXPECT_NEAR(*p[1], 0.75, 0.05);
}

TEST(ProbabilityOnFront, IsUnknownWithoutIntervals) {
  const auto p = probability_on_front(testing::two_objectives(),
                                      {uncertain("a", 100, 10, 0), uncertain("b", 101, 11, 1)});
  EXPECT_FALSE(p[0]);
  EXPECT_FALSE(p[1]);
}

TEST(ProbabilityOnFront, CountsTheChanceToMeetALimit) {
  spec::StudySpec spec = testing::two_objectives();
  spec.limits = {load::parse_bound("ttft:p95 <= 10").value()};
  const auto p = probability_on_front(spec, {uncertain("a", 100, 10, 2)});
  EXPECT_NEAR(*p[0], 0.5, 0.06);
}

TEST(ProbabilityOnFront, LeavesOutWhatHasNoNumbers) {
  ReportPoint failed = uncertain("f", 0, 0, 1);
  failed.status = PointStatus::Failed;
  ReportPoint half = uncertain("h", 1, 1, 1);
  half.metrics.erase("ttft:p95");
  const auto p = probability_on_front(testing::two_objectives(), {failed, half, uncertain("a", 1, 1, 0.1)});
  EXPECT_FALSE(p[0]);
  EXPECT_FALSE(p[1]);
  EXPECT_EQ(p[2], 1.0);
}

}  // namespace
}  // namespace paretune::report
