#include "sim/api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "paretune/core/random.hpp"
#include "sim/intake.hpp"

namespace paretune::sim {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

GenerationRequest accepted(const std::string& body, bool chat = true, const SimOptions& options = {}) {
  auto parsed = parse_generation(body, chat, options);
  const auto* error = std::get_if<ApiError>(&parsed);
  EXPECT_EQ(error, nullptr) << (error ? error->message : "");
  return error ? GenerationRequest{} : std::get<GenerationRequest>(std::move(parsed));
}

ApiError refused(const std::string& body, bool chat = true, const SimOptions& options = {}) {
  auto parsed = parse_generation(body, chat, options);
  const auto* error = std::get_if<ApiError>(&parsed);
  EXPECT_NE(error, nullptr) << body;
  return error ? *error : ApiError{};
}

TEST(ParseGeneration, ReadsAStreamingChatRequest) {
  const GenerationRequest request = accepted(R"({"model":"sim-8b","stream":true,"max_tokens":7,"min_tokens":2,
      "ignore_eos":true,"temperature":0.5,"stop":["x"],"n":1,
      "stream_options":{"include_usage":true,"continuous_usage_stats":true},
      "messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"hello world"}]},
                  {"role":"assistant","content":null}]})");
  EXPECT_TRUE(request.chat);
  EXPECT_TRUE(request.stream);
  EXPECT_TRUE(request.include_usage);
  EXPECT_TRUE(request.continuous_usage);
  EXPECT_TRUE(request.ignore_eos);
  EXPECT_EQ(request.prompt_tokens, 4U);
  EXPECT_EQ(request.max_tokens, 7U);
  EXPECT_EQ(request.min_tokens, 2U);
}

TEST(ParseGeneration, ReadsPromptsAsTextOrTokens) {
  EXPECT_EQ(accepted(R"({"prompt":"one two  three\n"})", false).prompt_tokens, 3U);
  EXPECT_EQ(accepted(R"({"prompt":["one two"]})", false).prompt_tokens, 2U);
  EXPECT_EQ(accepted(R"({"prompt":[1,2,3,4]})", false).prompt_tokens, 4U);
  EXPECT_EQ(accepted(R"({"prompt":[[1,2,3]]})", false).prompt_tokens, 3U);
  EXPECT_EQ(accepted(R"({"prompt":""})", false).prompt_tokens, 1U);
  EXPECT_EQ(accepted(R"({"prompt":"a"})", false).max_tokens, 16U);
}

TEST(ParseGeneration, PrefersMaxCompletionTokensAndFillsTheContextByDefault) {
  const std::string messages = R"("messages":[{"role":"user","content":"a b"}])";
  EXPECT_EQ(accepted("{" + messages + R"(,"max_completion_tokens":5,"max_tokens":9})").max_tokens, 5U);
  EXPECT_EQ(accepted("{" + messages + "}").max_tokens, 8190U);
}

TEST(ParseGeneration, AnswersAWrongModelWithNotFound) {
  const ApiError error = refused(R"({"model":"gpt","messages":[{"role":"user","content":"a"}]})");
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error.type, "NotFoundError");
  EXPECT_EQ(json::parse(error_body(error)),
            json::parse(R"({"error":{"message":"The model `gpt` does not exist.","type":"NotFoundError",
                                     "param":"model","code":404}})"));
}

