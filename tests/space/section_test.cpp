#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "space/support.hpp"

namespace paretune::space {
namespace {

using core::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Parameter parameter_of(const std::string& yaml) {
  return section_of("p: " + yaml).parameters.at(0);
}

std::vector<std::string> texts_of(const Parameter& parameter) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < level_count(parameter.domain).value(); ++i)
    texts.push_back(level_at(parameter.domain, i).text);
  return texts;
}

/// Warnings of one parameter, one a line.
std::string warnings_of(const std::string& yaml) {
  const core::Document document = core::parse_document(yaml, "space.yaml").value();
  core::Diagnostics diagnostics;
  read_space(&document.root, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.to_error("space.yaml").message;
  std::string lines;
  for (const core::Fault& warning : diagnostics.warnings()) lines += core::format_fault(warning, "") + "\n";
  return lines;
}

TEST(ReadSpace, GivesTheCountsAndLastValuesOfARealStudy) {
  const Json expected = Json::parse(case_text("03-ranges.expected.json"));
  const SpaceSection section = section_of(case_text("03-ranges.yaml"), "parameters");
  ASSERT_EQ(section.parameters.size(), expected["counts"].size());
  for (const Parameter& parameter : section.parameters) {
    const std::size_t count = level_count(parameter.domain).value();
    EXPECT_EQ(count, expected["counts"][parameter.name].get<std::size_t>()) << parameter.name;
    const Level last = level_at(parameter.domain, count - 1);
    const Json want = expected["last_values"][parameter.name];
    EXPECT_EQ(last.text, want.is_string() ? want.get<std::string>() : want.dump()) << parameter.name;
  }
  EXPECT_EQ(texts_of(section.parameters[1]),
            expected["gpu_memory_utilization_as_text"].get<std::vector<std::string>>());
}

TEST(ReadSpace, WarnsOfAMaximumThatIsNotReached) {
  EXPECT_THAT(warnings_of("p: {min: 11500, max: 96000, step: 1024}"),
              HasSubstr("1:22: space.p.max: 96000 is not reached by steps of 1024; the last value is 95468"));
  EXPECT_THAT(warnings_of("p: {min: 3, max: 100, scale: log2}"),
              HasSubstr("100 is not reached by doubling; the last value is 96"));
  EXPECT_EQ(warnings_of("p: {min: 0.9, max: 0.95, step: 0.01}"), "");
  EXPECT_EQ(warnings_of("p: {min: 64, max: 2048, scale: log2}"), "");
}

TEST(ReadSpace, WarnsOfNumbersInNoOrder) {
  EXPECT_THAT(warnings_of("p: [8, 1, 4]"), HasSubstr("1:4: space.p: the numbers are in no order"));
  EXPECT_THAT(warnings_of("p: {values: [8, 1, 4]}"),
              HasSubstr("space.p.values: the numbers are in no order"));
  EXPECT_EQ(warnings_of("p: {values: [8, 1, 4], ordered: false}\nq: [8, 4, 1]\nr: [b, a]"), "");
}

TEST(ReadSpace, ReportsAllBadRangesTogether) {
  const std::string faults = faults_of(case_text("07-bad-ranges.yaml"), "parameters");
  EXPECT_THAT(faults, HasSubstr("space.yaml:2:12: space.a.min: is above max: 10 > 5"));
  EXPECT_THAT(faults, HasSubstr("space.yaml:3:30: space.b.step: must be above 0, not 0"));
  EXPECT_THAT(faults, HasSubstr("space.yaml:4:30: space.c.step: must be above 0, not -2"));
  EXPECT_THAT(faults, HasSubstr("space.yaml:5:15: space.d.values: the list is empty"));
  EXPECT_THAT(faults, HasSubstr("space.yaml:6:30: space.e.log: unknown key 'log' (write scale: log)"));
  EXPECT_THAT(faults, HasSubstr("space.f.log: unknown key 'log'"));
  EXPECT_THAT(faults, HasSubstr("space.g.values[2]: 16 is given twice"));
  EXPECT_THAT(faults, HasSubstr("space.g.values: mixes numbers and texts"));
  EXPECT_THAT(faults, HasSubstr("space.h.typo_step: unknown key 'typo_step'"));
}

TEST(ReadSpace, RefusesLogarithmsFromZeroAndWithSteps) {
  EXPECT_THAT(faults_of("e: {min: 0, max: 100, scale: log}"),
              HasSubstr("space.e.min: must be above 0 on a logarithmic scale, not 0"));
  EXPECT_THAT(faults_of("e: {min: 0, max: 100, scale: log2}"), HasSubstr("must be above 0"));
  EXPECT_THAT(faults_of("f: {min: 1, max: 64, scale: log, step: 2}"),
              HasSubstr("space.f.step: does not go with scale log"));
  EXPECT_EQ(faults_of("f: {min: 1, max: 64, scale: linear, step: 3}"), "");
  EXPECT_THAT(faults_of("f: {min: 1, max: 64, scale: lgo}"), HasSubstr("(did you mean 'log'?)"));
}

TEST(ReadSpace, ReadsEveryFormOfADomain) {
  EXPECT_THAT(texts_of(parameter_of("[1, 2, 4]")), ElementsAre("1", "2", "4"));
  EXPECT_THAT(texts_of(parameter_of("{values: [f16, q8_0]}")), ElementsAre("f16", "q8_0"));
  EXPECT_THAT(texts_of(parameter_of("{min: 1, max: 3}")), ElementsAre("1", "2", "3"));
  EXPECT_THAT(texts_of(parameter_of("{min: 64, max: 600, scale: log2}")),
              ElementsAre("64", "128", "256", "512"));
  EXPECT_THAT(texts_of(parameter_of("{min: 1, max: 4, scale: log}")), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(texts_of(parameter_of("{min: 0.5, max: 1, step: 0.25}")), ElementsAre("0.5", "0.75", "1"));
  EXPECT_THAT(texts_of(parameter_of("{min: -2, max: 2, step: 2}")), ElementsAre("-2", "0", "2"));
  EXPECT_THAT(texts_of(parameter_of("{min: 1, max: 2, step: 1e-1}")).size(), 11U);
  EXPECT_THAT(texts_of(parameter_of("[true, false]")), ElementsAre("true", "false"));
  EXPECT_THAT(texts_of(parameter_of("[5]")), ElementsAre("5"));
  EXPECT_THAT(texts_of(parameter_of("{min: 7, max: 7}")), ElementsAre("7"));
  EXPECT_FALSE(level_count(parameter_of("{min: 0.1, max: 0.9}").domain));
  EXPECT_FALSE(level_count(parameter_of("{min: 1, max: 9, type: real}").domain));
  EXPECT_FALSE(level_count(parameter_of("{min: 1e-4, max: 1e-1, scale: log}").domain));
  EXPECT_THAT(texts_of(parameter_of("{min: 1.0, max: 3.0, type: integer}")), ElementsAre("1", "2", "3"));
  EXPECT_EQ(std::get<SteppedRange>(parameter_of("{min: 1, max: 3, step: 1, type: real}").domain).integer,
            false);
}

TEST(ReadSpace, KeepsScaleOrderAndKind) {
  EXPECT_EQ(parameter_of("{min: 64, max: 2048, scale: log2}").scale, Scale::Log2);
  EXPECT_EQ(std::get<RealRange>(parameter_of("{min: 0.1, max: 0.9, scale: log}").domain).scale, Scale::Log);
  EXPECT_TRUE(parameter_of("[1, 2.5]").ordered);
  EXPECT_FALSE(parameter_of("[a, b]").ordered);
  EXPECT_TRUE(parameter_of("{values: [small, large], ordered: true}").ordered);
  EXPECT_FALSE(parameter_of("{values: [1, 2], ordered: false}").ordered);
  EXPECT_TRUE(std::holds_alternative<std::int64_t>(level_at(parameter_of("[1]").domain, 0).value));
  EXPECT_TRUE(std::holds_alternative<double>(level_at(parameter_of("[1e4]").domain, 0).value));
  EXPECT_EQ(level_at(parameter_of("[1.10]").domain, 0).text, "1.10");
  EXPECT_EQ(level_at(parameter_of("[010]").domain, 0).text, "10") << "an octal reader must not make it eight";
  EXPECT_EQ(level_at(parameter_of("[on]").domain, 0).value, Value(std::string("on")));
}

TEST(ReadSpace, ReadsStylesConditionsAndLiveParameters) {
  const SpaceSection section = section_of(
      "flash-attn: [on, off]\n"
      "cache: {values: [f16, q8_0], when: flash-attn == on, doc: key cache}\n"
      "verbose: {values: [true, false], style: presence}\n"
      "prefix: {values: [true, false], style: no-prefix}\n"
      "eq: {values: [1], style: equals}\n"
      "json: {values: [{b: 1, a: [2]}, {}]}\n"
      "load: {values: [1, 2], live: true}\n");
  EXPECT_EQ(section.parameters[1].when->text(), "flash-attn == on");
  EXPECT_EQ(section.parameters[1].doc, "key cache");
  EXPECT_EQ(section.parameters[2].style, Style::Presence);
  EXPECT_EQ(section.parameters[3].style, Style::NoPrefix);
  EXPECT_EQ(section.parameters[4].style, Style::Equals);
  EXPECT_EQ(section.parameters[5].style, Style::Json);
  EXPECT_THAT(texts_of(section.parameters[5]), ElementsAre("{\"a\":[2],\"b\":1}", "{}"));
  EXPECT_TRUE(section.parameters[6].live);
  EXPECT_FALSE(section.parameters[0].live);
}

TEST(ReadSpace, ReadsLinkedParameters) {
  const SpaceSection section = section_of(
      "tp-pp: {link: [tp, pp], values: [[1, 8], [2, 4], [8, 1], [2, 8]], style: equals}\nx: [1]\n");
  ASSERT_EQ(section.links.size(), 1U);
  EXPECT_THAT(section.links[0].names, ElementsAre("tp", "pp"));
  EXPECT_EQ(section.links[0].rows.size(), 4U);
  ASSERT_EQ(section.parameters.size(), 3U);
  EXPECT_THAT(texts_of(section.parameters[0]), ElementsAre("1", "2", "8"));
  EXPECT_EQ(section.parameters[1].style, Style::Equals);
}

TEST(ReadSpace, RefusesBadLinks) {
  EXPECT_THAT(faults_of("l: {link: [a], values: [[1]]}"), HasSubstr("must name two parameters or more"));
  EXPECT_THAT(faults_of("l: {link: [a, b], values: [[1, 2], [1]]}"),
              HasSubstr("space.l.values[1]: must be a list of 2 values"));
  EXPECT_THAT(faults_of("l: {link: [a, b], values: [[1, 2], [1, 2.0]]}"),
              HasSubstr("the row is given twice"));
  EXPECT_THAT(faults_of("l: {link: [a, b], values: [[1, 2], [x, 3]]}"),
              HasSubstr("the values of 'a' mix numbers and texts"));
  EXPECT_THAT(faults_of("l: {link: [a, b]}"), HasSubstr("space.l.values: is missing"));
  EXPECT_THAT(faults_of("l: {link: [a, b], values: []}"), HasSubstr("must be a list of rows"));
  EXPECT_THAT(faults_of("a: [1]\nl: {link: [a, b], values: [[1, 2]]}"), HasSubstr("'a' is given twice"));
  EXPECT_THAT(faults_of("l: {link: [a, a], values: [[1, 2]]}"), HasSubstr("'a' is given twice"));
  EXPECT_THAT(faults_of("l: {link: [a, b], values: [[1, ~]]}"),
              HasSubstr("space.l.values[0][1]: a value is missing"));
}

TEST(ReadSpace, RefusesValuesThatAreNone) {
  EXPECT_THAT(faults_of("p: [1, ~]"), HasSubstr("space.yaml:1:8: space.p[1]: a value is missing"));
  EXPECT_THAT(faults_of("p: [.inf, .nan]"), HasSubstr("space.p[0]: .inf is no parameter value"));
  EXPECT_THAT(faults_of("p: [.inf, .nan]"), HasSubstr("space.p[1]: .nan is no parameter value"));
  EXPECT_THAT(faults_of("p: {min: .nan, max: 2}"), HasSubstr("space.p.min: must be a number"));
  EXPECT_THAT(faults_of("p: {min: 1, max: .inf}"), HasSubstr("space.p.max: must be a number"));
  EXPECT_THAT(faults_of("p: {min: 1}"), HasSubstr("space.p.max: is missing"));
  EXPECT_THAT(faults_of("p: {when: q == 1}\nq: [1]"), HasSubstr("needs values, or min and max"));
  EXPECT_THAT(faults_of("p: 4"), HasSubstr("must be a list or a range, not the number 4"));
  EXPECT_THAT(faults_of("p:"), HasSubstr("must be a list or a range, not empty"));
  EXPECT_THAT(faults_of("p: [1, 1.0]"), HasSubstr("1.0 is given twice"));
  EXPECT_THAT(faults_of("p: [a, a]"), HasSubstr("a is given twice"));
  EXPECT_THAT(faults_of("p: [{a: 1, b: 2}, {b: 2, a: 1}]"), HasSubstr("given twice"));
  EXPECT_THAT(faults_of("p: [true, 1]"), HasSubstr("mixes numbers and true/false"));
  EXPECT_EQ(faults_of("p: [1, 2.5]"), "") << "whole and real numbers go together";
  EXPECT_THAT(faults_of("p: {values: [1], min: 1}"), HasSubstr("space.p.min: does not go with values"));
  EXPECT_THAT(faults_of("p: {values: [1], step: 1}"), HasSubstr("space.p.step: does not go with values"));
  EXPECT_THAT(faults_of("p: {min: 1, max: 9007199254740994}"), HasSubstr("beyond 2^53"));
  EXPECT_THAT(faults_of("p: {min: 0, max: 1, step: 1e-12}"), HasSubstr("values (use a larger step"));
  EXPECT_THAT(faults_of("p: {min: 1.5, max: 4, type: integer}"),
              HasSubstr("must be a whole number for type integer, not 1.5"));
  EXPECT_THAT(faults_of("p: {min: 1, max: 4, type: whole}"), HasSubstr("must be integer or real"));
  EXPECT_THAT(faults_of("p: {min: 0.1, max: 0.4, ordered: false}"),
              HasSubstr("a continuous range is always ordered"));
  EXPECT_THAT(faults_of("[1]"), HasSubstr("must be a mapping"));
  EXPECT_EQ(faults_of("~"), "");
}

TEST(ReadSpace, RefusesBadNamesAndStyles) {
  EXPECT_THAT(faults_of("--threads: [1]"), HasSubstr("leave the dashes out"));
  EXPECT_THAT(faults_of("\"a b\": [1]"), HasSubstr("'a b' is no parameter name"));
  EXPECT_THAT(faults_of("8: [1]"), HasSubstr("'8' is no parameter name"));
  EXPECT_THAT(faults_of("in: [1]"), HasSubstr("is a word of expressions"));
  EXPECT_EQ(faults_of("compilation-config.mode: [1]\nA_b9: [1]"), "");
  EXPECT_THAT(faults_of("p: {values: [1], style: prefix}"),
              HasSubstr("must be value, equals, presence, no-prefix or json"));
  EXPECT_THAT(faults_of("p: {values: [1, 2], style: presence}"),
              HasSubstr("space.p.style: this style is for true and false only"));
  EXPECT_THAT(faults_of("p: {min: 1, max: 2, style: no-prefix}"), HasSubstr("true and false only"));
}

TEST(ReadSpace, ChecksConditionsWithTheirPlace) {
  EXPECT_THAT(faults_of("a: [1]\nb: {values: [1], when: aa > 1 }"),
              HasSubstr("space.yaml:2:24: space.b.when: 'aa > 1': unknown name 'aa' at character 1"));
  EXPECT_THAT(faults_of("a: [x]\nb: {values: [1], when: a > 1}"),
              HasSubstr("an order needs a number, but 'a' is a text"));
  EXPECT_THAT(faults_of("b: {values: [1], when: later == x}\nlater: [x]"), "")
      << "a later parameter may be named";
  EXPECT_THAT(faults_of("a: [1]\nb: {values: [1], when: [a]}"), HasSubstr("space.b.when: must be a text"));
  EXPECT_THAT(warnings_of("a: [on, off]\nb: {values: [1], when: a == onn}"),
              HasSubstr("'a' is never onn; its values are on, off (did you mean 'on'?)"));
}

TEST(ReadSpace, KnowsFixedArguments) {
  const core::Document document =
      core::parse_document("p: {values: [1], when: ctx-size > 100}\nctx: [1]", "f.yaml").value();
  core::Diagnostics diagnostics;
  read_space(&document.root, diagnostics, {{"ctx-size", Value(std::int64_t{4096})}});
  EXPECT_TRUE(diagnostics.ok());
  read_space(&document.root, diagnostics,
             {{"ctx-size", Value(std::int64_t{4096})}, {"ctx", Value(std::int64_t{1})}});
  EXPECT_THAT(diagnostics.to_error("f.yaml").message, HasSubstr("'ctx' is also a fixed argument"));
}

TEST(ReadConstraints, CollectsFaultsWithTheirPlaces) {
  const core::Document document =
      core::parse_document("- a <= b\n- a <= c\n- 3\n- a == 9\n- 1 < 2\n", "f.yaml").value();
  const SpaceSection section = section_of("a: [1, 2]\nb: [1, 2]\n");
  core::Diagnostics diagnostics;
  const auto texts = read_constraints(&document.root, section, {}, diagnostics);
  const std::string faults = diagnostics.to_error("f.yaml").message;
  EXPECT_THAT(faults, HasSubstr("f.yaml:2:3: constraints[1]: 'a <= c': unknown name 'c'"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:3:3: constraints[2]: must be an expression"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:5:3: constraints[4]: names no parameter"));
  EXPECT_THAT(faults, Not(HasSubstr("constraints[0]")));
  ASSERT_EQ(diagnostics.warnings().size(), 1U);
  EXPECT_THAT(diagnostics.warnings()[0].message, HasSubstr("'a' is never 9; its values are 1, 2"));
  EXPECT_EQ(texts.front(), "a <= b");
}

}  // namespace
}  // namespace paretune::space
