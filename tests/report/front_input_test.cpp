#include "paretune/report/front_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/studies.hpp"

namespace paretune::report {
namespace {

using core::Json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

core::Result<FrontAnswer> evaluate(const std::string& csv, FrontRequest request) {
  return evaluate_front(read_table(csv, "t.csv").value(), request);
}

FrontRequest min_x(std::vector<std::string> limits = {}) {
  return {{}, {"x:min"}, std::move(limits), {}, ""};
}

std::vector<std::string> front_ids(const FrontAnswer& answer, std::size_t group = 0) {
  std::vector<std::string> ids;
  for (const std::size_t member : answer.groups[group].front.members)
    ids.push_back(to_text(answer.groups[group].rows[member].id));
  return ids;
}

Json json_of(const FrontAnswer& answer) {
  return Json::parse(render_front_answer_json(answer));
}

TEST(FrontIds, AreTheIdColumnElseTheRowNumber) {
  EXPECT_THAT(front_ids(evaluate("id,x\nq,1\n", min_x()).value()), ElementsAre("q"));
  EXPECT_THAT(front_ids(evaluate("name,x\nq,2\nr,1\n", min_x()).value()), ElementsAre("1"));
  FrontRequest request = min_x();
  request.id_column = "name";
  EXPECT_THAT(front_ids(evaluate("name,x\nq,2\nr,1\n", request).value()), ElementsAre("r"));
}

TEST(FrontIds, AreNumbersOnlyWhereAllOfThemAre) {
  EXPECT_EQ(json_of(evaluate("id,x\n7,1\n8,1\n", min_x()).value())["points"][0]["id"], 7);
  EXPECT_EQ(json_of(evaluate("id,x\n7,1\n8b,1\n", min_x()).value())["points"][0]["id"], "7");
  EXPECT_EQ(json_of(evaluate("id,x\n07,1\n", min_x()).value())["points"][0]["id"], "07");
}

TEST(FrontIds, CountRowsThatAreLeftOut) {
  EXPECT_THAT(front_ids(evaluate("name,x\nq,\nr,1\n", min_x()).value()), ElementsAre("1"));
}

TEST(FrontRows, WithoutANumberAreLeftOutAndCounted) {
  const FrontAnswer answer =
      evaluate("id,x,y\na,1,2\nb,,2\nc,n/a,3\nd,3,\n", {{}, {"x:min", "y:max"}, {}, {}, ""}).value();
  EXPECT_EQ(answer.groups[0].rows.size(), 1u);
  EXPECT_THAT(answer.messages, ElementsAre("2 rows without a number in 'x' left out",
                                           "1 row without a number in 'y' left out"));
}

TEST(FrontRows, WithoutANumberInALimitColumnAreLeftOut) {
  const FrontAnswer answer = evaluate("id,x,y\na,1,\nb,2,5\n", min_x({"y <= 9"})).value();
  EXPECT_THAT(front_ids(answer), ElementsAre("b"));
}

TEST(FrontObjective, NeedsAKnownColumn) {
  const auto answer = evaluate("tput,tpot_ms\n1,2\n", {{}, {"tpot:min"}, {}, {}, ""});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::ErrorCode::InvalidInput);
  EXPECT_THAT(answer.error().message, HasSubstr("there is no column 'tpot'"));
  EXPECT_THAT(answer.error().hint, HasSubstr("tpot_ms"));
}

TEST(FrontObjective, IsNeverAnAliasInATable) {
  EXPECT_FALSE(evaluate("output_throughput\n1\n", {{}, {"tps:max"}, {}, {}, ""}));
  EXPECT_TRUE(evaluate("tps\n1\n", {{}, {"tps:max"}, {}, {}, ""}));
}

TEST(FrontObjective, NeedsADirection) {
  EXPECT_THAT(evaluate("x\n1\n", {{}, {"x"}, {}, {}, ""}).error().hint, HasSubstr("'x:max' or 'x:min'"));
  EXPECT_FALSE(evaluate("x\n1\n", {{}, {"x:up"}, {}, {}, ""}));
  EXPECT_TRUE(evaluate("x\n1\n", {{}, {"x:Maximize"}, {}, {}, ""}));
}

TEST(FrontObjective, SplitsAtTheLastColon) {
  EXPECT_THAT(front_ids(evaluate("id,ttft:p95\na,2\nb,1\n", {{}, {"ttft:p95:min"}, {}, {}, ""}).value()),
              ElementsAre("b"));
}

TEST(FrontObjective, IsRequiredForATable) {
  EXPECT_THAT(evaluate("x,y\n1,2\n", {}).error().message, HasSubstr("no objective"));
}

TEST(FrontObjective, MayNotBeGivenTwice) {
  EXPECT_FALSE(evaluate("x\n1\n", {{}, {"x:min", "x:max"}, {}, {}, ""}));
}

TEST(FrontObjective, RefusesAColumnThatIsThereTwice) {
  EXPECT_THAT(evaluate("x,x\n1,2\n", min_x()).error().message, HasSubstr("more than once"));
}

TEST(FrontObjective, AloneKeepsTheBestAndItsTies) {
  EXPECT_THAT(front_ids(evaluate("id,x\na,2\nb,1\nc,1\nd,5\n", min_x()).value()), ElementsAre("b", "c"));
}

TEST(FrontDegenerate, HandlesNoRowsOneRowAndAllEqual) {
  const FrontAnswer none = evaluate("id,x\n", min_x()).value();
  EXPECT_FALSE(none.any_point());
  EXPECT_EQ(json_of(none)["points"], Json::array());
  EXPECT_TRUE(json_of(none)["nearest"].is_null());
  EXPECT_THAT(none.messages, Contains(HasSubstr("no rows")));
  EXPECT_THAT(front_ids(evaluate("id,x\na,1\n", min_x()).value()), ElementsAre("a"));
  EXPECT_THAT(front_ids(evaluate("id,x\na,1\nb,1\nc,1\n", min_x()).value()), ElementsAre("a", "b", "c"));
}

TEST(FrontLimit, TakesAllFourComparisons) {
  const std::string table = "id,x\na,1\nb,2\nc,3\n";
  EXPECT_THAT(front_ids(evaluate(table, min_x({"x>=2"})).value()), ElementsAre("b"));
  EXPECT_THAT(front_ids(evaluate(table, min_x({"x > 2"})).value()), ElementsAre("c"));
  EXPECT_THAT(front_ids(evaluate(table, {{}, {"x:max"}, {"x<=2"}, {}, ""}).value()), ElementsAre("b"));
  EXPECT_THAT(front_ids(evaluate(table, {{}, {"x:max"}, {"x < 2"}, {}, ""}).value()), ElementsAre("a"));
}

TEST(FrontLimit, KnowsUnitsOnlyWhereTheColumnNameSaysThem) {
  EXPECT_THAT(front_ids(evaluate("id,x,t_ms\na,1,900\nb,2,1100\n", min_x({"t_ms >= 1s"})).value()),
              ElementsAre("b"));
  EXPECT_THAT(front_ids(evaluate("id,x,t_s\na,1,0.9\nb,2,1.1\n", min_x({"t_s >= 1000ms"})).value()),
              ElementsAre("b"));
  EXPECT_THAT(evaluate("x,t\n1,2\n", min_x({"t <= 5ms"})).error().hint, HasSubstr("plain number"));
  EXPECT_THAT(front_ids(evaluate("id,x,error_rate\na,1,0.02\nb,2,0\n", min_x({"error_rate <= 1%"})).value()),
              ElementsAre("b"));
}

TEST(FrontLimit, LeavesTheWordAndInsideColumnNames) {
  const std::string table = "id,x,this and that\na,1,9\nb,2,1\n";
  EXPECT_THAT(front_ids(evaluate(table, min_x({"this and that <= 5 and x >= 0"})).value()), ElementsAre("b"));
  EXPECT_THAT(front_ids(evaluate(table, min_x({"this and that <= 5"})).value()), ElementsAre("b"));
}

TEST(FrontLimit, RefusesWhatItCannotRead) {
  for (const char* limit : {"x", "x == 3", "<= 3", "x <=", "x <= y", "z <= 3", "x <= 3 and"}) {
    EXPECT_FALSE(evaluate("x,y\n1,2\n", min_x({limit}))) << limit;
  }
}

TEST(FrontLimit, IsAbsoluteWhereTheBoundIsZero) {
  const FrontAnswer answer = evaluate("id,x,e\na,1,0.5\nb,1,0.25\n", min_x({"e <= 0"})).value();
  ASSERT_TRUE(answer.groups[0].front.nearest);
  EXPECT_DOUBLE_EQ(answer.groups[0].front.nearest->violation, 0.25);
}

TEST(FrontGroups, FollowFirstAppearanceAndKeepTypes) {
  const Json answer = json_of(
      evaluate("gpus,kind,x\n8,b,1\n4,a,2\n8,b,3\n", {{}, {"x:min"}, {}, {"gpus", "kind"}, ""}).value());
  ASSERT_EQ(answer["groups"].size(), 2u);
  EXPECT_EQ(answer["groups"][0]["key"], (Json{{"gpus", 8}, {"kind", "b"}}));
  EXPECT_EQ(answer["groups"][1]["key"], (Json{{"gpus", 4}, {"kind", "a"}}));
  EXPECT_FALSE(answer.contains("points"));
}

TEST(FrontGroups, AreJudgedOneByOne) {
  const FrontAnswer answer = evaluate("k,x\na,1\nb,9\n", {{}, {"x:min"}, {"x <= 5"}, {"k"}, ""}).value();
  EXPECT_TRUE(answer.any_point());
  const Json json = json_of(answer);
  EXPECT_EQ(json["groups"][0]["points"].size(), 1u);
  EXPECT_EQ(json["groups"][1]["points"], Json::array());
  EXPECT_EQ(json["groups"][1]["nearest"]["id"], 1);
}

TEST(FrontGroups, NeedAKnownColumn) {
  EXPECT_FALSE(evaluate("k,x\na,1\n", {{}, {"x:min"}, {}, {"q"}, ""}));
}

TEST(FrontJson, ReportsMetricsTextsAndHypervolume) {
  const Json answer =
      json_of(evaluate("id,x,y,note\na,1,4,hi\nb,2,3,\n", {{}, {"x:min", "y:min"}, {}, {}, ""}).value());
  EXPECT_EQ(answer["schema_version"], 1);
  EXPECT_EQ(answer["objectives"][0], (Json{{"metric", "x"}, {"direction", "min"}, {"unit", ""}}));
  EXPECT_EQ(answer["points"][0]["metrics"], (Json{{"x", 1.0}, {"y", 4.0}}));
  EXPECT_EQ(answer["points"][0]["configuration"], (Json{{"note", "hi"}}));
  EXPECT_EQ(answer["points"][1]["configuration"], Json::object());
  // Reference 2.1, 4.1: the union of 1.1 x 0.1 and 0.1 x 1.1 less their overlap.
  EXPECT_NEAR(answer["hypervolume"].get<double>(), 0.11 + 0.11 - 0.01, 1e-9);
}

class FrontFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("paretune_front_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& text) {
    const auto path = directory_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::filesystem::path directory_;
};

TEST_F(FrontFiles, JoinsSeveralInputsWithUniqueRowNumbers) {
  const std::string one = write("one.csv", "x\n5\n1\n"), two = write("two.csv", "x\n1\n");
  const auto answer = evaluate_front({{one, two}, {"x:min"}, {}, {}, ""});
  ASSERT_TRUE(answer);
  const Json json = json_of(*answer);
  EXPECT_EQ(json["points"][0]["id"], 1);
  EXPECT_EQ(json["points"][1]["id"], 2);
  EXPECT_EQ(json["points"][1]["input"], two);
  EXPECT_EQ(json["points"][1]["row"], 0);
}

TEST_F(FrontFiles, TakesObjectivesFromFrontJson) {
  const ReportData data = testing::example_report();
  const std::string file = write("front.json", render_front_json(data));
  const auto answer = evaluate_front({{file}, {}, {}, {}, ""});
  ASSERT_TRUE(answer) << answer.error().message;
  const Json before = Json::parse(render_front_json(data)), after = json_of(*answer);
  EXPECT_EQ(after["objectives"], before["objectives"]);
  ASSERT_EQ(after["points"].size(), before["points"].size());
  for (const Json& point : after["points"]) {
    const auto same = std::find_if(before["points"].begin(), before["points"].end(),
                                   [&](const Json& p) { return p["id"] == point["id"]; });
    ASSERT_NE(same, before["points"].end());
    EXPECT_EQ(point["metrics"], (*same)["metrics"]);
    EXPECT_EQ(point["launch_command"], (*same)["launch_command"]);
  }
}

TEST_F(FrontFiles, KeepsTheNearestOfAFrontJsonWithoutPoints) {
  spec::StudySpec spec = testing::two_objectives();
  spec.limits = {load::parse_bound("ttft:p95 <= 10").value()};
  const auto point = testing::measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 15}});
  const auto file = write("front.json", render_front_json(build_report(spec, {{}, {point}}, 1, "")));
  const auto answer = evaluate_front({{file}, {}, {}, {}, ""});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->any_point());
  EXPECT_EQ(json_of(*answer)["nearest"]["id"], point.id);
  EXPECT_NEAR(json_of(*answer)["nearest"]["violation"].get<double>(), 0.5, 1e-12);
}

