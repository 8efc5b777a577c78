#include "paretune/core/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "paretune/core/file.hpp"

namespace paretune::core {
namespace {

using testing::HasSubstr;
using Kind = Node::Kind;

std::string case_file(const std::string& name) {
  return std::string(PARETUNE_TEST_DATA "/cases/") + name;
}

Node yaml(const std::string& text) {
  return parse_document(text, "f.yaml").value().root;
}
std::string yaml_error(const std::string& text) {
  return parse_document(text, "f.yaml").error().message;
}
std::string json_error(const std::string& text) {
  return parse_document(text, "f.json").error().message;
}

/// The word that the expected file of case 01 uses for a kind.
std::string type_word(const Node& node) {
  if (node.is_number()) return "number";
  return node.kind == Kind::Boolean ? "boolean" : node.kind == Kind::String ? "string" : "other";
}

void expect_case_01(const Node& root) {
  const Json expected = Json::parse(read_file(case_file("01-yaml-scalars.expected.json")).value());
  for (const auto& [key, want] : expected["values"].items()) {
    const Node* node = root.find(key);
    ASSERT_NE(node, nullptr) << key;
    if (want.contains("error_as_parameter_value")) {
      EXPECT_FALSE(std::isfinite(node->real)) << key;
      continue;
    }
    EXPECT_EQ(type_word(*node), want["type"]) << key;
    if (node->is_number()) {
      EXPECT_EQ(node->real, want["value"].get<double>()) << key;
    } else if (node->kind == Kind::Boolean) {
      EXPECT_EQ(node->boolean, want["value"].get<bool>()) << key;
    } else {
      EXPECT_EQ(node->text, want["value"].get<std::string>()) << key;
    }
  }
}

TEST(ParseDocument, GivesYamlScalarsTheTypesOfTheCoreSchema) {
  const Document document = load_document(case_file("01-yaml-scalars.yaml")).value();
  expect_case_01(document.root);
  EXPECT_EQ(document.root.find("ver")->text, "1.10") << "the text as written survives";
}

TEST(ToYaml, LoadsBackWithTheSameTypes) {
  const Document document = load_document(case_file("01-yaml-scalars.yaml")).value();
  const std::string once = to_yaml(document.root);
  const Document again = parse_document(once, "again.yaml").value();
  expect_case_01(again.root);
  EXPECT_EQ(to_yaml(again.root), once);
  EXPECT_THAT(once, HasSubstr("lr_c: 0.00001"));
  EXPECT_THAT(once, HasSubstr("quoted: \"1e-3\""));
}

TEST(ParseDocument, ResolvesPlainScalarsByTheCoreSchema) {
  const auto kind_of = [](const std::string& scalar) { return yaml(scalar).kind; };
  for (const char* text : {"0", "7", "-3", "+5", "010", "0o17", "0xFF", "9223372036854775807"}) {
    EXPECT_EQ(kind_of(text), Kind::Integer) << text;
  }
  for (const char* text :
       {"1.", ".5", "-.5", "1e4", "1E+4", "1.5e-3", "+1.0", ".inf", "-.INF", "+.Inf", ".NaN", "0.0", "0e0"}) {
    EXPECT_EQ(kind_of(text), Kind::Real) << text;
  }
  for (const char* text : {"true", "True", "TRUE", "false"}) EXPECT_EQ(kind_of(text), Kind::Boolean) << text;
  for (const char* text : {"~", "null", "Null", "NULL"}) EXPECT_EQ(kind_of(text), Kind::Null) << text;
  for (const char* text :
       {"on",  "off",  "yes",       "No",         "y",   "N",        "tRue", "nULL",  "1_000", "1:30",
        "0b1", "-0x1", "+0o7",      "0o8",        "1e",  "e5",       ".",    "1.2.3", "0x",    "1e+",
        "inf", "nan",  ".infinity", "2026-01-01", "'1'", "\"true\"", "''",   "= x"}) {
    EXPECT_EQ(kind_of(text), Kind::String) << text;
  }
  EXPECT_EQ(yaml("010").integer, 10);
  EXPECT_EQ(yaml("0o17").integer, 15);
  EXPECT_EQ(yaml("0xFF").integer, 255);
  EXPECT_EQ(yaml("1e4").real, 10000.0);
  EXPECT_EQ(yaml("3").real, 3.0) << "real is set for integers too";
  EXPECT_EQ(yaml("5e-324").real, 5e-324);
}

TEST(ParseDocument, RefusesIntegersThatDoNotFit) {
  EXPECT_THAT(yaml_error("a: 9223372036854775808"),
              HasSubstr("f.yaml:1:4: the integer 9223372036854775808 does not fit"));
  EXPECT_THAT(yaml_error("a: 0xFFFFFFFFFFFFFFFF"), HasSubstr("does not fit"));
  EXPECT_THAT(yaml_error("a: 1e999"), HasSubstr("outside the range"));
  EXPECT_THAT(json_error("{\"a\": 9223372036854775808}"),
              HasSubstr("f.json:1:7: the integer 9223372036854775808"));
  EXPECT_THAT(json_error("{\"a\": 99999999999999999999}"),
              HasSubstr("f.json:1:7: the integer 99999999999999999999"));
  EXPECT_THAT(json_error("{\"a\": -9223372036854775809}"),
              HasSubstr("f.json:1:7: the integer -9223372036854775809"));
  EXPECT_EQ(parse_document("{\"a\": -9223372036854775808}", "f.json").value().root.find("a")->integer,
            std::numeric_limits<std::int64_t>::min());
}

TEST(ParseDocument, HonoursCoreTagsAndRefusesOthers) {
  EXPECT_EQ(yaml("!!str 1").kind, Kind::String);
  EXPECT_EQ(yaml("!!float 1").kind, Kind::Integer) << "a number all the same";
  EXPECT_EQ(yaml("! 1").kind, Kind::String);
  EXPECT_THAT(yaml_error("!!int x"), HasSubstr("does not fit"));
  EXPECT_THAT(yaml_error("!thing x"), HasSubstr("tag"));
  EXPECT_THAT(yaml_error("!!set {a, b}"), HasSubstr("tag"));
}

TEST(ParseDocument, KnowsWhereEveryNodeStands) {
  const Node root = yaml("a: 1\nb:\n  - x\n  - {c: \"d\", e: [1]}\nempty:\nlast: 2\n");
  EXPECT_EQ(root.find("a")->position.line, 1);
  EXPECT_EQ(root.find("a")->position.column, 4);
  EXPECT_EQ(root.members[1].position.line, 2);
  const Node& flow = root.find("b")->items[1];
  EXPECT_EQ(flow.position.line, 4);
  EXPECT_EQ(flow.position.column, 5);
  EXPECT_EQ(flow.find("c")->position.column, 9);
  EXPECT_EQ(root.find("empty")->kind, Kind::Null);
  EXPECT_EQ(root.find("empty")->position.line, 5) << "an empty value has the place of its key";
}

TEST(ParseDocument, CountsColumnsInCharacters) {
  EXPECT_THAT(yaml_error("\"\xC3\xA9\xC3\xA9\": 99999999999999999999"), HasSubstr("f.yaml:1:7: "));
  EXPECT_THAT(json_error("{\"\xC3\xA9\": x}"), HasSubstr("f.json:1:7: "));
}

TEST(ParseDocument, KnowsWhereEveryJsonNodeStands) {
  const Node root =
      parse_document("{\n  \"a\": [1, -2.5,\n    {\"b\": true}],\n  \"c\" : \"x\\ny\",\"d\":null}", "f.json")
          .value()
          .root;
  const auto place = [](const Node& node) { return std::pair(node.position.line, node.position.column); };
  EXPECT_EQ(place(root), std::pair(1, 1));
  EXPECT_EQ(place(*root.find("a")), std::pair(2, 8));
  EXPECT_EQ(place(root.find("a")->items[0]), std::pair(2, 9));
  EXPECT_EQ(place(root.find("a")->items[1]), std::pair(2, 12));
  EXPECT_EQ(place(root.find("a")->items[2]), std::pair(3, 5));
  EXPECT_EQ(place(*root.find("a")->items[2].find("b")), std::pair(3, 11));
  EXPECT_EQ(place(*root.find("c")), std::pair(4, 9));
  EXPECT_EQ(root.members[1].position.column, 3);
  EXPECT_EQ(place(*root.find("d")), std::pair(4, 20));
  EXPECT_EQ(root.find("a")->items[1].text, "-2.5") << "numbers keep their text";
}

TEST(ParseDocument, NamesLineAndColumnOfAJsonFault) {
  const auto document = load_document(case_file("07-json-with-comment.json"));
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(document.error().message, HasSubstr("07-json-with-comment.json:4:21: "));
  const std::vector<std::pair<std::string, std::string>> faults{
      {"[1,]", "f.json:1:4: "},
      {"{\"a\": 1,}", "f.json:1:9: "},
      {"{'a': 1}", "f.json:1:2: "},
      {"{\"a\" 1}", "f.json:1:6: "},
      {"[1 2]", "f.json:1:4: "},
      {"[01]", "f.json:1:3: "},
      {"[nul]", "f.json:1:2: "},
      {"[1] x", "f.json:1:5: "},
      {"{\"a\": \"b", "f.json:1:7: "},
      {"[\n\n  1,\n  tru\n]", "f.json:4:3: "},
      {"{\"a\": NaN}", "f.json:1:7: "},
      {"[\"a\\q\"]", "f.json:1:5: "},
      {"[", "f.json:1:2: "},
      {"// note\n{}", "f.json:1:1: "},
      {"[1e999]", "f.json:1:2: "},
  };
  for (const auto& [text, place] : faults) EXPECT_THAT(json_error(text), HasSubstr(place)) << text;
}

TEST(ParseDocument, NamesBothLinesOfADuplicateKey) {
  const auto document = load_document(case_file("01-yaml-duplicate-key.yaml"));
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().message, HasSubstr("max_num_seqs"));
  EXPECT_THAT(document.error().message, HasSubstr("line 2"));
  EXPECT_THAT(document.error().message, HasSubstr("line 4"));
  EXPECT_THAT(json_error("{\"a\": 1,\n\"a\": 2}"),
              HasSubstr("f.json:2:1: the key 'a' is given twice: line 1 and line 2"));
  EXPECT_THAT(yaml_error("{a: 1, 'a': 2}"), HasSubstr("given twice"));
  EXPECT_THAT(yaml_error("a: {b: 1, c: {d: 1, d: 2}}"), HasSubstr("'d'"));
}

TEST(ParseDocument, ReadsTheSameFromBothFormats) {
  const std::string text = "{\"a\": [1, 2.5, true, null, \"x\"], \"b\": {\"c\": {}, \"d\": []}}";
  EXPECT_EQ(to_json(parse_document(text, "f.json").value().root), to_json(yaml(text)));
  EXPECT_EQ(to_json(yaml(text)).dump(), Json::parse(text).dump());
}

TEST(FromJson, IsUndoneByToJson) {
  const Json json = Json::parse(R"({"z": 1, "a": [0.1, 1e4, -3, "1", true, null, {"k": []}], "big": 1e300})");
  EXPECT_EQ(to_json(from_json(json)).dump(), json.dump());
  EXPECT_EQ(from_json(Json(10000.0)).kind, Kind::Real);
}

TEST(Describe, NamesTheValue) {
  EXPECT_EQ(describe(yaml("3")), "the number 3");
  EXPECT_EQ(describe(yaml("x")), "the text 'x'");
  EXPECT_EQ(describe(yaml("[]")), "a list");
  EXPECT_EQ(describe(yaml("{}")), "a mapping");
  EXPECT_EQ(describe(yaml("~")), "empty");
  EXPECT_EQ(describe(yaml("true")), "true");
}

}  // namespace
}  // namespace paretune::core
