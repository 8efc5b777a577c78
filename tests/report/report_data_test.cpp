#include "paretune/report/report_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/failures.hpp"
#include "report/picks.hpp"
#include "report/studies.hpp"

namespace paretune::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::failure;
using ::testing::IsEmpty;
using testing::launched;
using testing::measured;
using ::testing::Not;

std::vector<double> front_values(const ReportData& data, const std::string& metric) {
  std::vector<double> values;
  for (const std::string& id : data.front) values.push_back(find_point(data, id)->metrics.at(metric));
  return values;
}

TEST(BuildReport, PutsOnlyValidPointsWithinLimitsOnTheFront) {
  const ReportData data = testing::example_report();
  EXPECT_THAT(front_values(data, "output_throughput"), ElementsAre(200, 60, 50))
      << "best first; 260 breaks a limit, 900 is invalid";
  EXPECT_THAT(front_values(data, "ttft:p95"), ElementsAre(60, 25, 20));
}

TEST(BuildReport, FindsBaselinePicksAndKnee) {
  const ReportData data = testing::example_report();
  EXPECT_EQ(data.baseline_points.size(), 2u);
  EXPECT_EQ(data.picks.throughput, data.front[0]);
  EXPECT_EQ(data.picks.latency, data.front[2]);
  ASSERT_TRUE(data.picks.knee);
  EXPECT_TRUE(find_point(data, *data.picks.knee)->knee);
  EXPECT_FALSE(data.nearest);
}

TEST(BuildReport, GivesTheReferenceInMetricUnits) {
  const ReportData data = testing::example_report();
  // Nadir 50 tok/s and 60 ms, ranges 150 and 40: 50 - 15 and 60 + 4.
  EXPECT_NEAR(data.reference_point.at("output_throughput"), 35, 1e-9);
  EXPECT_NEAR(data.reference_point.at("ttft:p95"), 64, 1e-9);
  // Strips of ttft: 20-25 reaches 50, 25-60 reaches 60, 60-64 reaches 200.
  EXPECT_NEAR(data.hypervolume, 5 * 15 + 35 * 25 + 4 * 165, 1e-9);
  EXPECT_GT(data.hypervolume_log, 0);
}

TEST(BuildReport, UsesTheReferenceOfTheStudy) {
  spec::StudySpec spec = testing::two_objectives();
  spec.reference_point = {{"output_throughput", 0}, {"ttft:p95", 100}};
  const ReportData data =
      build_report(spec, {{}, {measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 40}})}}, 1, "");
  EXPECT_DOUBLE_EQ(data.hypervolume, 600);
  EXPECT_TRUE(std::isnan(data.hypervolume_log)) << "no logarithm of a reference of 0";
}

TEST(SummarizeFront, AgreesWithTheReport) {
  const ReportData data = testing::example_report();
  const FrontSummary summary = summarize_front(data.spec, data.records);
  EXPECT_EQ(summary.size, data.front.size());
  EXPECT_EQ(summary.hypervolume, data.hypervolume);
}

TEST(SummarizeFront, TheHypervolumeOfAGrowingStudyDoesNotFall) {
  const spec::StudySpec spec = testing::two_objectives();
  std::vector<trial::PointRecord> records{measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 90}}),
                                          measured(1, 1, 2, {{"output_throughput", 8}, {"ttft:p95", 20}})};
  const FrontSummary before = summarize_front(spec, records);
  records.push_back(measured(2, 2, 1, {{"output_throughput", 11}, {"ttft:p95", 21}}));
  EXPECT_LT(summarize_front(spec, records).hypervolume, before.hypervolume) << "the case is one that shrinks";
  const FrontSummary after = summarize_front(spec, records, before.reference);
  EXPECT_GT(after.hypervolume, before.hypervolume);
  ASSERT_EQ(after.reference.size(), 2);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_GE(after.reference[j], before.reference[j]);
}

