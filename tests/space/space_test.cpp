#include "paretune/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "space/support.hpp"

namespace paretune::space {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string creation_error(const std::string& yaml, const std::vector<std::string>& constraints,
                           const Configuration& fixed = {}) {
  const SpaceSection section = section_of(yaml);
  const auto space = Space::create(section.parameters, section.links, constraints, fixed);
  return space ? "accepted" : space.error().message;
}

TEST(Space, CountsTheRangesOfARealStudyExactly) {
  const Space space = space_of(
      core::to_yaml(*core::parse_document(case_text("03-ranges.yaml"), "f.yaml")->root.find("parameters")));
  EXPECT_EQ(space.count_configurations()->to_string(), "223741440");
  EXPECT_EQ(space.count_points()->to_string(), "223741440");
  EXPECT_EQ(space.raw_configurations().to_string(), "223741440");
  core::Random random(1);
  std::set<Code> sampled;
  for (int i = 0; i < 800; ++i) sampled.insert(space.sample(random).value());
  EXPECT_GT(sampled.size(), 790U);
}

TEST(Space, CountsBeyond64BitsExactly) {
  const core::Document document = core::parse_document(case_text("03-overflow.json"), "f.json").value();
  const Space space = space_of(core::to_yaml(*document.root.find("parameters")));
  EXPECT_EQ(space.count_configurations()->to_string(), "100000000000000000000");
  core::Random random(1);
  EXPECT_TRUE(space.sample(random));
}

TEST(Space, LeavesOutWhatConditionsAndConstraintsForbid) {
  const Space space = space_of("{a: [1, 2, 3], b: {values: [x, y], when: a > 1}, c: [1, 2, 3]}", {"c <= a"});
  // a=1: c=1; a=2: 2 b times 2 c; a=3: 2 times 3.
  EXPECT_EQ(space.count_configurations()->to_string(), "11");
  EXPECT_EQ(space.raw_configurations().to_string(), "18");
}

TEST(Space, CountsLongChainsOfConstraintsWithoutWalkingThem) {
  // Non-decreasing sequences of 12 numbers out of 40: C(51, 12), far too many to enumerate.
  std::string yaml = "{";
  std::vector<std::string> constraints;
  for (int i = 0; i < 12; ++i) {
    yaml += "p" + std::to_string(i) + ": {min: 1, max: 40}" + (i < 11 ? ", " : "}");
    if (i > 0) constraints.push_back("p" + std::to_string(i - 1) + " <= p" + std::to_string(i));
  }
  const Space space = space_of(yaml, constraints);
  EXPECT_EQ(space.count_configurations()->to_string(), "158753389900");
  core::Random random(1);
  for (int i = 0; i < 20; ++i) {
    const auto code = space.sample(random);
    ASSERT_TRUE(code) << "one in 10^8 combinations is valid";
    EXPECT_TRUE(space.valid(*code));
  }
}

TEST(Space, SaysThatACountIsOnlyALowerBound) {
  const Space space = space_of("{a: {min: 0, max: 999}, b: {min: 0, max: 999}}", {"(a + b) % 2 == 0"});
  EXPECT_EQ(space.count_configurations()->to_string(), "500000");
  const core::Count limited = *space.count_configurations(1000);
  EXPECT_TRUE(limited.saturated());
  EXPECT_THAT(limited.to_string(), HasSubstr("at least"));
  EXPECT_LT(limited.approximate(), 500000);
}

TEST(Space, EnumeratesTightlyConstrainedSpacesQuickly) {
  // 10^9 combinations, 1000 of them valid; the constraints tie the first axis to the last.
  std::string yaml = "{";
  std::vector<std::string> constraints;
  for (int i = 0; i < 9; ++i) yaml += "p" + std::to_string(i) + ": {min: 0, max: 9}" + (i < 8 ? ", " : "}");
  for (int i = 0; i < 3; ++i) {
    constraints.push_back("p" + std::to_string(i) + " == p" + std::to_string(8 - i));
    constraints.push_back("p" + std::to_string(i) + " == p" + std::to_string(3 + i));
  }
  const Space space = space_of(yaml, constraints);
  std::size_t visited = 0;
  space.for_each_configuration([&](const Code&) { return ++visited > 0; });
  EXPECT_EQ(std::to_string(visited), space.count_configurations()->to_string());
  EXPECT_GT(visited, 0U);
  EXPECT_LT(visited, 2000U);
}

TEST(Space, StopsTheEnumerationWhenToldTo) {
  const Space space = space_of("{a: {min: 1, max: 1000000}, b: {min: 1, max: 1000000}}");
  int visited = 0;
  space.for_each_configuration([&](const Code&) { return ++visited < 5; });
  EXPECT_EQ(visited, 5);
}

TEST(Space, TreatsInactiveParametersAsAbsent) {
  const Space space = space_of("{cache: {values: [f16, q8_0], when: flash == on}, flash: [on, off]}");
  const Code off = space.canonical({1, 1});
  EXPECT_EQ(off, (Code{0, 1}));
  EXPECT_EQ(space.decode({1, 1}), space.decode({0, 1}));
  EXPECT_EQ(space.decode({1, 1}).configuration, (Configuration{{"flash", Value(std::string("off"))}}));
  EXPECT_EQ(space.decode({1, 0}).configuration.size(), 2U);
  EXPECT_EQ(space.count_configurations()->to_string(), "3");
  Point with_inactive = space.decode({1, 1});
  with_inactive.configuration["cache"] = Value(std::string("q8_0"));
  EXPECT_EQ(space.encode(with_inactive), off);
}

TEST(Space, FollowsChainsOfConditions) {
  const Space space =
      space_of("{a: [1, 2], b: {values: [1, 2], when: a == 2}, c: {values: [1, 2], when: b == 2}}");
  EXPECT_EQ(space.count_configurations()->to_string(), "4");
  EXPECT_EQ(space.canonical({0, 1, 1}), (Code{0, 0, 0})) << "b is inactive, so c is too";
}

TEST(Space, KeepsLinkedParametersTogether) {
  const Space space =
      space_of("{first: [1, 2], l: {link: [tp, pp], values: [[1, 8], [2, 4], [8, 1]]}}", {"tp <= 2"});
  ASSERT_EQ(space.axes().size(), 2U);
  EXPECT_EQ(space.axes()[1].name, "tp+pp");
  EXPECT_FALSE(space.axes()[1].ordered);
  EXPECT_EQ(space.axes()[1].levels, 3U);
  EXPECT_EQ(space.count_configurations()->to_string(), "4");
  const Point point = space.decode({0, 1});
  EXPECT_EQ(to_text(point.configuration.at("tp")), "2");
  EXPECT_EQ(to_text(point.configuration.at("pp")), "4");
  Point torn = point;
  torn.configuration["pp"] = Value(std::int64_t{8});
  EXPECT_EQ(space.encode(torn), std::nullopt) << "2 and 8 are not a row";
  EXPECT_EQ(space.encode(point), (Code{0, 1}));
}

TEST(Space, SeparatesLiveFromRestartParameters) {
  const Space space = space_of("{parallel: [1, 2, 4], concurrency: {values: [1, 2, 4, 8], live: true}}",
                               {"concurrency <= 2 * parallel"});
  EXPECT_EQ(space.count_points()->to_string(), "9");
  EXPECT_EQ(space.count_configurations()->to_string(), "3");
  std::vector<Code> configurations;
  space.for_each_configuration([&](const Code& code) {
    configurations.push_back(code);
    return true;
  });
  EXPECT_THAT(configurations, ElementsAre(Code{0, 0}, Code{1, 0}, Code{2, 0}));
  EXPECT_THAT(space.live_codes({1, 0}), ElementsAre(Code{1, 0}, Code{1, 1}, Code{1, 2}));
  const Point point = space.decode({1, 2});
  EXPECT_EQ(describe(point.configuration), "parallel=2");
  EXPECT_EQ(describe(point.live), "concurrency=4");
  EXPECT_EQ(space.encode(point), (Code{1, 2}));
}

TEST(Space, DropsConfigurationsWithoutAnyValidLiveSetting) {
  const Space space = space_of("{slots: [1, 2, 8], load: {values: [4, 8], live: true}}", {"load <= slots"});
  EXPECT_EQ(space.count_configurations()->to_string(), "1");
  EXPECT_TRUE(space.live_codes({0, 0}).empty());
}

TEST(Space, EncodesOnlyWhatIsInIt) {
  const Space space = space_of("{a: [1, 2], r: {min: 0.5, max: 1.5}}");
  const auto encoded = [&](Configuration configuration) {
    return space.encode({std::move(configuration), {}});
  };
  EXPECT_TRUE(encoded({{"a", Value(std::int64_t{1})}, {"r", Value(0.75)}}));
  EXPECT_TRUE(encoded({{"a", Value(1.0)}, {"r", Value(std::int64_t{1})}})) << "numbers compare by value";
  EXPECT_FALSE(encoded({{"a", Value(std::int64_t{3})}, {"r", Value(0.75)}}));
  EXPECT_FALSE(encoded({{"a", Value(std::int64_t{1})}, {"r", Value(2.0)}}));
  EXPECT_FALSE(encoded({{"a", Value(std::int64_t{1})}})) << "r is missing";
  EXPECT_FALSE(encoded({{"a", Value(std::int64_t{1})}, {"r", Value(1.0)}, {"z", Value(true)}}))
      << "z is unknown";
  EXPECT_FALSE(encoded({{"a", Value(std::string("1"))}, {"r", Value(1.0)}}));
}

TEST(Space, LetsExpressionsNameFixedArguments) {
  const SpaceSection section = section_of("{tp: [1, 2, 4], pp: [1, 2]}");
  const Space space = Space::create(section.parameters, section.links, {"tp * pp <= gpus", "mode == fast"},
                                    {{"gpus", Value(std::int64_t{4})}, {"mode", Value(std::string("fast"))}})
                          .value();
  EXPECT_EQ(space.count_configurations()->to_string(), "5");
  Point point = space.decode({0, 0});
  point.configuration["gpus"] = Value(std::int64_t{4});
  EXPECT_TRUE(space.encode(point)) << "a fixed argument may be repeated";
  point.configuration["gpus"] = Value(std::int64_t{5});
  EXPECT_FALSE(space.encode(point)) << "but not contradicted";
}

TEST(Space, RefusesWhatCannotWork) {
  const std::string two = "{a: [1, 2], b: [x, y]}";
  EXPECT_THAT(creation_error(two, {"aa < 1"}), HasSubstr("constraint 'aa < 1': unknown name 'aa'"));
  EXPECT_THAT(creation_error(two, {"b < 1"}),
              HasSubstr("constraint 'b < 1': an order needs a number, but 'b' is a text"));
  EXPECT_THAT(creation_error(two, {"a + 1"}), HasSubstr("is no condition"));
  EXPECT_THAT(creation_error(two, {"1 < 2"}), HasSubstr("names no parameter"));
  EXPECT_THAT(creation_error(two, {}, {{"a", Value(true)}}),
              HasSubstr("both a fixed argument and a parameter"));
  EXPECT_THAT(creation_error(two, {"aa < 1", "b == 1 <= 2"}),
              testing::AllOf(HasSubstr("'aa"), HasSubstr("chained")))
      << "all faults at once";
  EXPECT_THAT(creation_error("{a: {values: [1, 2], when: b == 1}, b: {values: [1, 2], when: a == 1}}", {}),
              HasSubstr("depend on each other"));
  EXPECT_THAT(creation_error("{a: {values: [1, 2], when: a == 1}}", {}), HasSubstr("depend on each other"));
  EXPECT_THAT(creation_error("{a: {values: [1], when: c == 1}, c: {values: [1], live: true}}", {}),
              HasSubstr("'a' needs a restart, so its condition cannot depend on 'c'"));
}

TEST(Space, IsOneConfigurationWithoutParameters) {
  for (const Space& space : {Space(), space_of("{}")}) {
    EXPECT_EQ(space.count_configurations()->to_string(), "1");
    EXPECT_EQ(space.count_points()->to_string(), "1");
    EXPECT_TRUE(space.valid({}));
    EXPECT_EQ(space.decode({}), Point());
    EXPECT_EQ(space.encode({}), Code());
    core::Random random(1);
    EXPECT_EQ(space.sample(random), Code());
    int visited = 0;
    space.for_each_configuration([&](const Code&) { return ++visited > 0; });
    EXPECT_EQ(visited, 1);
    EXPECT_EQ(space.live_codes({}).size(), 1U);
  }
}

TEST(Space, HandlesContinuousParameters) {
  const Space space =
      space_of("{on: [true, false], r: {min: 0.001, max: 1.0, scale: log, when: on == true}}", {"r <= 0.5"});
  EXPECT_TRUE(space.continuous());
  EXPECT_EQ(space.count_points(), std::nullopt);
  EXPECT_EQ(space.count_configurations(), std::nullopt);
  EXPECT_EQ(space.raw_configurations().to_string(), "2");
  EXPECT_THROW(space.for_each_configuration([](const Code&) { return true; }), std::invalid_argument);
  EXPECT_THROW((void)space.live_codes({0, 0.1}), std::invalid_argument);
  EXPECT_FALSE(space.valid({0, 2.0})) << "out of range";
  EXPECT_TRUE(space.valid({1, 2.0})) << "inactive";
  core::Random random(3);
  int inactive = 0, small = 0, active = 0;
  for (int i = 0; i < 2000; ++i) {
    const Code code = space.sample(random).value();
    EXPECT_TRUE(space.valid(code));
    EXPECT_EQ(space.canonical(code), code);
    EXPECT_EQ(space.encode(space.decode(code)), code);
    if (code[0] == 1) {
      EXPECT_EQ(code[1], 0.0) << "inactive";
      ++inactive;
      continue;
    }
    ++active;
    if (code[1] < 0.0316) ++small;
    EXPECT_LE(code[1], 0.5);
  }
  EXPECT_GT(inactive, 800);
  // Uniform on the log axis: half of [0.001, 1] lies below 10^-1.5, and [0.001, 0.5] is 90 % of it.
  EXPECT_NEAR(static_cast<double>(small) / active, 0.5 / 0.9, 0.06);
}

TEST(Space, RefusesCodesThatAreNotItsOwn) {
  const Space space = space_of("{a: [1, 2]}");
  EXPECT_THROW((void)space.valid({}), std::invalid_argument);
  EXPECT_THROW((void)space.decode({0, 0}), std::invalid_argument);
  EXPECT_THROW((void)space.decode({2}), std::out_of_range);
  EXPECT_THROW((void)space.decode({-1}), std::out_of_range);
  EXPECT_THROW((void)space.decode({std::nan("")}), std::out_of_range);
  EXPECT_THROW((void)space.to_unit({}), std::invalid_argument);
  EXPECT_THROW((void)space.from_unit(std::vector<double>{0.1, 0.2}), std::invalid_argument);
}

TEST(Space, PrintsValuesAsTheyWereWritten) {
  const Space space = space_of("{v: [1.10, 1.5], u: {min: 0.9, max: 0.95, step: 0.01}, j: [{b: 1, a: 2}]}");
  EXPECT_EQ(space.text("v", Value(1.1)), "1.10");
  EXPECT_EQ(space.text("u", Value(0.91)), "0.91");
  EXPECT_EQ(space.text("j", Value(Nested{"{\"a\":2,\"b\":1}"})), "{\"a\":2,\"b\":1}");
  EXPECT_EQ(space.text("v", Value(7.0)), "7") << "not a level";
  EXPECT_EQ(space.text("unknown", Value(true)), "true");
}

TEST(Space, SpacesLevelsOnTheUnitCube) {
  const Space space = space_of(
      "{list: [1, 2, 4, 8], word: [a, b], log: {min: 1, max: 100, scale: log}, "
      "power: {min: 64, max: 512, scale: log2}, real: {min: 0.01, max: 1.0, scale: log}}");
  const std::vector<double> unit = space.to_unit({1, 1, 9, 0, 0.1});
  EXPECT_DOUBLE_EQ(unit[0], 0.375);
  EXPECT_DOUBLE_EQ(unit[1], 0.5);
  EXPECT_NEAR(unit[2], std::log(10 / 0.5) / std::log(100.5 / 0.5), 1e-12)
      << "10 on a log axis from 1/2 to 100 1/2";
  EXPECT_DOUBLE_EQ(unit[3], 0.125);
  EXPECT_DOUBLE_EQ(unit[4], 0.5);
  for (double level = 0; level < 100; ++level) {
    const Code code{3, 0, level, 3, 0.5};
    EXPECT_EQ(space.from_unit(space.to_unit(code))[2], level);
  }
  EXPECT_EQ(space.from_unit(std::vector<double>(5, 1.0)), (Code{3, 1, 99, 3, 1}));
  EXPECT_EQ(space.from_unit(std::vector<double>(5, 0.0)), (Code{0, 0, 0, 0, 0.01}));
  EXPECT_EQ(space.from_unit(std::vector<double>(5, std::nan(""))), (Code{0, 0, 0, 0, 0.01}));
}

TEST(Space, FindsTheOneValidCodeByCounting) {
  const Space space = space_of("{a: {min: 1, max: 1000}, b: {min: 1, max: 1000}}", {"a + b == 2000"});
  core::Random random(1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(space.sample(random), (Code{999, 999}));
  const Space none = space_of("{a: {min: 1, max: 1000}, b: {min: 1, max: 1000}}", {"a + b == 2001"});
  EXPECT_EQ(none.sample(random), std::nullopt);
  EXPECT_EQ(none.count_points()->to_string(), "0");
}

}  // namespace
}  // namespace paretune::space
