// Input made to break the reader, and round trips of random trees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "paretune/core/document.hpp"
#include "paretune/core/random.hpp"

namespace paretune::core {
namespace {

using testing::HasSubstr;
using Kind = Node::Kind;

Node yaml(const std::string& text) {
  return parse_document(text, "f.yaml").value().root;
}
std::string yaml_error(const std::string& text) {
  return parse_document(text, "f.yaml").error().message;
}
std::string json_error(const std::string& text) {
  return parse_document(text, "f.json").error().message;
}

TEST(ParseDocument, FollowsAliases) {
  const Node root =
      yaml("base: &b [1, 2]\nuse: *b\nword: &w on\nagain: *w\nnested: {x: &n {y: *b}}\nlast: *n\n");
  EXPECT_EQ(to_json(*root.find("use")).dump(), "[1,2]");
  EXPECT_EQ(root.find("again")->text, "on");
  EXPECT_EQ(to_json(*root.find("last")).dump(), R"({"y":[1,2]})");
}

TEST(ParseDocument, RefusesAliasesThatLoopOrExplode) {
  EXPECT_THAT(yaml_error("a: &a [1, *a]"), HasSubstr("f.yaml:1:11: this alias refers to itself"));
  EXPECT_THAT(yaml_error("a: *nothing"), HasSubstr("f.yaml:1:"));
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) laughs += (j > 0 ? ", " : "") + before;
    laughs += "]\n";
  }
  EXPECT_THAT(yaml_error(laughs), HasSubstr("holds more than 500000 values"));
}

