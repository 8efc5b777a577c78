// Cases 01, 03 and 07: what people met in other tools' config files, as studies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "spec/support.hpp"

namespace paretune::spec {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::study_with;
using testing::warnings_of;

std::string data(const std::string& name) {
  return std::string(PARETUNE_TEST_DATA) + "/" + name;
}

core::Json expected(const std::string& name) {
  std::ifstream file(data("cases/" + name));
  return core::Json::parse(file);
}

const engine::FixedArgument& argument(const StudySpec& spec, const std::string& name) {
  for (const engine::FixedArgument& candidate : spec.engine.args) {
    if (candidate.name == name) return candidate;
  }
  throw std::out_of_range(name);
}

TEST(Case01, ScalarsKeepTheirTypesThroughTheStudyAndBack) {
  const auto spec = load_study(data("spec/case-01-scalars.yaml"));
  ASSERT_TRUE(spec) << spec.error().message;
  const auto again = testing::read(study_text(*spec), {}, "study.json");
  ASSERT_TRUE(again) << again.error().message;
  const auto answers = expected("01-yaml-scalars.expected.json");
  for (const auto& [name, answer] : answers.at("values").items()) {
    if (answer.contains("error_as_parameter_value")) continue;
    const space::Level& first = argument(*spec, name).level;
    const space::Level& second = argument(*again, name).level;
    EXPECT_EQ(first.value, second.value) << name;
    EXPECT_EQ(first.text, second.text) << name;
    const core::Json value = space::to_json(first.value);
    EXPECT_EQ(value.is_number(), answer.at("type") == "number") << name;
    EXPECT_EQ(value.is_string(), answer.at("type") == "string") << name;
    EXPECT_EQ(value.is_boolean(), answer.at("type") == "boolean") << name;
    EXPECT_EQ(value, answer.at("value")) << name;
  }
  EXPECT_EQ(argument(*again, "ver").level.text, "1.10");
  EXPECT_EQ(argument(*again, "lr_c").level.text, "0.00001");
}

TEST(Case01, InfinityAndNotANumberAreNoValues) {
  for (const char* value : {".inf", "-.inf", ".nan"}) {
    const std::string message =
        testing::faults_of(study_with(std::string("space: {a: [1.5, ") + value + "]}"));
    EXPECT_THAT(message, HasSubstr("space.a[1]")) << value;
  }
}

TEST(Case01, ARepeatedKeyNamesBothLines) {
  const auto spec = load_study(data("cases/01-yaml-duplicate-key.yaml"));
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, core::ErrorCode::InvalidInput);
  const auto answers = expected("01-yaml-duplicate-key.expected.json");
  for (const auto& part : answers.at("message_names")) {
    EXPECT_THAT(spec.error().message, HasSubstr(part.get<std::string>()));
  }
}

TEST(Case03, RangesAreCountedWithoutBuildingThem) {
  const auto spec = load_study(data("spec/case-03-ranges.yaml"));
  ASSERT_TRUE(spec) << spec.error().message;
  const core::Json answer = expected("03-ranges.expected.json");
  for (const auto& [name, count] : answer.at("counts").items()) {
    EXPECT_EQ(space::level_count(spec->space.find(name)->domain), count.get<std::size_t>()) << name;
  }
  EXPECT_EQ(spec->space.count_configurations(), core::Count(answer.at("product").get<std::uint64_t>()));
  EXPECT_THAT(warnings_of(spec), AllOf(HasSubstr("96000"), HasSubstr("95468")));
}

TEST(Case03, AProductBeyondSixtyFourBitsIsExact) {
  std::string text =
      "engine: {kind: command, command: [srv, '{port}']}\nworkload: {concurrency: 1, requests: 1}\n"
      "objectives: [tps]\nspace:\n";
  std::ifstream file(data("cases/03-overflow.json"));
  const core::Json parameters = core::Json::parse(file).at("parameters");
  for (const auto& [name, values] : parameters.items()) text += "  " + name + ": " + values.dump() + "\n";
  const auto spec = testing::read(text);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->space.count_configurations()->to_string(),
            expected("03-overflow.expected.json").at("product_exact").get<std::string>());
  EXPECT_THAT(warnings_of(spec), HasSubstr("100000000000000000000 configurations"));
}

TEST(Case07, AllFaultsOfAFileComeInOneMessage) {
  const auto spec = load_study(data("spec/case-07-bad-ranges.yaml"));
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, core::ErrorCode::InvalidInput);
  const std::string& message = spec.error().message;
  for (const char* fault : {":4:",
                            "space.a",
                            ":5:",
                            "space.b.step",
                            ":6:",
                            "space.c.step",
                            ":7:",
                            "space.d",
                            ":8:",
                            "space.e.min",
                            ":9:",
                            "space.f.step",
                            ":10:",
                            "space.g",
                            "mixes numbers and texts",
                            "16 is given twice",
                            ":11:",
                            "unknown key 'typo_step'",
                            ":14:",
                            "unknown direction 'maximum'",
                            ":15:",
                            "unknown metric 'ttft_p99ms'",
                            ":16:",
                            "budget.launches"}) {
    EXPECT_THAT(message, HasSubstr(fault));
  }
}

TEST(Case07, JsonWithACommentNamesLineAndColumn) {
  const auto spec = load_study(data("cases/07-json-with-comment.json"));
  ASSERT_FALSE(spec);
  const core::Json answer = expected("07-json-with-comment.expected.json");
  EXPECT_THAT(spec.error().message, HasSubstr(":" + std::to_string(answer.at("line").get<int>()) + ":" +
                                              std::to_string(answer.at("column").get<int>()) + ":"));
}

TEST(LoadStudy, SaysWhichFileIsNotThere) {
  const auto spec = load_study("/nowhere/study.yaml");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, core::ErrorCode::NotFound);
  EXPECT_THAT(spec.error().message, HasSubstr("/nowhere/study.yaml"));
}

}  // namespace
}  // namespace paretune::spec
