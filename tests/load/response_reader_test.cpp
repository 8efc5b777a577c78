// Whole answers, fed with the times of their script: exact numbers, no sockets. The same cases go over real
// sockets in http_cases_test.cpp.
#include "paretune/load/response_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "load/case_data.hpp"
#include "load/request_times.hpp"

namespace paretune::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Segments = std::vector<testing::StubReply::Segment>;

constexpr std::int64_t kMs = 1'000'000;

RequestRecord begun() {
  RequestRecord record;
  record.scheduled_ns = record.sent_ns = 0;
  record.requested_prompt_tokens = 9;
  record.requested_output_tokens = 4;
  return record;
}

RequestRecord play(ResponseReader& reader, const Segments& segments, int status = 200) {
  reader.start(begun());
  std::int64_t now = 0;
  reader.on_headers(status, 1 * kMs);
  for (const auto& segment : segments) {
    now = segment.at_ms * kMs;
    reader.on_bytes(segment.bytes, now);
  }
  return reader.end(now);
}

RequestRecord play(const Segments& segments, int status = 200) {
  ResponseReader reader;
  return play(reader, segments, status);
}

RequestRecord play_case(const std::string& name) {
  return play(read_segments(name).segments);
}

TEST(ResponseReader, UsageThatComesLateDoesNotStretchTheAnswer) {
  const RequestRecord record = play_case("21-usage-trailer.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok);
  EXPECT_EQ(ttft_from_send_ms(record), 100);
  EXPECT_EQ(e2e_from_send_ms(record), 120);
  EXPECT_EQ(record.done_ns, 1400 * kMs);
  EXPECT_EQ(record.output_tokens, 3u);
  EXPECT_EQ(record.prompt_tokens, 7u);
  EXPECT_EQ(record.token_source, TokenSource::Usage);
  EXPECT_THAT(event_gaps_ms(record), ElementsAre(10, 10));
  EXPECT_EQ(tpot_ms(record), 10);
  EXPECT_FALSE(record.missing_done);
}

TEST(ResponseReader, SeveralTokensInAnEventAreSeveralTokens) {
  const RequestRecord record = play_case("23-multi-token.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok);
  EXPECT_EQ(ttft_from_send_ms(record), 100);
  EXPECT_EQ(e2e_from_send_ms(record), 190);
  EXPECT_EQ(record.output_tokens, 31u);
  EXPECT_EQ(record.events.size(), 11u);
  EXPECT_EQ(tpot_ms(record), 3);
  for (const double gap : event_gaps_ms(record)) EXPECT_EQ(gap, 9);
  const std::vector<double> gaps = token_gaps_ms(record);
  EXPECT_EQ(gaps.size(), 30u);
  for (const double gap : gaps) EXPECT_EQ(gap, 3);
}

TEST(ResponseReader, WithoutUsageTheCountIsAnEstimateAndSaysSo) {
  auto segments = read_segments("23-multi-token.segments.json").segments;
  segments.back().bytes = "data: [DONE]\n\n";
  segments[10].bytes = testing::chat_event("abc", "stop");
  const RequestRecord record = play(segments);
  EXPECT_EQ(record.outcome, Outcome::Ok);
  EXPECT_EQ(record.token_source, TokenSource::Events);
  EXPECT_EQ(record.output_tokens, 11u);
}

TEST(ResponseReader, KeepAlivesCrlfAndSplitDataAreNoTokens) {
  for (const bool with_mark : {false, true}) {
    auto segments = read_segments("25-keepalive-crlf.segments.json").segments;
    if (with_mark) segments.front().bytes.insert(0, "\xEF\xBB\xBF");
    ResponseReader reader(true);
    const RequestRecord record = play(reader, segments);
    EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
    EXPECT_EQ(reader.text(), "AB");
    EXPECT_EQ(reader.finish_reason(), "stop");
    EXPECT_EQ(ttft_from_send_ms(record), 250);
    EXPECT_EQ(e2e_from_send_ms(record), 260);
    EXPECT_EQ(record.output_tokens, 2u);
    EXPECT_EQ(record.token_source, TokenSource::Events);
  }
}

TEST(ResponseReader, AnAnswerWithoutTokensIsAFailureWithoutLatency) {
  for (const char* name : {"27a-done-only", "27b-empty-body", "27c-zero-tokens"}) {
    const RequestRecord record = play_case(std::string(name) + ".segments.json");
    EXPECT_EQ(record.outcome, Outcome::Empty) << name;
    EXPECT_EQ(ttft_from_send_ms(record), std::nullopt) << name;
    EXPECT_EQ(record.output_tokens, 0u) << name;
    EXPECT_EQ(record.error, std::string(name) == "27b-empty-body" ? "empty body" : "no tokens");
  }
}

TEST(ResponseReader, AStreamWithoutDoneIsFineAfterAFinishReason) {
  const RequestRecord record = play_case("27e-no-done.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok);
  EXPECT_TRUE(record.missing_done);
  EXPECT_EQ(ttft_from_send_ms(record), 40);
  EXPECT_EQ(e2e_from_send_ms(record), 50);
}

TEST(ResponseReader, ACutStreamKeepsItsTokensAndItsLastBytes) {
  ResponseReader reader;
  reader.start(begun());
  reader.on_headers(200, 1);
  reader.on_bytes(testing::chat_event("a") + testing::chat_event("b") + "data: {\"id\":\"c1\",\"obj",
                  5 * kMs);
  const RequestRecord record = reader.fail(Outcome::Truncated, "transfer closed", 6 * kMs);
  EXPECT_EQ(record.outcome, Outcome::Truncated);
  EXPECT_EQ(record.output_tokens, 2u);
  EXPECT_THAT(record.error, HasSubstr("\"obj"));
}

TEST(ResponseReader, ACleanEndInsideAnEventIsCutToo) {
  const RequestRecord record =
      play({{5, testing::chat_event("a") + "data: {\"choices\":[{\"delta\":{\"con"}});
  EXPECT_EQ(record.outcome, Outcome::Truncated);
  EXPECT_EQ(record.output_tokens, 1u);
}

TEST(ResponseReader, ATransportErrorAfterDoneIsNone) {
  ResponseReader reader;
  reader.start(begun());
  reader.on_headers(200, 1);
  reader.on_bytes(testing::chat_event("a", "stop") + "data: [DONE]\n\n", 5 * kMs);
  EXPECT_EQ(reader.fail(Outcome::Truncated, "connection reset", 6 * kMs).outcome, Outcome::Ok);
}

TEST(ResponseReader, OneTokenHasNoTpot) {
  const RequestRecord record = play_case("29-one-token.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok);
  EXPECT_EQ(ttft_from_send_ms(record), 80);
  EXPECT_EQ(e2e_from_send_ms(record), 80);
  EXPECT_EQ(record.output_tokens, 1u);
  EXPECT_EQ(record.prompt_tokens, 3100u);
  EXPECT_EQ(tpot_ms(record), std::nullopt);
  EXPECT_THAT(token_gaps_ms(record), ElementsAre());
}

TEST(ResponseReader, GivesTheSameRecordWhereverTheBytesAreCut) {
  for (const char* name :
       {"21-usage-trailer", "25-keepalive-crlf", "27c-zero-tokens", "27e-no-done", "29-one-token"}) {
    std::string bytes;
    for (const auto& segment : read_segments(std::string(name) + ".segments.json").segments)
      bytes += segment.bytes;
    const RequestRecord whole = play({{1, bytes}});
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      const RequestRecord split = play({{1, bytes.substr(0, cut)}, {1, bytes.substr(cut)}});
      ASSERT_EQ(split.outcome, whole.outcome) << name << " cut at " << cut << ": " << split.error;
      ASSERT_EQ(split.output_tokens, whole.output_tokens) << name << " cut at " << cut;
      ASSERT_EQ(split.events.size(), whole.events.size()) << name << " cut at " << cut;
    }
  }
}

TEST(ResponseReader, ARoleEventIsNoToken) {
  const RequestRecord record =
      play({{5, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"},
            {30, testing::chat_event("a", "stop")},
            {31, "data: [DONE]\n\n"}});
  EXPECT_EQ(ttft_from_send_ms(record), 30);
}

TEST(ResponseReader, AnErrorInsideTheStreamIsAFailure) {
  const RequestRecord with_tokens =
      play({{5, testing::chat_event("a")},
            {6, "data: {\"error\":{\"message\":\"out of memory\"}}\n\ndata: [DONE]\n\n"}});
  EXPECT_EQ(with_tokens.outcome, Outcome::StreamError);
  EXPECT_EQ(with_tokens.error, "out of memory");
  EXPECT_EQ(with_tokens.output_tokens, 1u);
  EXPECT_EQ(play({{5, "event: error\ndata: overloaded\n\n"}}).outcome, Outcome::StreamError);
  EXPECT_EQ(play({{5, "{\"error\":{\"message\":\"bad\"}}"}}).outcome, Outcome::StreamError);
}

TEST(ResponseReader, AWholeJsonAnswerCountsAsOneLateEvent) {
  const std::string body =
      R"({"choices":[{"message":{"role":"assistant","content":"hello you"},"finish_reason":"stop"}],
      "usage":{"prompt_tokens":5,"completion_tokens":9}})";
  const RequestRecord record = play({{40, body.substr(0, 20)}, {50, body.substr(20)}});
  EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
  EXPECT_EQ(record.output_tokens, 9u);
  EXPECT_EQ(ttft_from_send_ms(record), 50);
  EXPECT_EQ(tpot_ms(record), std::nullopt) << "nothing was streamed, so there is no time per token";
  EXPECT_TRUE(is_bundled(record));
}

TEST(ResponseReader, OtherBodiesAreBadResponses) {
  EXPECT_EQ(play({{5, "<html>hello</html>"}}).outcome, Outcome::BadResponse);
  EXPECT_EQ(play({{5, "{\"hello\":1}"}}).outcome, Outcome::BadResponse);
  EXPECT_EQ(play({{5, "data: hello\n\ndata: [DONE]\n\n"}}).outcome, Outcome::BadResponse);
}

TEST(ResponseReader, HttpErrorsKeepStatusAndReason) {
  const auto with_status = [](int status) {
    return play({{5, R"({"error":{"message":"because"}})"}}, status);
  };
  EXPECT_EQ(with_status(429).outcome, Outcome::Rejected);
  EXPECT_EQ(with_status(503).outcome, Outcome::Rejected);
  EXPECT_EQ(with_status(404).outcome, Outcome::Http4xx);
  EXPECT_EQ(with_status(500).outcome, Outcome::Http5xx);
  EXPECT_EQ(with_status(302).outcome, Outcome::BadResponse);
  EXPECT_EQ(with_status(500).error, "HTTP 500: because");
  EXPECT_EQ(with_status(500).http_status, 500);
  EXPECT_EQ(play({}, 500).error, "HTTP 500");
}

std::string piece(const std::string& members, const std::string& usage) {
  return "data: {\"choices\":[{\"delta\":{" + members +
         "},\"finish_reason\":null}],\"usage\":{\"completion_tokens\":" + usage + "}}\n\n";
}

TEST(ResponseReader, RunningUsageTellsHowManyTokensAnEventHolds) {
  const RequestRecord record =
      play({{10, piece("\"role\":\"assistant\",\"content\":\"\"", "0")},
            {20, piece("\"content\":\"a\"", "1")},
            {30, piece("\"content\":\"bcd\"", "4")},
            {40, piece("", "6")},  // held back by a parser: two tokens without text
            {50, testing::chat_event("x", "stop")},
            {51, "data: {\"choices\":[],\"usage\":{\"completion_tokens\":7}}\n\ndata: [DONE]\n\n"}});
  EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
  ASSERT_EQ(record.events.size(), 4u);
  EXPECT_EQ(ttft_from_send_ms(record), 20);
  EXPECT_EQ(record.events[1].tokens, 3u);
  EXPECT_EQ(record.events[2].tokens, 2u);
  EXPECT_EQ(record.events[3].tokens, 1u);
  EXPECT_EQ(record.output_tokens, 7u);
}

TEST(ResponseReader, UsageBesideTheLastPieceIsNotAllInThatPiece) {
  const RequestRecord record =
      play({{10, testing::chat_event("a")},
            {20,
             "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}],"
             "\"usage\":{\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"}});
  EXPECT_EQ(record.output_tokens, 2u);
  EXPECT_EQ(record.events[0].tokens, 1u);
  EXPECT_EQ(record.events[1].tokens, 1u);
}

TEST(ResponseReader, EmptyPiecesCountOnlyWhenThereIsNothingElse) {
  const std::string empty = "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":null}]}\n\n";
  const std::string end = "data: {\"choices\":[],\"usage\":{\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
  const RequestRecord special = play({{10, empty}, {20, empty}, {21, end}});
  EXPECT_EQ(special.outcome, Outcome::Ok) << special.error;
  EXPECT_EQ(ttft_from_send_ms(special), 10);
  EXPECT_EQ(special.output_tokens, 2u);
}

