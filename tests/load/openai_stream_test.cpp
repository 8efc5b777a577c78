#include "paretune/load/openai_stream.hpp"

#include <gtest/gtest.h>

namespace paretune::load {
namespace {

StreamEvent read(const std::string& json) {
  return read_stream_event(json, true);
}

std::string delta(const std::string& members, const std::string& finish = "null") {
  return R"({"choices":[{"index":0,"delta":{)" + members + R"(},"finish_reason":)" + finish + "}]}";
}

TEST(ReadStreamEvent, FindsTextInEveryChannel) {
  EXPECT_EQ(read(delta(R"("content":"ab")")).text, "ab");
  EXPECT_EQ(read(delta(R"("content":null,"reasoning_content":"think")")).text, "think");
  EXPECT_EQ(read(delta(R"("reasoning":"think")")).text_bytes, 5u);
  EXPECT_EQ(read(delta(R"("refusal":"no")")).text_bytes, 2u);
  EXPECT_EQ(read(delta(R"("tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}])")).text_bytes,
            3u);
  EXPECT_EQ(read(R"({"choices":[{"text":"x","finish_reason":null}]})").text, "x");
  EXPECT_EQ(
      read(R"({"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]})").text,
      "whole");
}

TEST(ReadStreamEvent, TakesNoTokenFromRoleAndEmptyEvents) {
  for (const std::string& json :
       {delta(R"("role":"assistant","content":"")"), delta(R"("role":"assistant","content":null)"), delta(""),
        delta("", R"("stop")"), delta(R"("content":"")", R"("stop")"), std::string(R"({"choices":[]})"),
        std::string("{}"), std::string(R"({"choices":[{"text":"","finish_reason":"length"}]})")}) {
    const StreamEvent event = read(json);
    EXPECT_TRUE(event.valid) << json;
    EXPECT_EQ(event.text_bytes, 0u) << json;
    EXPECT_FALSE(event.empty_piece) << json;
  }
}

TEST(ReadStreamEvent, MarksEmptyPiecesThatMayBeSpecialTokens) {
  EXPECT_TRUE(read(R"({"choices":[{"text":"","finish_reason":null}]})").empty_piece);
  EXPECT_TRUE(read(delta(R"("content":"")")).empty_piece);
}

TEST(ReadStreamEvent, ReadsUsageWithAndWithoutChoices) {
  const StreamEvent trailer = read(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,
      "prompt_tokens_details":{"cached_tokens":4}}})");
  ASSERT_TRUE(trailer.usage);
  EXPECT_EQ(trailer.usage->prompt_tokens, 7u);
  EXPECT_EQ(trailer.usage->completion_tokens, 3u);
  EXPECT_EQ(trailer.usage->cached_prompt_tokens, 4u);
  EXPECT_FALSE(trailer.has_choices);
  EXPECT_FALSE(read(R"({"choices":[],"usage":null})").usage);
  EXPECT_TRUE(read(R"({"usage":{"completion_tokens":3}})").usage);
  EXPECT_FALSE(read(R"({"usage":{"completion_tokens":-3}})").usage->completion_tokens);
}

TEST(ReadStreamEvent, RecognisesErrorsInAllForms) {
  EXPECT_EQ(read(R"({"error":{"message":"boom","code":500}})").error, "boom");
  EXPECT_EQ(read(R"({"error":"overloaded","error_type":"x"})").error, "overloaded");
  EXPECT_EQ(read(R"({"object":"error","message":"bad","code":40303})").error, "bad");
  EXPECT_EQ(read(R"({"error":{"detail":"why"}})").error, "why");
  EXPECT_TRUE(read(R"({"error":{"weird":[1]}})").error);
  EXPECT_FALSE(read(R"({"error":null,"choices":[]})").error);
  EXPECT_FALSE(read(R"({"error":{},"choices":[]})").error);
  EXPECT_FALSE(read(R"({"error":"","choices":[]})").error);
}

TEST(ReadStreamEvent, CountsListedTokens) {
  EXPECT_EQ(read(R"({"choices":[{"delta":{"content":"abc"},"token_ids":[1,2,3]}]})").known_tokens, 3u);
  EXPECT_EQ(read(R"({"choices":[{"delta":{"content":"ab"},"logprobs":{"content":[{},{}]}}]})").known_tokens,
            2u);
  EXPECT_EQ(read(R"({"choices":[{"text":"ab","logprobs":{"tokens":["a","b"]}}]})").known_tokens, 2u);
}

TEST(ReadStreamEvent, RefusesWhatIsNoObject) {
  for (const char* text : {"", "hello", "[1]", "12", "{\"choices\":", "null"})
    EXPECT_FALSE(read(text).valid) << text;
}

TEST(ReadStreamEvent, SurvivesTypesItDoesNotExpect) {
  for (const char* text :
       {R"({"choices":5})", R"({"choices":[5,null,"x"]})", R"({"choices":[{"delta":7}]})",
        R"({"choices":[{"delta":{"content":5,"tool_calls":{"a":1}}}]})", R"({"usage":[1]})",
        R"({"choices":[{"finish_reason":{"a":1},"logprobs":5,"token_ids":"x"}]})",
        R"({"usage":{"completion_tokens":"12","prompt_tokens_details":5}})"}) {
    const StreamEvent event = read(text);
    EXPECT_TRUE(event.valid) << text;
    EXPECT_EQ(event.text_bytes, 0u) << text;
  }
}

TEST(ReadStreamEvent, SurvivesACharacterCutInTwo) {
  const StreamEvent event = read(delta("\"content\":\"a\xC3\""));
  EXPECT_TRUE(event.valid);
  EXPECT_GT(event.text_bytes, 0u);
}

TEST(ErrorMessageOf, FindsTheMessageOfErrorBodies) {
  EXPECT_EQ(error_message_of(R"({"error":{"message":"model is loading"}})"), "model is loading");
  EXPECT_EQ(error_message_of(R"({"detail":"Not Found"})"), "Not Found");
  EXPECT_EQ(error_message_of(R"({"message":"nope"})"), "nope");
  EXPECT_EQ(error_message_of("<html>"), "");
  EXPECT_NE(error_message_of(R"({"detail":[{"msg":"field required"}]})"), "");
}

}  // namespace
}  // namespace paretune::load