TEST(ParseDocument, RefusesWhatIsNoSingleStudy) {
  EXPECT_THAT(yaml_error(""), HasSubstr("f.yaml: the file is empty"));
  EXPECT_THAT(yaml_error("  \n\n"), HasSubstr("empty"));
  EXPECT_THAT(yaml_error("# only a comment\n"), HasSubstr("nothing but comments"));
  EXPECT_THAT(yaml_error("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_THAT(yaml_error("base: &b {a: 1}\nuse:\n  <<: *b\n"), HasSubstr("merge keys"));
  EXPECT_THAT(yaml_error("? [a, b]\n: 1\n"), HasSubstr("a key must be a text"));
  EXPECT_THAT(json_error(""), HasSubstr("empty"));
  EXPECT_EQ(yaml("--- \na: 1\n...\n").find("a")->integer, 1) << "the marks of one document are fine";
  EXPECT_EQ(yaml("8: x\ntrue: y\n").members[0].key, "8");
}

TEST(ParseDocument, RefusesWhatIsNoText) {
  EXPECT_THAT(yaml_error("a: caf\xE9\n"), HasSubstr("f.yaml:1:7: this byte is no UTF-8 text"));
  EXPECT_THAT(yaml_error(std::string("a: \0", 4)), HasSubstr("f.yaml:1:4: control characters"));
  EXPECT_THAT(yaml_error("\xFF\xFE"
                         "a"),
              HasSubstr("UTF-8"))
      << "UTF-16";
  EXPECT_THAT(json_error("{\"a\": \"\x01\"}"), HasSubstr("f.json:1:8: "));
  EXPECT_EQ(yaml("\xEF\xBB\xBF"
                 "a: 1\n")
                .find("a")
                ->position.line,
            1)
      << "a byte order mark is skipped";
  EXPECT_EQ(parse_document("\xEF\xBB\xBF{\"a\": 1}", "f.json").value().root.find("a")->position.column, 7);
  EXPECT_EQ(yaml("a: 1\r\nb: 2\r\n").find("b")->integer, 2);
}

TEST(ParseDocument, CapsDepthAndSize) {
  EXPECT_THAT(yaml_error(std::string(5000, '[')), HasSubstr("f.yaml:1:"));
  EXPECT_THAT(json_error(std::string(200'000, '[')), HasSubstr("nested more than 100 levels deep"));
  EXPECT_THAT(yaml_error(std::string(300, '[') + std::string(300, ']')),
              HasSubstr("nested more than 100 levels deep"));
  EXPECT_TRUE(parse_document(std::string(99, '[') + std::string(99, ']'), "f.json"));
  EXPECT_THAT(yaml_error("a: " + std::string(40 << 20, 'x')), HasSubstr("larger than 32 MiB"));
}

TEST(ParseDocument, PointsAtTheLineOfAYamlFault) {
  EXPECT_THAT(yaml_error("a: 1\nb: [1, 2\nc: 3\n"), HasSubstr("f.yaml:3:"));
  EXPECT_THAT(yaml_error("a: b: c\n"), HasSubstr("f.yaml:1:"));
  EXPECT_THAT(yaml_error("b: 1\na: \"unclosed\nc: 2\n"), HasSubstr("f.yaml:2:4: this quote is not closed"));
  EXPECT_THAT(yaml_error("a: &x 'it''s\n"), HasSubstr("f.yaml:1:4: this quote is not closed"));
  EXPECT_THAT(yaml_error("a: \"end\\\""), HasSubstr("f.yaml:1:"));
  EXPECT_EQ(yaml("a: \"two\n  lines\"").find("a")->text, "two lines");
  EXPECT_EQ(yaml("a: |\n  it's\n").find("a")->text, "it's\n");
  EXPECT_EQ(yaml("a: >-\n  it's\n  \"so").find("a")->text, "it's \"so");
  EXPECT_THAT(yaml_error("- a\nb: 1\n"), HasSubstr("f.yaml:2:1: unexpected text after the end"));
  EXPECT_THAT(parse_document("a:\n\tb: 1\n", "f.yaml").error().hint, HasSubstr("tabs"));
}

TEST(LoadDocument, SaysThatAFileIsMissing) {
  const auto document = load_document("/no/such/study.yaml");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::NotFound);
}

/// Same kinds, same values, same order.
bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.boolean != b.boolean || a.integer != b.integer || a.real != b.real) return false;
  if (a.kind == Kind::String && a.text != b.text) return false;
  if (a.items.size() != b.items.size() || a.members.size() != b.members.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same(a.items[i], b.items[i])) return false;
  }
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    if (a.members[i].key != b.members[i].key || !same(a.members[i].value, b.members[i].value)) return false;
  }
  return true;
}

std::string random_text(Random& random) {
  static const std::vector<std::string> kAwkward{
      "",     "on",   "no",    "~",        "null",         "true",        "1e-3", "010",  "0x1F", ".inf",
      "- a",  "a: b", "a #b",  "#a",       "[a]",          "{a}",         "&a",   "*a",   "!a",   "|",
      ">",    "%a",   "@a",    "`a",       "\"",           "'",           " a ",  "a\nb", "\t",   "a\\b",
      "-",    "?",    ":",     ",",        "---",          "...",         "=",    "<<",   "a:",   "é",
      "日本", "\r\n", "-.inf", "1_000",    "2026-01-01",   "12:30",       "\x7f", "\x1b", "a,b",  "y",
      "N",    "+.5",  "0o7",   "\xC2\x85", "\xE2\x80\xA8", "\xEF\xBB\xBF"};
  if (random.chance(0.7)) return kAwkward[random.index(kAwkward.size())];
  std::string text;
  for (std::size_t n = random.index(8); n > 0; --n) text += static_cast<char>(random.integer(32, 126));
  return text;
}

Node random_node(Random& random, int depth) {
  Node node;
  switch (random.index(depth > 0 ? 7 : 5)) {
    case 0:
      break;
    case 1:
      return from_json(Json(random.chance(0.5)));
    case 2:
      return from_json(Json(random.integer(-1'000'000'000'000, 1'000'000'000'000)));
    case 3:
      return from_json(Json(random.normal() * std::pow(10.0, static_cast<double>(random.integer(-20, 20)))));
    case 4:
      return from_json(Json(random_text(random)));
    case 5:
      node.kind = Kind::Sequence;
      for (std::size_t n = random.index(4); n > 0; --n) node.items.push_back(random_node(random, depth - 1));
      break;
    default:
      node.kind = Kind::Mapping;
      for (std::size_t n = random.index(4); n > 0; --n) {
        const std::string key = random_text(random);
        if (node.find(key) == nullptr) node.members.push_back({key, {}, random_node(random, depth - 1)});
      }
  }
  return node;
}

TEST(ToYaml, LoadsBackToTheSameTreeForRandomTrees) {
  Random random(11);
  for (int i = 0; i < 3000; ++i) {
    const Node node = random_node(random, 4);
    const std::string text = to_yaml(node);
    const auto document = parse_document(text, "f.yaml");
    ASSERT_TRUE(document) << document.error().message << "\n" << text;
    ASSERT_TRUE(same(document->root, node)) << text << "\nbecame\n" << to_yaml(document->root);
  }
}

TEST(ParseDocument, NeverCrashesOnRandomText) {
  Random random(12);
  static constexpr std::string_view kAlphabet = "ab1:-[]{},&*!|>'\"%@ \n\t#?.~<=0x\\é";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = random.index(40); n > 0; --n) text += kAlphabet[random.index(kAlphabet.size())];
    for (const char* file : {"f.yaml", "f.json"}) {
      const auto document = parse_document(text, file);
      if (!document) {
        EXPECT_EQ(document.error().code, ErrorCode::InvalidInput);
        EXPECT_FALSE(document.error().message.empty());
      } else if (std::string(file) == "f.yaml") {
        EXPECT_TRUE(same(yaml(to_yaml(document->root)), document->root)) << text;
      }
    }
  }
}

}  // namespace
}  // namespace paretune::core
