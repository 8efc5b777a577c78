// The published stream cases over real sockets: the same numbers as in response_reader_test.cpp, within what
// a busy machine allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "load/case_data.hpp"
#include "load/request_times.hpp"
#include "paretune/load/endpoint.hpp"

namespace paretune::load {
namespace {

using ::testing::HasSubstr;
using testing::StubReply;
using testing::StubRequest;
using testing::StubServer;

// Loaded machines wake a thread late; a wrong definition is off by far more.
constexpr double kTolerance_ms = 25;

EndpointAddress address_of(const StubServer& server) {
  EndpointAddress address;
  address.base_url = server.url();
  address.model = "m";
  return address;
}

/// One request and its record.
RequestRecord ask(const EndpointAddress& address, std::string body = "{}") {
  auto endpoint = make_http_endpoint(address, 1);
  EXPECT_TRUE(endpoint.ok());
  core::Clock& clock = (*endpoint)->clock();
  const core::TimePoint start = clock.now();
  (*endpoint)->start(start);
  Request request;
  request.body = std::move(body);
  request.max_output_tokens = 4;
  (*endpoint)->submit(std::move(request), start);
  const auto records = (*endpoint)->poll(start + std::chrono::seconds(20));
  EXPECT_EQ(records.size(), 1u);
  EXPECT_EQ((*endpoint)->in_flight(), 0u);
  return records.empty() ? RequestRecord{} : records.front();
}

RequestRecord ask(const StubReply& reply) {
  StubServer server([&](const StubRequest&) { return reply; });
  return ask(address_of(server));
}

RequestRecord ask_case(const std::string& name) {
  return ask(read_segments(name));
}

TEST(HttpCases, UsageTrailer) {
  const RequestRecord record = ask_case("21-usage-trailer.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
  EXPECT_NEAR(*ttft_from_send_ms(record), 100, kTolerance_ms);
  EXPECT_NEAR(*e2e_from_send_ms(record), 120, kTolerance_ms);
  EXPECT_EQ(record.output_tokens, 3u);
  EXPECT_EQ(record.prompt_tokens, 7u);
  EXPECT_NEAR(*tpot_ms(record), 10, kTolerance_ms / 2);
  EXPECT_GT(record.done_ns, 1'390'000'000);
}

TEST(HttpCases, SeveralTokensPerEvent) {
  const RequestRecord record = ask_case("23-multi-token.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
  EXPECT_NEAR(*ttft_from_send_ms(record), 100, kTolerance_ms);
  EXPECT_NEAR(*e2e_from_send_ms(record), 190, kTolerance_ms);
  EXPECT_EQ(record.output_tokens, 31u);
  EXPECT_NEAR(*tpot_ms(record), 3, 1);
}

TEST(HttpCases, KeepAlivesAndCrlf) {
  for (const bool with_mark : {false, true}) {
    StubReply reply = read_segments("25-keepalive-crlf.segments.json");
    if (with_mark) reply.segments.front().bytes.insert(0, "\xEF\xBB\xBF");
    const RequestRecord record = ask(reply);
    EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
    EXPECT_NEAR(*ttft_from_send_ms(record), 250, kTolerance_ms);
    EXPECT_NEAR(*e2e_from_send_ms(record), 260, kTolerance_ms);
    EXPECT_EQ(record.output_tokens, 2u);
    EXPECT_EQ(record.token_source, TokenSource::Events);
  }
}

TEST(HttpCases, NothingCame) {
  for (const char* name : {"27a-done-only", "27b-empty-body", "27c-zero-tokens"}) {
    const RequestRecord record = ask_case(std::string(name) + ".segments.json");
    EXPECT_EQ(record.outcome, Outcome::Empty) << name << ": " << record.error;
    EXPECT_EQ(record.first_token_ns, -1) << name;
    EXPECT_EQ(record.http_status, 200) << name;
  }
}

TEST(HttpCases, CutOffInsideAChunk) {
  StubReply reply;
  reply.raw = true;
  reply.close = StubReply::Close::Clean;
  std::string bytes;
  for (const char letter : read_case("27d-truncated.http.txt")) bytes += letter;
  reply.segments = {{10, bytes}};
  const RequestRecord record = ask(reply);
  EXPECT_EQ(record.outcome, Outcome::Truncated) << record.error;
  EXPECT_EQ(record.output_tokens, 2u);
  EXPECT_THAT(record.error, HasSubstr("obj")) << "the raw bytes at the end are kept";
}

TEST(HttpCases, NoDoneAfterAFinishReason) {
  const RequestRecord record = ask_case("27e-no-done.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
  EXPECT_TRUE(record.missing_done);
  EXPECT_NEAR(*ttft_from_send_ms(record), 40, kTolerance_ms);
  EXPECT_NEAR(*e2e_from_send_ms(record), 50, kTolerance_ms);
}

TEST(HttpCases, OneToken) {
  const RequestRecord record = ask_case("29-one-token.segments.json");
  EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
  EXPECT_NEAR(*ttft_from_send_ms(record), 80, kTolerance_ms);
  EXPECT_EQ(tpot_ms(record), std::nullopt);
  EXPECT_EQ(record.output_tokens, 1u);
}

TEST(HttpCases, EveryCutOfTheStreamGivesTheSameRecord) {
  std::string bytes;
  for (const auto& segment : read_segments("25-keepalive-crlf.segments.json").segments)
    bytes += segment.bytes;
  std::size_t cut = 0;
  StubServer server([&](const StubRequest&) {
    StubReply reply;
    reply.segments = {{0, bytes.substr(0, cut)}, {1, bytes.substr(cut)}};
    return reply;
  });
  for (cut = 0; cut < bytes.size(); cut += 7) {
    const RequestRecord record = ask(address_of(server));
    ASSERT_EQ(record.outcome, Outcome::Ok) << "cut at " << cut << ": " << record.error;
    ASSERT_EQ(record.output_tokens, 2u) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace paretune::load