TEST(ParseGeneration, NamesTheBadField) {
  const auto chat = [](const std::string& fields) {
    return refused(R"({"messages":[{"role":"user","content":"a"}],)" + fields + "}");
  };
  EXPECT_EQ(refused("{").message, "the body is not valid JSON");
  EXPECT_EQ(refused("[]").message, "the body must be a JSON object");
  EXPECT_EQ(refused("{}").param, "messages");
  EXPECT_EQ(refused("{}", false).param, "prompt");
  EXPECT_EQ(refused(R"({"messages":[]})").param, "messages");
  EXPECT_EQ(refused(R"({"messages":[{"content":"a"}]})").param, "messages");
  EXPECT_EQ(refused(R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})").param, "messages");
  EXPECT_EQ(refused(R"({"prompt":["a","b"]})", false).param, "prompt");
  EXPECT_EQ(refused(R"({"prompt":[1,-2]})", false).param, "prompt");
  EXPECT_EQ(chat(R"("max_tokens":0)").message, "max_tokens must be at least 1, got 0");
  EXPECT_EQ(chat(R"("max_tokens":1.5)").param, "max_tokens");
  EXPECT_EQ(chat(R"("max_tokens":18446744073709551615)").param, "max_tokens");
  EXPECT_EQ(chat(R"("max_tokens":3,"min_tokens":4)").param, "min_tokens");
  EXPECT_EQ(chat(R"("n":2)").param, "n");
  EXPECT_EQ(chat(R"("stream":"yes")").param, "stream");
  EXPECT_EQ(chat(R"("temperature":-1)").param, "temperature");
  EXPECT_EQ(chat(R"("stream_options":{"include_usage":true})").param, "stream_options");
  EXPECT_EQ(chat(R"("stream":true,"stream_options":{"include_usage":1})").param, "stream_options");
  EXPECT_EQ(chat(R"("model":5)").param, "model");
}

TEST(ParseGeneration, RefusesPromptsBeyondTheContext) {
  SimOptions options;
  options.max_model_len = 10;
  const std::string ten = R"({"prompt":"a b c d e f g h i j"})";
  EXPECT_THAT(refused(ten, false, options).message, HasSubstr("maximum context length is 10 tokens"));
  EXPECT_EQ(refused(ten, false, options).param, "prompt");
  EXPECT_EQ(refused(R"({"prompt":"a b","max_tokens":9})", false, options).param, "max_tokens");
  EXPECT_EQ(accepted(R"({"prompt":"a b","max_tokens":8})", false, options).max_tokens, 8U);
}

TEST(CountTokens, CountsStartedPiecesOfEightBytes) {
  EXPECT_EQ(count_tokens(""), 0U);
  EXPECT_EQ(count_tokens("  a  bc\n"), 2U);
  EXPECT_EQ(count_tokens("12345678"), 1U);
  EXPECT_EQ(count_tokens("123456789"), 2U);
}

TEST(BlockHashes, AreEqualExactlyForEqualBeginnings) {
  const auto hashes = [](const std::string& system, const std::string& user) {
    return accepted(json{{"messages",
                          {{{"role", "system"}, {"content", system}}, {{"role", "user"}, {"content", user}}}}}
                        .dump())
        .block_hashes;
  };
  std::string shared, a, b;
  for (int i = 0; i < 32; ++i) shared += "s" + std::to_string(i) + " ";
  for (int i = 0; i < 16; ++i) a += "a" + std::to_string(i) + " ", b += "b" + std::to_string(i) + " ";
  const auto one = hashes(shared, a), two = hashes(shared, b), three = hashes(b + shared, a);
  ASSERT_EQ(one.size(), 3U);
  EXPECT_EQ(one, hashes(shared, a));
  EXPECT_EQ(one[0], two[0]);
  EXPECT_EQ(one[1], two[1]);
  EXPECT_NE(one[2], two[2]);
  EXPECT_NE(one[0], three[0]);
}

TEST(Responses, AreValidJsonForEveryEvent) {
  for (const bool chat : {true, false}) {
    GenerationRequest request;
    request.chat = chat;
    request.continuous_usage = true;
    const ResponseWriter writer(request, 7, "odd \"model\"", 123);
    for (std::uint32_t i = 0; i < 100; ++i) {
      std::string event;
      writer.append_token_event(event, i, i == 99 ? "length" : "", {5, i + 1, 0});
      ASSERT_TRUE(event.starts_with("data: ") && event.ends_with("\n\n"));
      const json parsed = json::parse(event.substr(6));
      EXPECT_EQ(parsed["model"], "odd \"model\"");
      EXPECT_EQ(parsed["usage"]["completion_tokens"], i + 1);
      EXPECT_EQ(parsed["choices"][0]["finish_reason"].is_null(), i != 99);
      const json& choice = parsed["choices"][0];
      EXPECT_FALSE((chat ? choice["delta"]["content"] : choice["text"]).get<std::string>().empty());
    }
    const json whole = json::parse(writer.whole_body("stop", {5, 3, 0}));
    EXPECT_EQ(whole["usage"]["total_tokens"], 8);
    EXPECT_EQ(whole["object"], chat ? "chat.completion" : "text_completion");
  }
}

