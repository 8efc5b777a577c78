#include "paretune/space/value.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace paretune::space {
namespace {

using core::Json;

TEST(Value, GoesToJsonAndBack) {
  for (const char* text : {"true", "3", "-3", "0.5", "1.0", "\"on\"", "{\"a\":1}", "[1,2]"}) {
    const Json json = Json::parse(text);
    EXPECT_EQ(to_json(value_from_json(json)), json) << text;
  }
  EXPECT_THROW(value_from_json(nullptr), std::invalid_argument);
  EXPECT_THROW(values_from_json(Json::parse("[1]")), std::invalid_argument);
}

TEST(Value, IsTheSameNestedValueInAnyOrderOfKeys) {
  EXPECT_EQ(value_from_json(Json::parse(R"({"b": [1, {"d": 1, "c": 2}], "a": 0})")),
            value_from_json(Json::parse(R"({"a":0,"b":[1,{"c":2,"d":1}]})")));
}

TEST(ToText, IsShort) {
  EXPECT_EQ(to_text(Value(true)), "true");
  EXPECT_EQ(to_text(Value(std::int64_t{7})), "7");
  EXPECT_EQ(to_text(Value(0.95)), "0.95");
  EXPECT_EQ(to_text(Value(1e-05)), "0.00001");
  EXPECT_EQ(to_text(Value(std::string("a b"))), "a b");
  EXPECT_EQ(to_text(Value(Nested{"{\"a\":1}"})), "{\"a\":1}");
}

TEST(AsNumber, TakesNumbersOnly) {
  EXPECT_EQ(as_number(Value(std::int64_t{7})), 7.0);
  EXPECT_EQ(as_number(Value(0.5)), 0.5);
  EXPECT_THROW(as_number(Value(true)), std::invalid_argument);
  EXPECT_FALSE(is_number(Value(std::string("7"))));
}

TEST(Describe, ListsNamesAndValues) {
  EXPECT_EQ(describe({{"threads", Value(std::int64_t{1})}, {"parallel", Value(std::int64_t{2})}}),
            "parallel=2 threads=1");
  EXPECT_EQ(describe({}), "(defaults)");
}

TEST(ConfigurationId, DependsOnContentOnly) {
  const Configuration a{{"x", Value(std::int64_t{1})}, {"y", Value(std::string("on"))}};
  Configuration b;
  b.emplace("y", Value(std::string("on")));
  b.emplace("x", Value(std::int64_t{1}));
  EXPECT_EQ(configuration_id(a), configuration_id(b));
  EXPECT_EQ(configuration_id(a).size(), 12U);
  b["x"] = Value(std::string("1"));
  EXPECT_NE(configuration_id(a), configuration_id(b)) << "1 and \"1\" are different values";
  EXPECT_EQ(configuration_id({}), "dc7048f8f874") << "stored ids must not change between versions";
}

}  // namespace
}  // namespace paretune::space