TEST_F(FrontFiles, AcceptsAliasesAndNaturalDirectionsForItsOwnResults) {
  const std::string file = write("front.json", render_front_json(testing::example_report()));
  const auto answer = evaluate_front({{file}, {"tps", "p95_ttft_ms:min"}, {"p95_ttft_ms <= 0.03s"}, {}, ""});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->objectives[0].column, "output_throughput");
  EXPECT_TRUE(answer->objectives[0].maximize);
  EXPECT_EQ(answer->limits[0].text, "ttft:p95 <= 30");
  EXPECT_EQ(answer->groups[0].front.members.size(), 2u);
}

TEST_F(FrontFiles, ReadsItsOwnPointsCsvWithoutInvalidRows) {
  const std::string file = write("points.csv", render_points_csv(testing::example_report()));
  const auto answer = evaluate_front({{file}, {"output_throughput:max"}, {"error_rate <= 1%"}, {}, ""});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->messages, Contains("2 failed or invalid measurements left out"));
  const Json json = json_of(*answer);
  ASSERT_EQ(json["points"].size(), 1u);
  EXPECT_EQ(json["points"][0]["metrics"]["output_throughput"], 200.0);
}

TEST_F(FrontFiles, NamesAMissingFile) {
  EXPECT_EQ(evaluate_front({{(directory_ / "none.csv").string()}, {"x:min"}, {}, {}, ""}).error().code,
            core::ErrorCode::NotFound);
}

TEST_F(FrontFiles, AsksForObjectivesOfATable) {
  EXPECT_FALSE(evaluate_front({{write("t.csv", "x\n1\n")}, {}, {}, {}, ""}));
  EXPECT_FALSE(evaluate_front({{}, {"x:min"}, {}, {}, ""}));
}

}  // namespace
}  // namespace paretune::report
