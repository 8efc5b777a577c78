#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paretune/report/report_data.hpp"
#include "report/studies.hpp"

namespace paretune::report {
namespace {

using core::Json;
using ::testing::ElementsAre;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(FrontJson, HasEveryAgreedKey) {
  const Json json = Json::parse(render_front_json(testing::example_report()));
  EXPECT_THAT(keys(json), ElementsAre("schema_version", "paretune_version", "study", "objectives", "limits",
                                      "reference_point", "hypervolume", "hypervolume_log", "points",
                                      "nearest", "baseline", "picks", "failures", "budget", "environment"));
  EXPECT_THAT(keys(json["points"][0]),
              ElementsAre("id", "configuration", "live", "metrics", "ci95", "repeats", "probability_on_front",
                          "knee", "gpus", "launch_command"));
  EXPECT_THAT(keys(json["failures"][0]),
              ElementsAre("launch", "configuration", "live", "class", "phase", "exit_code", "signal", "cause",
                          "advice", "log", "flaky"));
  EXPECT_THAT(keys(json["picks"]), ElementsAre("throughput", "latency", "knee"));
  EXPECT_THAT(keys(json["budget"]), ElementsAre("launches", "points", "seconds"));
  EXPECT_EQ(json["limits"], Json::array({"error_rate <= 0.01"}));
}

TEST(FrontJson, HoldsTheBaselineWithItsPoints) {
  const Json json = Json::parse(render_front_json(testing::example_report()));
  EXPECT_EQ(json["baseline"]["configuration"]["parallel"], 1);
  ASSERT_EQ(json["baseline"]["points"].size(), 2u);
  EXPECT_EQ(json["baseline"]["points"][1]["metrics"]["output_throughput"], 100.0);
  EXPECT_EQ(json["environment"]["cores"], 2);
}

TEST(FrontJson, WritesUnknownAsNull) {
  spec::StudySpec spec = testing::two_objectives();
  const Json json = Json::parse(render_front_json(build_report(
      spec, {{}, {testing::measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 40}})}}, 1, "")));
  EXPECT_TRUE(json["points"][0]["probability_on_front"].is_null());
  EXPECT_TRUE(json["nearest"].is_null());
  EXPECT_EQ(json["baseline"], Json::object());
  EXPECT_EQ(json["environment"], Json::object());
}

TEST(FrontJson, SurvivesBytesThatAreNoUtf8) {
  store::StudyData data;
  data.launches = {testing::launched(1, 1)};
  data.launches[0].failure =
      testing::failure(engine::FailureClass::Crash, engine::Phase::Start, "bad \xFF byte");
  EXPECT_TRUE(Json::accept(render_front_json(build_report(testing::two_objectives(), data, 1, ""))));
}

TEST(FrontJson, MatchesTheGoldenFile) {
  testing::expect_golden("front.json", render_front_json(testing::example_report()));
}

}  // namespace
}  // namespace paretune::report
