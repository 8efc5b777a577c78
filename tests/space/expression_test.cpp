#include "paretune/space/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "paretune/core/random.hpp"

namespace paretune::space {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Values = std::map<std::string, Value>;

const std::vector<std::string>& names() {
  static const std::vector<std::string> known{"x",          "y",   "tp",    "batch-size", "ubatch-size",
                                              "flash-attn", "a.b", "a-b",   "big",        "flag",
                                              "word",       "off", "nested"};
  return known;
}

const Values& values() {
  static const Values all{{"x", Value(std::int64_t{4})},
                          {"y", Value(0.5)},
                          {"tp", Value(std::int64_t{2})},
                          {"batch-size", Value(std::int64_t{512})},
                          {"ubatch-size", Value(std::int64_t{64})},
                          {"flash-attn", Value(std::string("on"))},
                          {"a.b", Value(std::int64_t{1})},
                          {"a-b", Value(std::int64_t{10})},
                          {"big", Value(std::int64_t{9007199254740993})},
                          {"flag", Value(true)},
                          {"word", Value(std::string("q8_0"))},
                          {"nested", Value(Nested{"{\"k\":1}"})}};
  return all;  // `off` is known but inactive
}

std::optional<Value> look_up(std::string_view name) {
  const auto found = values().find(std::string(name));
  return found == values().end() ? std::nullopt : std::optional<Value>(found->second);
}

Expression parsed(const std::string& text) {
  core::Result<Expression> expression = Expression::parse(text, names());
  if (!expression) throw std::runtime_error(expression.error().message);
  return *expression;
}

bool holds(const std::string& text) {
  return parsed(text).holds(look_up);
}
bool allowed(const std::string& text) {
  return parsed(text).holds_or_inactive(look_up);
}
std::string value_of(const std::string& text) {
  const auto value = parsed(text).evaluate(look_up);
  return value ? to_text(*value) : "error: " + value.error().message;
}
/// "message | hint" of the parse error.
std::string refusal(const std::string& text) {
  const auto expression = Expression::parse(text, names());
  return expression ? "accepted" : expression.error().message + " | " + expression.error().hint;
}

TEST(Expression, ComparesNumbersByValue) {
  EXPECT_TRUE(holds("x == 4"));
  EXPECT_TRUE(holds("x == 4.0"));
  EXPECT_TRUE(holds("x >= 4 and x <= 4 and not x < 4 and not x > 4"));
  EXPECT_TRUE(holds("y < x"));
  EXPECT_TRUE(holds("x != 5"));
  EXPECT_TRUE(holds("y == 5e-1"));
  EXPECT_TRUE(holds("x == -x + 8"));
  EXPECT_TRUE(holds("-x < -3"));
}

TEST(Expression, FollowsThePrecedenceOfArithmetic) {
  EXPECT_EQ(value_of("1 + 2 * 3"), "7");
  EXPECT_EQ(value_of("(1 + 2) * 3"), "9");
  EXPECT_EQ(value_of("8 - 2 - 1"), "5");
  EXPECT_EQ(value_of("8 / 2 / 2"), "2");
  EXPECT_EQ(value_of("7 / 2"), "3.5");
  EXPECT_EQ(value_of("7 % 4 * 2"), "6");
  EXPECT_EQ(value_of("-7 % 4"), "1") << "the remainder has the sign of the divisor";
  EXPECT_EQ(value_of("- 2 * 3"), "-6");
  EXPECT_EQ(value_of("2 * -3"), "-6");
  EXPECT_EQ(value_of("tp * a.b"), "2");
  EXPECT_EQ(value_of("1e-3 * 1000"), "1");
  EXPECT_EQ(value_of("1e+3"), "1000");
}

TEST(Expression, BindsNotTighterThanAndTighterThanOr) {
  EXPECT_TRUE(holds("true or false and false"));
  EXPECT_FALSE(holds("(true or false) and false"));
  EXPECT_TRUE(holds("not false and true"));
  EXPECT_FALSE(holds("not (false or true)"));
  EXPECT_TRUE(holds("not x == 5")) << "not reaches over the comparison";
  EXPECT_TRUE(holds("not not flag"));
  EXPECT_TRUE(holds("x + 1 == 5 and 3 < x * 2"));
}

TEST(Expression, TellsDashesInNamesFromMinus) {
  EXPECT_EQ(value_of("a-b"), "10");
  EXPECT_EQ(value_of("batch-size - ubatch-size"), "448");
  EXPECT_TRUE(holds("ubatch-size <= batch-size"));
  EXPECT_THAT(refusal("x -y"), HasSubstr("a minus needs blanks on both sides"));
  EXPECT_THAT(refusal("x- y"), HasSubstr("a minus needs blanks on both sides"));
  EXPECT_THAT(refusal("x-y > 1"), HasSubstr("a minus needs blanks on both sides"));
  EXPECT_THAT(refusal("(x)-(y) > 1"), HasSubstr("a minus needs blanks on both sides"));
  EXPECT_EQ(value_of("3 - 1"), "2");
}

TEST(Expression, ReadsBareWordsOnTheRightAsTexts) {
  EXPECT_TRUE(holds("flash-attn == on"));
  EXPECT_FALSE(holds("flash-attn == off-line"));
  EXPECT_TRUE(holds("flash-attn != none"));
  EXPECT_TRUE(holds("word == q8_0"));
  EXPECT_TRUE(holds("word in [f16, q8_0]"));
  EXPECT_TRUE(holds("word not in [f16, q4_0]"));
  EXPECT_TRUE(holds("flash-attn == 'on' and flash-attn == \"on\""));
  EXPECT_TRUE(holds("word != 4bit"));
  EXPECT_TRUE(holds("x in [1, tp * 2]")) << "expressions in lists";
  EXPECT_TRUE(holds("x == tp + tp"));
  EXPECT_FALSE(holds("x in []"));
  EXPECT_TRUE(holds("x in [-4, 4]"));
  EXPECT_TRUE(holds("word == 'q8\\_0'"));
}

TEST(Expression, UsesTheValueOfAWordThatNamesAParameter) {
  EXPECT_FALSE(holds("word == flash-attn"));
  EXPECT_TRUE(holds("tp == tp"));
  EXPECT_FALSE(holds("flash-attn == off")) << "'off' names a parameter here, and it is inactive";
  EXPECT_THAT(refusal("flash-attn == nothing + 1"), HasSubstr("unknown name 'nothing'"));
}

TEST(Expression, KeepsTypesApart) {
  EXPECT_FALSE(holds("x == '4'"));
  EXPECT_TRUE(holds("x != '4'"));
  EXPECT_FALSE(holds("flag == 1"));
  EXPECT_TRUE(holds("flag == true"));
  EXPECT_TRUE(holds("flag"));
  EXPECT_FALSE(holds("nested == '{\"k\":1}'"));
  EXPECT_THAT(value_of("flash-attn < 3"), HasSubstr("cannot order 'on' and 3"));
  EXPECT_THAT(value_of("flash-attn < 'x'"), HasSubstr("only numbers have an order"));
  EXPECT_THAT(value_of("word + 1"), HasSubstr("cannot compute with 'q8_0' and 1"));
  EXPECT_THAT(value_of("-word"), HasSubstr("cannot negate 'q8_0'"));
  EXPECT_THAT(value_of("x and true"), HasSubstr("4 is neither true nor false"));
  EXPECT_THAT(value_of("not word"), HasSubstr("'q8_0' is neither true nor false"));
}

TEST(Expression, TurnsErrorsIntoFalse) {
  EXPECT_THAT(value_of("x / 0"), HasSubstr("division of 4 by zero"));
  EXPECT_THAT(value_of("x % (tp - 2)"), HasSubstr("by zero"));
  EXPECT_FALSE(holds("x / 0 > 1"));
  EXPECT_FALSE(holds("not x / 0 > 1")) << "an error stays an error under not";
  EXPECT_FALSE(allowed("x / 0 > 1"));
  EXPECT_TRUE(holds("x == 4 or x / 0 > 1")) << "the left side already decides";
}

TEST(Expression, FindsComparisonsWithInactiveNamesFalse) {
  EXPECT_FALSE(holds("off == 1"));
  EXPECT_FALSE(holds("off != 1"));
  EXPECT_FALSE(holds("off + 1 > 0"));
  EXPECT_FALSE(holds("-off < 1"));
  EXPECT_TRUE(holds("not off == 1"));
  EXPECT_FALSE(holds("off"));
  EXPECT_FALSE(holds("off in [1]"));
  EXPECT_FALSE(holds("x in [off]"));
  EXPECT_FALSE(parsed("off + 1").number(look_up));
  EXPECT_THAT(value_of("off"), HasSubstr("inactive"));
}

TEST(Expression, ForgivesConstraintsThatNeedInactiveNames) {
  EXPECT_TRUE(allowed("off == 1"));
  EXPECT_TRUE(allowed("not off == 1"));
  EXPECT_TRUE(allowed("off"));
  EXPECT_TRUE(allowed("off in [1]"));
  EXPECT_TRUE(allowed("x in [off, 4]"));
  EXPECT_TRUE(allowed("x == 4 and off > 1"));
  EXPECT_FALSE(allowed("x == 5 and off > 1")) << "decided without the inactive one";
  EXPECT_TRUE(allowed("x == 5 or off > 1"));
  EXPECT_FALSE(allowed("not (x == 4 or off > 1)"));
  EXPECT_FALSE(allowed("x > 4"));
}

TEST(Expression, GivesNumbersForGpuCounts) {
  EXPECT_EQ(parsed("tp * 2").number(look_up), 4.0);
  EXPECT_EQ(parsed("1").number(look_up), 1.0);
  EXPECT_EQ(parsed("flash-attn").number(look_up), std::nullopt);
  EXPECT_EQ(parsed("x / 0").number(look_up), std::nullopt);
}

TEST(Expression, ListsTheNamesThatItUses) {
  EXPECT_THAT(parsed("x + tp > x and flash-attn == on").names(), ElementsAre("flash-attn", "tp", "x"));
  EXPECT_EQ(parsed("x > 1").text(), "x > 1");
  EXPECT_THAT(parsed("1 < 2").names(), ElementsAre());
}

TEST(Expression, SaysWhereAndWhyItIsRefused) {
  EXPECT_THAT(
      refusal("batchsize > 1"),
      HasSubstr("'batchsize > 1': unknown name 'batchsize' at character 1 | did you mean 'batch-size'?"));
  EXPECT_THAT(refusal("x <= batchsize"), HasSubstr("at character 6 | did you mean 'batch-size'?"));
  EXPECT_THAT(refusal("1 <= x <= 4"),
              HasSubstr("comparisons cannot be chained at character 8 | write 1 <= x and x <= 4"));
  EXPECT_THAT(refusal("x == 1 in [2]"), HasSubstr("chained"));
  EXPECT_THAT(refusal("x = 1"), HasSubstr("unexpected '=' at character 3 | write == to compare"));
  EXPECT_THAT(refusal("x > 1 && y > 2"), HasSubstr("write 'and'"));
  EXPECT_THAT(refusal("x > 1 || y > 2"), HasSubstr("write 'or'"));
  EXPECT_THAT(refusal("!flag"), HasSubstr("write 'not'"));
  EXPECT_THAT(refusal("x in 3"), HasSubstr("'in' needs a list"));
  EXPECT_THAT(refusal("x in [1, 2"), HasSubstr("ends too early"));
  EXPECT_THAT(refusal("x in [1 2]"), HasSubstr("unexpected '2'"));
  EXPECT_THAT(refusal("(x > 1"), HasSubstr("')' is missing"));
  EXPECT_THAT(refusal("x > 1)"), HasSubstr("unexpected ')'"));
  EXPECT_THAT(refusal("x >"), HasSubstr("ends too early"));
  EXPECT_THAT(refusal("x == 'on"), HasSubstr("this quote is not closed at character 6"));
  EXPECT_THAT(refusal(""), HasSubstr("the expression is empty"));
  EXPECT_THAT(refusal("  "), HasSubstr("empty"));
  EXPECT_THAT(refusal("and x"), HasSubstr("unexpected 'and'"));
  EXPECT_THAT(refusal("x y"), HasSubstr("unexpected 'y'"));
  EXPECT_THAT(refusal("zebra"), HasSubstr("quote it if it is a text"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("unexpected '['"));
}

TEST(Expression, CapsDepthAndLength) {
  EXPECT_THAT(refusal(std::string(500, '(') + "x" + std::string(500, ')')), HasSubstr("nested too deep"));
  EXPECT_THAT(refusal("x > " + std::string(300, '-') + "1"), HasSubstr("|"));
  std::string nots;
  for (int i = 0; i < 500; ++i) nots += "not ";
  EXPECT_THAT(refusal(nots + "flag"), HasSubstr("nested too deep"));
  std::string sum = "x";
  for (int i = 0; i < 900; ++i) sum += " + 1";
  EXPECT_EQ(value_of(sum), "904");
  EXPECT_THAT(refusal(sum + sum), HasSubstr("longer than 4096"));
}

TEST(Expression, KnowsWhichTypesCannotFit) {
  const Possibilities possible = [](std::string_view name) -> PossibleValues {
    if (name == "off") return {};  // nothing is known of it
    const auto value = look_up(name);
    return {{*value}, name != "x"};
  };
  EXPECT_THAT(parsed("flash-attn < 3").type_faults(possible),
              ElementsAre("an order needs a number, but 'flash-attn' is a text"));
  EXPECT_THAT(parsed("x + word > 1").type_faults(possible),
              ElementsAre("arithmetic needs a number, but 'word' is a text"));
  EXPECT_THAT(parsed("x").type_faults(possible), ElementsAre("is no condition: it yields a number"));
  EXPECT_THAT(parsed("not (x + 1)").type_faults(possible),
              ElementsAre("'not' needs true or false, but its operand is a number"));
  EXPECT_THAT(parsed("x and flag").type_faults(possible),
              ElementsAre("'and' and 'or' need true or false, but 'x' is a number"));
  EXPECT_THAT(parsed("off < 3 and off and flag == true").type_faults(possible), ElementsAre());
  EXPECT_THAT(parsed("flash-attn == onn").never_met(possible),
              ElementsAre("'flash-attn' is never onn; its values are on (did you mean 'on'?)"));
  EXPECT_THAT(parsed("flag == 'true'").never_met(possible),
              ElementsAre("'flag' is never true, which is a text and not true or false"));
  EXPECT_THAT(parsed("x == 77 or word in [q8_0] or off == 1").never_met(possible), ElementsAre());
}

/// Texts of random tokens: most are refused, some are accepted, none may crash or throw.
TEST(Expression, NeverCrashesOnRandomText) {
  core::Random random(5);
  static const std::vector<std::string> kTokens{
      "x",    "tp", "flash-attn", "on",  "1",  "2.5", "'a'", "(", ")", "[", "]",  ",",  "and",  "or",  "not",
      "in",   "==", "!=",         "<=",  ">=", "<",   ">",   "+", "-", "*", "/",  "%",  "true", "off", "word",
      "flag", "\"", "'",          "a-b", "é",  ".",   "1e5", "-", "=", "&", "\\", "\n", "\t"};
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (std::size_t n = random.index(9); n > 0; --n) {
      text += kTokens[random.index(kTokens.size())];
      if (random.chance(0.9)) text += ' ';
    }
    const auto expression = Expression::parse(text, names());
    if (!expression) {
      EXPECT_FALSE(expression.error().message.empty());
      continue;
    }
    ++accepted;
    const auto value = expression->evaluate(look_up);
    const bool truth = value && std::holds_alternative<bool>(*value) && std::get<bool>(*value);
    EXPECT_EQ(expression->holds(look_up), truth) << text;
    (void)expression->holds_or_inactive(look_up);
    (void)expression->type_faults([](std::string_view) { return PossibleValues{}; });
  }
  EXPECT_GT(accepted, 200);
}

TEST(Expression, NeverCrashesOnRandomBytes) {
  core::Random random(6);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = random.index(30); n > 0; --n) text += static_cast<char>(random.index(256));
    (void)Expression::parse(text, names());
  }
}

}  // namespace
}  // namespace paretune::space
