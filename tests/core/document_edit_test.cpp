#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "paretune/core/diagnostics.hpp"
#include "paretune/core/document.hpp"

namespace paretune::core {
namespace {

using testing::HasSubstr;

std::string edited(const std::string& yaml, const std::vector<std::string>& assignments) {
  Document document = parse_document(yaml, "f.yaml").value();
  for (const std::string& assignment : assignments) {
    const auto set = set_value(document, assignment);
    if (!set) return set.error().message;
  }
  return to_json(document.root).dump();
}

TEST(SetValue, ReplacesAndAddsValues) {
  EXPECT_EQ(edited("budget: {launches: 1}", {"budget.launches=3"}), R"({"budget":{"launches":3}})");
  EXPECT_EQ(edited("a: 1", {"b.c.d=x"}), R"({"a":1,"b":{"c":{"d":"x"}}})");
  EXPECT_EQ(edited("a:", {"a.b=1"}), R"({"a":{"b":1}})");
  EXPECT_EQ(edited("~", {"a=1"}), R"({"a":1})");
}

TEST(SetValue, ReadsTheValueAsYaml) {
  EXPECT_EQ(edited("{}", {"a=[1, on, '2']"}), R"({"a":[1,"on","2"]})");
  EXPECT_EQ(edited("{}", {"a={min: 1, max: 8}"}), R"({"a":{"min":1,"max":8}})");
  EXPECT_EQ(edited("{}", {"a=1e-3", "b=true", "c=", "d=\"5\"", "e=on"}),
            R"({"a":0.001,"b":true,"c":null,"d":"5","e":"on"})");
  EXPECT_EQ(edited("{}", {"a=tpot:p95 <= 80ms # no comment", "b=x: y"}),
            R"({"a":"tpot:p95 <= 80ms # no comment","b":"x: y"})");
  EXPECT_EQ(edited("{}", {"a=b=c"}), R"({"a":"b=c"})");
  EXPECT_THAT(edited("{}", {"a=[1, 2"}), HasSubstr("--set a=[1, 2: "));
}

TEST(SetValue, ReachesListItemsAndKeysWithDots) {
  EXPECT_EQ(edited("o: [{m: a}, {m: b}]", {"o[1].m=c", "o[2].m=d"}),
            R"({"o":[{"m":"a"},{"m":"c"},{"m":"d"}]})");
  EXPECT_EQ(edited("space: {a.b: 1, a: {b: 2}}", {"space.a.b=3"}), R"({"space":{"a.b":3,"a":{"b":2}}})")
      << "the longest key that exists is meant";
  EXPECT_EQ(edited("space: {a.b: {values: [1]}}", {"space.a.b.values=[2]"}),
            R"({"space":{"a.b":{"values":[2]}}})");
  EXPECT_EQ(edited("{}", {"x[0][0]=1"}), R"({"x":[[1]]})");
}

TEST(SetValue, RefusesPathsThatLeadNowhere) {
  EXPECT_THAT(edited("a: 1", {"a.b=2"}), HasSubstr("is the number 1, not a mapping"));
  EXPECT_THAT(edited("a: {b: 1}", {"a[0]=2"}), HasSubstr("a mapping, not a list"));
  EXPECT_THAT(edited("a: [1]", {"a[3]=2"}), HasSubstr("out of reach"));
  EXPECT_THAT(edited("a: [1]", {"a[x]=2"}), HasSubstr("like [0]"));
  EXPECT_THAT(edited("a: [1]", {"a[0=2"}), HasSubstr("like [0]"));
  EXPECT_THAT(edited("a: [1]", {"a[0]b=2"}), HasSubstr("unexpected 'b'"));
  for (const char* bad : {"", "=", "=1", "a", "a..b=1", ".a=1", "a.=1"}) {
    EXPECT_THAT(edited("{a: {}}", {bad}), HasSubstr("--set ")) << bad;
  }
}

TEST(SetValue, ChangesNothingWhenItFails) {
  Document document = parse_document("a: {b: 1}", "f.yaml").value();
  EXPECT_FALSE(set_value(document, "new.thing[5]=1"));
  EXPECT_EQ(to_json(document.root).dump(), R"({"a":{"b":1}})");
}

TEST(SetValue, LeavesNoPositionBehind) {
  Document document = parse_document("a: 1", "f.yaml").value();
  ASSERT_TRUE(set_value(document, "b={c: [1]}"));
  EXPECT_EQ(document.root.find("b")->position.line, 0);
  EXPECT_EQ(document.root.find("b")->find("c")->items[0].position.line, 0);
}

class ExpandEnvironment : public testing::Test {
 protected:
  ExpandEnvironment() {
    ::setenv("PARETUNE_T_WORD", "word", 1);
    ::setenv("PARETUNE_T_NUMBER", "8", 1);
    ::setenv("PARETUNE_T_EMPTY", "", 1);
    ::unsetenv("PARETUNE_T_UNSET");
  }
  /// The document after expansion as JSON, or the faults.
  static std::string expanded(const std::string& text, const std::string& file = "f.yaml") {
    Document document = parse_document(text, file).value();
    Diagnostics diagnostics;
    expand_environment(document, diagnostics);
    return diagnostics.ok() ? to_json(document.root).dump() : diagnostics.to_error("f.yaml").message;
  }
};

TEST_F(ExpandEnvironment, ReplacesVariablesAndDefaults) {
  EXPECT_EQ(expanded("a: x/${PARETUNE_T_WORD}/y"), R"({"a":"x/word/y"})");
  EXPECT_EQ(expanded("a: \"${PARETUNE_T_UNSET:-other} ${PARETUNE_T_EMPTY:-filled}\""),
            R"({"a":"other filled"})");
  EXPECT_EQ(expanded("a: [\"${PARETUNE_T_EMPTY}\", {b: \"${PARETUNE_T_UNSET:-}\"}]"),
            R"({"a":["",{"b":""}]})");
}

TEST_F(ExpandEnvironment, MakesNumbersOfPlainScalarsOnly) {
  EXPECT_EQ(expanded("a: ${PARETUNE_T_NUMBER}\nb: \"${PARETUNE_T_NUMBER}\""), R"({"a":8,"b":"8"})");
  EXPECT_EQ(expanded("{\"a\": \"${PARETUNE_T_NUMBER}\"}", "f.json"), R"({"a":"8"})");
}

TEST_F(ExpandEnvironment, KeepsDollarsThatAreNoVariables) {
  EXPECT_EQ(expanded("a: \"$${PARETUNE_T_WORD} $5 $ $$ ${PARETUNE_T_WORD}$\""),
            R"({"a":"${PARETUNE_T_WORD} $5 $ $$ word$"})");
}

TEST_F(ExpandEnvironment, CollectsEveryFaultWithItsPlace) {
  const std::string faults =
      expanded("a: ${PARETUNE_T_UNSET}\nb: [x, \"${}\"]\nc: \"${open\"\nd: \"${a b}\"\n");
  EXPECT_THAT(faults, HasSubstr("f.yaml:1:4: a: the environment variable PARETUNE_T_UNSET is not set"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:2:8: b[1]: '${}' names no"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:3:4: c: '${open' has no closing brace"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:4:4: d: '${a b}' names no"));
}

}  // namespace
}  // namespace paretune::core
