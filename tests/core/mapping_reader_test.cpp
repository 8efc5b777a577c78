#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "paretune/core/diagnostics.hpp"

namespace paretune::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The messages of reading `yaml` with `read`, one a line; "" if there are none.
std::string faults_of(const std::string& yaml, const std::function<void(MappingReader&)>& read) {
  const Document document = parse_document(yaml, "f.yaml").value();
  Diagnostics diagnostics;
  MappingReader reader(document.root, "top", diagnostics);
  read(reader);
  reader.finish();
  return diagnostics.ok() ? "" : diagnostics.to_error("f.yaml").message;
}

TEST(MappingReader, ReadsEveryType) {
  const std::string yaml =
      "{s: text, v: 1.10, b: true, i: 3, e: 1e3, n: 0.5, d: 90s, d2: 2.5, l: [a, 1], l1: one}";
  EXPECT_EQ(faults_of(yaml,
                      [](MappingReader& reader) {
                        EXPECT_EQ(reader.string("s"), "text");
                        EXPECT_EQ(reader.string("v"), "1.10")
                            << "a number where a text is wanted keeps its spelling";
                        EXPECT_EQ(reader.boolean("b"), true);
                        EXPECT_EQ(reader.integer("i", 1, 5), 3);
                        EXPECT_EQ(reader.integer("e", 1, 5000), 1000);
                        EXPECT_EQ(reader.number("n", 0, 1), 0.5);
                        EXPECT_EQ(reader.duration_s("d"), 90.0);
                        EXPECT_EQ(reader.duration_s("d2"), 2.5);
                        EXPECT_THAT(reader.strings("l").value(), ElementsAre("a", "1"));
                        EXPECT_THAT(reader.strings("l1").value(), ElementsAre("one"));
                        EXPECT_EQ(reader.string("absent"), std::nullopt);
                        EXPECT_EQ(reader.get("absent"), nullptr);
                      }),
            "");
}

TEST(MappingReader, NamesUnknownKeysWithTheNearestKnownOne) {
  const std::string faults = faults_of("timeout: 3\ntimeuot: 4\nzzz: 1\n",
                                       [](MappingReader& reader) { reader.integer("timeout", 0, 9); });
  EXPECT_THAT(faults, HasSubstr("f.yaml:2:1: top.timeuot: unknown key 'timeuot' (did you mean 'timeout'?)"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:3:1: top.zzz: unknown key 'zzz'"));
}

TEST(MappingReader, ExplainsAKeyWithoutABlankAfterItsColon) {
  EXPECT_THAT(faults_of("{min:1}", [](MappingReader& reader) { reader.get("min"); }),
              HasSubstr("unknown key 'min:1' (write a blank after the colon)"));
}

TEST(MappingReader, SaysWhatItWantedAndWhatItGot) {
  const std::string faults = faults_of(
      "s: [1]\nb: on\ni: 1.5\nn: .nan\nd: soon\nd0: 0\nl: {a: 1}\nm: [a, [b]]\n", [](MappingReader& reader) {
        EXPECT_FALSE(reader.string("s"));
        EXPECT_FALSE(reader.boolean("b"));
        EXPECT_FALSE(reader.integer("i", 0, 9));
        EXPECT_FALSE(reader.number("n", 0, 1));
        EXPECT_FALSE(reader.duration_s("d"));
        EXPECT_FALSE(reader.duration_s("d0"));
        EXPECT_FALSE(reader.strings("l"));
        EXPECT_FALSE(reader.strings("m"));
        EXPECT_EQ(reader.required("gone"), nullptr);
      });
  EXPECT_THAT(faults, HasSubstr("f.yaml:1:4: top.s: must be a text, not a list"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:2:4: top.b: must be true or false, not the text 'on'"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:3:4: top.i: must be a whole number, not the number 1.5"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:4:4: top.n: must be a number, not the number .nan"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:5:4: top.d: 'soon' is no duration (write it like"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:6:5: top.d0: must be longer than 0, not 0"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:7:4: top.l: must be a list of texts, not a mapping"));
  EXPECT_THAT(faults, HasSubstr("f.yaml:8:8: top.m[1]: must be a text, not a list"));
  EXPECT_THAT(faults, HasSubstr("top.gone: is missing"));
}

TEST(MappingReader, NamesTheBoundsThatWereBroken) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto read = [&](MappingReader& reader) {
    reader.integer("a", 1, 5);
    reader.integer("b", 1, std::numeric_limits<std::int64_t>::max());
    reader.number("c", 0, inf);
    reader.number("d", -inf, 1);
    reader.number("e", 0, 1);
  };
  const std::string faults = faults_of("{a: 9, b: 0, c: -1, d: 2, e: 1.5}", read);
  EXPECT_THAT(faults, HasSubstr("top.a: must be between 1 and 5, not 9"));
  EXPECT_THAT(faults, HasSubstr("top.b: must be at least 1, not 0"));
  EXPECT_THAT(faults, HasSubstr("top.c: must be at least 0, not -1"));
  EXPECT_THAT(faults, HasSubstr("top.d: must be at most 1, not 2"));
  EXPECT_THAT(faults, HasSubstr("top.e: must be between 0 and 1, not 1.5"));
}

TEST(MappingReader, ReadsNothingAsAnEmptyMappingAndRefusesOthers) {
  const auto ignore = [](MappingReader&) {};
  EXPECT_EQ(faults_of("~", ignore), "");
  EXPECT_EQ(faults_of("[1]", ignore), "f.yaml:1:1: top: must be a mapping, not a list");
  EXPECT_EQ(faults_of("word", ignore), "f.yaml:1:1: top: must be a mapping, not the text 'word'");
}

}  // namespace
}  // namespace paretune::core
