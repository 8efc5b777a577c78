// The published tables of tests/data/cases, group (e), against their expected answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paretune/report/front_input.hpp"
#include "report/studies.hpp"

namespace paretune::report {
namespace {

using core::Json;

std::string case_file(const std::string& name) {
  return std::string(PARETUNE_TEST_DATA) + "/cases/" + name;
}

FrontAnswer answer_of(const std::string& file, std::vector<std::string> objectives,
                      std::vector<std::string> limits = {}, std::vector<std::string> groups = {}) {
  auto answer =
      evaluate_front({{case_file(file)}, std::move(objectives), std::move(limits), std::move(groups), ""});
  if (!answer) throw std::runtime_error(answer.error().message);
  return std::move(*answer);
}

Json json_of(const FrontAnswer& answer) {
  return Json::parse(render_front_answer_json(answer));
}

Json expected(const std::string& name) {
  return Json::parse(testing::read_data("cases/" + name));
}

Json ids(const Json& group) {
  Json list = Json::array();
  for (const Json& point : group["points"]) list.push_back(point["id"]);
  return list;
}

Json column(const Json& group, const std::string& name) {
  Json list = Json::array();
  for (const Json& point : group["points"]) list.push_back(point["metrics"][name].get<int>());
  return list;
}

TEST(FrontCases, KeepsEqualPointsAndDropsTheOneTiedOnOneObjective) {
  const Json answer = json_of(answer_of("43-tie.csv", {"output_throughput:max", "tok_s_user:max"}));
  const Json right = expected("43-tie.expected.json");
  EXPECT_EQ(ids(answer), right["front"]);
  EXPECT_EQ(answer["distinct_points"], 1);
  ASSERT_EQ(answer["dominated"].size(), 1u);
  EXPECT_EQ(answer["dominated"][0]["id"], "b");
  EXPECT_EQ(answer["dominated"][0]["by"], right["b_dominated_by"]);
}

TEST(FrontCases, ShowsEqualPointsAsOneLineWithBothLabels) {
  const std::string table = render_front_answer_table(
      answer_of("43-tie.csv", {"output_throughput:max", "tok_s_user:max"}), false, 100);
  EXPECT_NE(table.find("a, c"), std::string::npos) << table;
  EXPECT_EQ(table.find("\n  b "), std::string::npos) << table;
}

/// {"1k1k": [4, …], …} of a grouped answer.
Json fronts_by(const Json& answer, const std::string& key, const std::string& name) {
  Json fronts = Json::object();
  for (const Json& group : answer["groups"])
    fronts[group["key"][key].get<std::string>()] = column(group, name);
  return fronts;
}

TEST(FrontCases, NeverMixesWorkloads) {
  const Json right = expected("45-real-table.expected.json");
  const Json two =
      json_of(answer_of("45-real-table.csv", {"tput_per_gpu:max", "tpot_ms:min"}, {}, {"workload"}));
  EXPECT_EQ(fronts_by(two, "workload", "concurrency"), right["front_concurrency"]);
  EXPECT_EQ(two["groups"][1]["dominated"][0]["by"], Json::array({8})) << "row 8 is concurrency 32";
  const Json three = json_of(
      answer_of("45-real-table.csv", {"tput_per_gpu:max", "tpot_ms:min", "e2e_s:min"}, {}, {"workload"}));
  EXPECT_EQ(fronts_by(three, "workload", "concurrency"), right["three_objectives_with_e2e_min"]);
  const Json wrong =
      json_of(answer_of("45-real-table.csv", {"tput_per_gpu:max", "tpot_ms:max"}, {}, {"workload"}));
  EXPECT_EQ(fronts_by(wrong, "workload", "concurrency"), right["wrong_direction_tpot_max"]);
}

TEST(FrontCases, MixesWorkloadsOnlyWhenNotAskedToGroup) {
  const Json answer = json_of(answer_of("45-real-table.csv", {"tput_per_gpu:max", "tpot_ms:min"}));
  Json mixed = Json::array();
  for (const Json& point : answer["points"]) {
    mixed.push_back({point["configuration"]["workload"], point["metrics"]["concurrency"].get<int>()});
  }
  EXPECT_EQ(mixed, expected("45-real-table.expected.json")["if_mixed"]);
}

TEST(FrontCases, KeepsEveryConfigurationOfARepeatedPoint) {
  const Json right = expected("47-duplicates.expected.json");
  const Json answer = json_of(answer_of("47-duplicates.csv", {"cost:min", "deflection:min"}));
  EXPECT_EQ(ids(answer), right["front_ids"]);
  EXPECT_EQ(answer["distinct_points"], right["distinct_points"]);
}

TEST(FrontCases, LetsInfeasibleRowsDominateNobody) {
  const Json right = expected("49-constraints.expected.json");
  const Json answer =
      json_of(answer_of("49-constraints.csv", {"tput_per_gpu:max", "tpot_ms:min"}, {"tpot_ms <= 4.2"}));
  EXPECT_EQ(column(answer, "concurrency"), right["tpot<=4.2"]["front"]);
  EXPECT_TRUE(answer["nearest"].is_null());
  EXPECT_EQ(answer["infeasible"].size(), 3u);
}

TEST(FrontCases, NamesTheNearestWhenNothingMeetsTheLimits) {
  const Json right = expected("49-constraints.expected.json")["tpot<=5 and tput>=600"];
  const FrontAnswer answer = answer_of("49-constraints.csv", {"tput_per_gpu:max", "tpot_ms:min"},
                                       {"tpot_ms<=5", "tput_per_gpu>=600"});
  EXPECT_FALSE(answer.any_point());
  const Json json = json_of(answer);
  EXPECT_EQ(json["points"], Json::array());
  EXPECT_EQ(json["nearest"]["id"], 3);
  EXPECT_EQ(json["nearest"]["metrics"]["concurrency"].get<int>(), right["nearest"].get<int>());
  EXPECT_NEAR(json["nearest"]["violation"].get<double>(), 0.13, 1e-9);
  for (const Json& row : json["infeasible"]) {
    const auto concurrency = std::to_string(std::vector<int>{4, 8, 16, 32, 64}[row["id"].get<std::size_t>()]);
    EXPECT_NEAR(row["violation"].get<double>(),
                right["nearest_by_relative_violation"][concurrency].get<double>(), 5e-5);
  }
  const std::string table = render_front_answer_table(answer, false, 100);
  EXPECT_NE(table.find("no row meets the limits; nearest: 3 (off by 13 % in sum)"), std::string::npos)
      << table;
}

TEST(FrontCases, TakesLimitsJoinedWithAnd) {
  const Json answer = json_of(answer_of("49-constraints.csv", {"tput_per_gpu:max", "tpot_ms:min"},
                                        {"tpot_ms<=5 and tput_per_gpu>=600"}));
  EXPECT_EQ(answer["limits"], Json::array({"tpot_ms <= 5", "tput_per_gpu >= 600"}));
  EXPECT_EQ(answer["nearest"]["id"], 3);
}

TEST(FrontCases, FindsThreeObjectiveFrontsPerContext) {
  const Json right = expected("51-three-objectives.expected.json");
  const std::vector<std::string> three{"tok_s_total:max", "ttft_p50_s:min", "power_w:min"};
  const Json by_three = json_of(answer_of("51-three-objectives.csv", three, {}, {"context"}));
  const Json by_two =
      json_of(answer_of("51-three-objectives.csv", {"tok_s_request:max", "power_w:min"}, {}, {"context"}));
  for (std::size_t g = 0; g < 3; ++g) {
    const std::string context = by_three["groups"][g]["key"]["context"].get<std::string>();
    EXPECT_EQ(ids(by_three["groups"][g]), right["per_context"][context]["max total, min ttft, min power"]);
    EXPECT_EQ(ids(by_two["groups"][g]), right["per_context"][context]["max per request, min power"]);
  }
  EXPECT_EQ(ids(json_of(answer_of("51-three-objectives.csv", three))), right["mixed (wrong use)"]);
}

}  // namespace
}  // namespace paretune::report