TEST(ResponseReader, CutOffByUsIsCancelledUnlessItWasOver) {
  ResponseReader reader;
  reader.start(begun());
  reader.on_headers(200, 1);
  reader.on_bytes(testing::chat_event("a"), 5 * kMs);
  const RequestRecord cut = reader.cancel(9 * kMs);
  EXPECT_EQ(cut.outcome, Outcome::Cancelled);
  EXPECT_EQ(cut.output_tokens, 1u);
  EXPECT_EQ(cut.prompt_tokens, 9u) << "no usage: the asked length";
}

TEST(SpreadTokens, SumsUpAndGivesEachEventOneWhereItCan) {
  EXPECT_THAT(spread_tokens(31, {1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}),
              ElementsAre(1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
  EXPECT_THAT(spread_tokens(3, {5, 50, 1}), ElementsAre(1, 1, 1));
  EXPECT_THAT(spread_tokens(10, {0, 0}), ElementsAre(5, 5));
  for (std::uint32_t total = 0; total < 40; ++total) {
    const std::vector<std::uint32_t> weights{3, 1, 4, 1, 5, 9, 2, 6, 0, 7};
    const auto shares = spread_tokens(total, weights);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0u), total);
    if (total < weights.size()) continue;
    for (const std::uint32_t share : shares) EXPECT_GE(share, 1u);
  }
}

}  // namespace
}  // namespace paretune::load