TEST(Intake, DrawsNaturalLengthsBySeedAndKeepsTheBounds) {
  const auto lengths = [](std::uint64_t seed) {
    SimOptions options;
    options.seed = seed;
    Intake intake(options);
    std::vector<std::uint32_t> result;
    for (int i = 0; i < 500; ++i) {
      GenerationRequest request;
      request.max_tokens = 300;
      request.min_tokens = 40;
      const Admission admission = intake.admit(request);
      EXPECT_EQ(admission.stops, admission.engine.output_tokens < 300);
      result.push_back(admission.engine.output_tokens);
    }
    return result;
  };
  const auto one = lengths(1);
  EXPECT_EQ(one, lengths(1));
  EXPECT_NE(one, lengths(2));
  EXPECT_EQ(*std::max_element(one.begin(), one.end()), 300U);
  EXPECT_EQ(*std::min_element(one.begin(), one.end()), 40U);
  GenerationRequest request;
  request.max_tokens = 300;
  request.ignore_eos = true;
  Intake intake{SimOptions{}};
  EXPECT_EQ(intake.admit(request).engine.output_tokens, 300U);
}

/// Random damage to a good body: cut, flipped bytes, swapped values. Nothing may crash; every refusal is a
/// 4xx.
TEST(ParseGeneration, SurvivesDamagedBodies) {
  const std::string good =
      R"({"model":"sim-8b","stream":true,"max_tokens":7,"messages":[{"role":"user","content":"hello \u00e9 there"}],)"
      R"("stream_options":{"include_usage":true},"n":1,"temperature":0,"prompt":[1,2,3],"min_tokens":1})";
  const std::vector<std::string> values = {"null", "true", "-1",     "1e999", "\"x\"",
                                           "[]",   "{}",   "[[[]]]", "1.5",   "99999999999999999999"};
  core::Random random(42);
  for (int i = 0; i < 20'000; ++i) {
    std::string body = good;
    for (std::size_t k = 0; k <= random.index(3); ++k) {
      const std::size_t at = random.index(body.size());
      switch (random.index(4)) {
        case 0:
          body.resize(at + 1);
          break;
        case 1:
          body[at] = static_cast<char>(random.index(256));
          break;
        case 2:
          body.insert(at, values[random.index(values.size())]);
          break;
        default: {
          const std::size_t colon = body.find(':', at);
          const std::size_t comma = colon == std::string::npos ? colon : body.find_first_of(",}", colon);
          if (comma != std::string::npos)
            body.replace(colon + 1, comma - colon - 1, values[random.index(values.size())]);
        }
      }
    }
    for (const bool chat : {true, false}) {
      const auto parsed = parse_generation(body, chat, SimOptions{});
      if (const auto* error = std::get_if<ApiError>(&parsed)) {
        ASSERT_TRUE(error->status == 400 || error->status == 404);
        ASSERT_TRUE(json::accept(error_body(*error))) << body;
      } else {
        const auto& request = std::get<GenerationRequest>(parsed);
        ASSERT_GE(request.max_tokens, 1U);
        ASSERT_LE(request.prompt_tokens + request.max_tokens, 8192U);
      }
    }
  }
  const std::string deep = std::string(500'000, '[');
  EXPECT_EQ(refused(deep).status, 400);
  EXPECT_EQ(refused("{\"messages\":" + deep + std::string(500'000, ']') + "}").status, 400);
}

}  // namespace
}  // namespace paretune::sim
