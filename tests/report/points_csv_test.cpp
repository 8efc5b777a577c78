#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paretune/report/report_data.hpp"
#include "paretune/report/table.hpp"
#include "report/studies.hpp"

namespace paretune::report {
namespace {

using ::testing::ElementsAre;

std::string cell(const Table& table, std::size_t row, const std::string& column) {
  return table.rows.at(row).cells.at(table.find(column).value()).text;
}

TEST(PointsCsv, HasARowPerMeasurementAndPerFailure) {
  const Table table = read_table(render_points_csv(testing::example_report()), "points.csv").value();
  std::vector<std::string> statuses;
  for (std::size_t r = 0; r < table.rows.size(); ++r) statuses.push_back(cell(table, r, "status"));
  EXPECT_THAT(statuses, ElementsAre("ok", "ok", "ok", "ok", "infeasible", "invalid", "failed"));
  EXPECT_EQ(cell(table, 6, "class"), "out_of_memory");
  EXPECT_EQ(cell(table, 6, "launch"), "3");
  EXPECT_EQ(cell(table, 6, "pid"), "4203");
  EXPECT_EQ(cell(table, 6, "parallel"), "64");
  EXPECT_EQ(cell(table, 6, "output_throughput"), "") << "unknown is empty, never 0";
  EXPECT_EQ(cell(table, 6, "concurrency"), "");
  EXPECT_EQ(cell(table, 6, "cause"), "failed to allocate 9.1 GiB, \"KV\"");
}

TEST(PointsCsv, AWindowWithoutAGoodAnswerHasNoThroughput) {
  store::StudyData data;
  auto record = testing::measured(1, 1, 4, {{"output_throughput", 0}, {"error_rate", 1}});
  record.measurement.ok = 0;
  record.status = trial::PointStatus::Failed;
  record.failure = testing::failure(engine::FailureClass::Unhealthy, engine::Phase::Measure, "500");
  data.points = {record};
  const Table table =
      read_table(render_points_csv(build_report(testing::two_objectives(), data, 1, "")), "points.csv")
          .value();
  EXPECT_EQ(cell(table, 0, "output_throughput"), "");
  EXPECT_EQ(cell(table, 0, "error_rate"), "1");
}

TEST(PointsCsv, BeginsWithTheAgreedColumns) {
  const Table table = read_table(render_points_csv(testing::example_report()), "points.csv").value();
  const std::vector<std::string> first(table.columns.begin(), table.columns.begin() + 8);
  EXPECT_THAT(first,
              ElementsAre("id", "launch", "pid", "status", "class", "parallel", "flash-attn", "concurrency"));
  EXPECT_TRUE(table.ambiguous.empty());
  EXPECT_TRUE(table.find("metric.concurrency")) << "the measured concurrency beside the load level";
  EXPECT_TRUE(table.find("started") && table.find("seconds"));
}

TEST(PointsCsv, KeepsEveryRepeatAndFullNumbers) {
  store::StudyData data;
  data.launches = {testing::launched(1, 1)};
  data.points = {testing::measured(1, 1, 4, {{"output_throughput", 1082.2693392419908}}),
                 testing::measured(1, 1, 4, {{"output_throughput", 0.1}})};
  data.points[1].repeat = 1;
  const Table table =
      read_table(render_points_csv(build_report(testing::two_objectives(), data, 1, "")), "points.csv")
          .value();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(cell(table, 0, "id"), cell(table, 1, "id"));
  EXPECT_EQ(cell(table, 0, "output_throughput"), "1082.2693392419908");
  EXPECT_EQ(cell(table, 1, "repeat"), "1");
}

TEST(PointsCsv, DefusesFormulasAndKeepsAwkwardText) {
  store::StudyData data;
  auto record = testing::measured(1, 1, 4, {});
  record.point.configuration["template"] = std::string("=HYPERLINK(\"x\")");
  record.point.configuration["json"] = space::Nested{R"({"a":1,"b":"x, y"})"};
  record.reason = "line1\nline2";
  data.points = {record};
  const std::string csv = render_points_csv(build_report(testing::two_objectives(), data, 1, ""));
  const Table table = read_table(csv, "points.csv").value();
  EXPECT_EQ(cell(table, 0, "template"), "'=HYPERLINK(\"x\")");
  EXPECT_EQ(cell(table, 0, "json"), R"({"a":1,"b":"x, y"})");
  EXPECT_EQ(cell(table, 0, "reason"), "line1\nline2");
}

TEST(PointsCsv, TellsAServerDeathOnce) {
  store::StudyData data;
  data.launches = {testing::launched(1, 1)};
  data.launches[0].failure = testing::failure(engine::FailureClass::Crash, engine::Phase::Measure, "gone");
  auto record = testing::measured(1, 1, 4, {});
  record.status = trial::PointStatus::Failed;
  record.failure = data.launches[0].failure;
  data.points = {record};
  EXPECT_EQ(read_table(render_points_csv(build_report(testing::two_objectives(), data, 1, "")), "p.csv")
                .value()
                .rows.size(),
            1u);
}

TEST(PointsCsv, MatchesTheGoldenFile) {
  testing::expect_golden("points.csv", render_points_csv(testing::example_report()));
}

}  // namespace
}  // namespace paretune::report