TEST(BuildReport, KeepsTies) {
  const load::MetricValues same{{"output_throughput", 10}, {"ttft:p95", 40}};
  const ReportData data = build_report(testing::two_objectives(),
                                       {{}, {measured(1, 1, 1, same), measured(2, 2, 1, same)}}, 1, "");
  EXPECT_EQ(data.front.size(), 2u);
}

TEST(BuildReport, NamesTheNearestWhenNothingIsFeasible) {
  spec::StudySpec spec = testing::two_objectives();
  spec.limits = {load::parse_bound("ttft:p95 <= 10").value()};
  const auto far = measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 40}}),
             near = measured(1, 2, 1, {{"output_throughput", 1}, {"ttft:p95", 15}});
  const ReportData data = build_report(spec, {{}, {far, near}}, 1, "");
  EXPECT_THAT(data.front, IsEmpty());
  EXPECT_EQ(data.nearest, near.id);
  EXPECT_EQ(data.hypervolume, 0);
  EXPECT_FALSE(data.picks.throughput);
}

TEST(BuildReport, LeavesAPointWithoutAnObjectiveOffTheFront) {
  const ReportData data =
      build_report(testing::two_objectives(), {{}, {measured(1, 1, 1, {{"output_throughput", 10}})}}, 1, "");
  EXPECT_THAT(data.front, IsEmpty());
  EXPECT_FALSE(data.nearest);
}

TEST(BuildReport, SurvivesAnEmptyStudy) {
  const ReportData data = build_report(testing::two_objectives(), {}, 0, "");
  EXPECT_THAT(data.front, IsEmpty());
  EXPECT_FALSE(render_front_json(data).empty());
  EXPECT_FALSE(render_table(data, false, 80).empty());
  EXPECT_TRUE(render_plot(data, false, 80, 20).empty());
  EXPECT_FALSE(render_html(data).empty());
}

TEST(BuildReport, MasksSecretsInCommands) {
  const ReportData data = testing::example_report();
  EXPECT_THAT(data.points[0].launch_command, Contains("***"));
  EXPECT_THAT(data.points[0].launch_command, Not(Contains("sk-123")));
}

TEST(CollectFailures, TellsAStartFailureOnceWithoutALiveSetting) {
  auto launch = launched(1, 64);
  launch.failure = failure(engine::FailureClass::OutOfMemory, engine::Phase::Start, "oom");
  auto lost = measured(1, 64, 4, {});
  lost.status = trial::PointStatus::Failed;
  lost.failure = launch.failure;
  const auto rows = collect_failures({launch}, {lost});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].live);
  EXPECT_EQ(rows[0].failure.log, "logs/1/server.log");
}

TEST(CollectFailures, TellsADeathUnderLoadWithItsLoad) {
  auto launch = launched(1, 64);
  launch.failure = failure(engine::FailureClass::Crash, engine::Phase::Measure, "signal 6");
  auto died = measured(1, 64, 4, {});
  died.failure = launch.failure;
  const auto rows = collect_failures({launch}, {measured(1, 64, 1, {}), died});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].live, died.point.live);
}

TEST(CollectFailures, MarksWhatWorkedAtAnotherTryAsFlaky) {
  auto launch = launched(1, 4);
  launch.failure = failure(engine::FailureClass::Crash, engine::Phase::Start, "segfault");
  EXPECT_TRUE(collect_failures({launch, launched(2, 4)}, {measured(2, 4, 1, {})})[0].failure.flaky);
  EXPECT_FALSE(collect_failures({launch, launched(2, 2)}, {measured(2, 2, 1, {})})[0].failure.flaky);
}

TEST(GroupFailures, CountsByClassMostFrequentFirst) {
  std::vector<FailureRow> rows(3);
  rows[0].failure = failure(engine::FailureClass::Crash, engine::Phase::Start, "a");
  rows[1].failure = rows[2].failure = failure(engine::FailureClass::OutOfMemory, engine::Phase::Start, "b");
  const auto groups = group_failures(rows);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].cls, engine::FailureClass::OutOfMemory);
  EXPECT_EQ(groups[0].rows.size(), 2u);
}

}  // namespace
}  // namespace paretune::report
