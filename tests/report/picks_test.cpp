#include "report/picks.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/studies.hpp"

namespace paretune::report {
namespace {

using core::Json;

TEST(ChangeOf, AgreesWithThePublishedPairs) {
  const Json cases = Json::parse(testing::read_data("cases/53-compare.json"))["cases"];
  const Json right = Json::parse(testing::read_data("cases/53-compare.expected.json"));
  for (const Json& pair : cases) {
    const bool higher = pair["better"] == "higher";
    const Change change = change_of(pair["baseline"], pair["current"], higher);
    const Json expected = right[pair["name"].get<std::string>()];
    EXPECT_NEAR(*change.percent, expected["change_pct"].get<double>(), 0.05) << pair;
    if (expected["verdict"] == "better") {
      EXPECT_TRUE(change.better) << pair;
    }
    if (expected["verdict"] == "regression") {
      EXPECT_TRUE(change.worse) << pair;
    }
  }
}

TEST(ChangeOf, HasNoPercentAgainstZero) {
  EXPECT_EQ(change_of(3069448, 0, false).percent, -100);
  EXPECT_EQ(change_of(0, 0, false).percent, 0);
  const Change worse = change_of(0, 100, false);
  EXPECT_FALSE(worse.percent);
  EXPECT_TRUE(worse.worse);
  EXPECT_EQ(to_text(worse), "worse");
}

TEST(ChangeOf, SaysBetterOrWorseByDirection) {
  EXPECT_EQ(to_text(change_of(194.34, 1082.27, true)), "+456.9 % better");
  EXPECT_EQ(to_text(change_of(925.54, 205.87, true)), "-77.8 % worse");
  EXPECT_EQ(to_text(change_of(200, 170, false)), "-15.0 % better");
  EXPECT_EQ(to_text(change_of(5, 5, true)), "no change");
}

ReportPoint with(const char* id, load::MetricValues metrics) {
  ReportPoint point;
  point.id = id;
  point.metrics = std::move(metrics);
  return point;
}

TEST(ChoosePicks, UsesTheObjectivesOfTheStudy) {
  spec::StudySpec spec = testing::two_objectives();
  spec.objectives = {{load::parse_metric("tpot:p99").value(), false},
                     {load::parse_metric("goodput").value(), true}};
  const ReportPoint a = with("a", {{"goodput", 5}, {"tpot:p99", 9}, {"output_throughput", 1}}),
                    b = with("b", {{"goodput", 4}, {"tpot:p99", 8}, {"output_throughput", 2}});
  const Picks picks = choose_picks(spec, {&a, &b}, "b");
  EXPECT_EQ(picks.throughput, "a");
  EXPECT_EQ(picks.latency, "b");
  EXPECT_EQ(picks.knee, "b");
}

TEST(ChoosePicks, FallsBackToMeasuredMetrics) {
  spec::StudySpec spec = testing::two_objectives();
  spec.objectives = {{load::parse_metric("error_rate").value(), false}};
  const ReportPoint a = with("a", {{"output_throughput", 5}, {"ttft:p50", 9}}),
                    b = with("b", {{"output_throughput", 4}, {"ttft:p50", 8}});
  EXPECT_EQ(choose_picks(spec, {&a, &b}, std::nullopt).throughput, "a");
  EXPECT_EQ(choose_picks(spec, {&a, &b}, std::nullopt).latency, "b");
  const ReportPoint bare = with("c", {{"error_rate", 0}});
  EXPECT_FALSE(choose_picks(spec, {&bare}, std::nullopt).throughput);
  EXPECT_FALSE(choose_picks(spec, {&bare}, std::nullopt).latency);
}

TEST(PickedPoints, AreComparedWithTheBaselinesOwnBest) {
  const ReportData data = testing::example_report();
  const auto picked = picked_points(data);
  ASSERT_FALSE(picked.empty());
  EXPECT_EQ(picked[0].names.front(), "highest throughput");
  EXPECT_EQ(picked[0].point->metrics.at("output_throughput"), 200);
  EXPECT_EQ(picked[0].baseline->metrics.at("output_throughput"), 100);
  for (const PickedPoint& pick : picked) {
    if (pick.names.front() == "lowest latency") {
      EXPECT_EQ(pick.point, pick.baseline) << "the baseline at concurrency 1";
    }
  }
}

}  // namespace
}  // namespace paretune::report
