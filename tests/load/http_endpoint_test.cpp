#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "paretune/load/endpoint.hpp"
#include "paretune/load/measure.hpp"
#include "support/stub_server.hpp"

namespace paretune::load {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::StubReply;
using testing::StubRequest;
using testing::StubServer;

EndpointAddress address_of(const StubServer& server) {
  EndpointAddress address;
  address.base_url = server.url();
  address.model = "m";
  return address;
}

Workload closed(std::int64_t requests, double concurrency) {
  Workload workload;
  workload.concurrency = {concurrency};
  workload.requests = requests;
  workload.prompt_tokens.mean = 16;
  workload.output_tokens.mean = 5;
  return workload;
}

core::Result<Window> run(const EndpointAddress& address, const Workload& workload, double concurrency,
                         std::stop_token stop = {}) {
  auto endpoint = make_http_endpoint(address, static_cast<std::size_t>(concurrency));
  if (!endpoint) return endpoint.error();
  WindowOptions options;
  options.address = address;
  return generate_load(**endpoint, workload, {false, concurrency}, options, std::move(stop));
}

RequestRecord ask(const EndpointAddress& address) {
  const auto window = run(address, closed(1, 1), 1);
  EXPECT_TRUE(window.ok());
  EXPECT_EQ(window->records.size(), 1u);
  return window->records.at(0);
}

RequestRecord ask(const StubReply& reply, Timeouts timeouts = {}) {
  StubServer server([&](const StubRequest&) { return reply; });
  EndpointAddress address = address_of(server);
  address.timeouts = timeouts;
  return ask(address);
}

TEST(HttpEndpoint, KeepsExactlyTheAskedNumberOfRequestsInFlightAndReusesConnections) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(5, 5, 2); });
  const auto window = run(address_of(server), closed(40, 4), 4);
  ASSERT_TRUE(window.ok());
  const Measurement m = summarize(*window, closed(40, 4), {false, 4}, {});
  EXPECT_EQ(m.ok, 40u) << m.first_error;
  EXPECT_EQ(m.output_tokens, 200u);
  EXPECT_EQ(server.requests().size(), 40u);
  EXPECT_EQ(server.peak_requests(), 4u);
  EXPECT_EQ(server.connections(), 4u);
  std::size_t opened = 0;
  for (const RequestRecord& record : window->records) opened += record.new_connection ? 1u : 0u;
  EXPECT_EQ(opened, 4u);
}

TEST(HttpEndpoint, SendsWhatAnOpenAiServerExpects) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(1); });
  EndpointAddress address = address_of(server);
  address.api_key = "secret-key";
  address.headers = {{"X-Team", "blue"}};
  EXPECT_EQ(ask(address).outcome, Outcome::Ok);
  address.api = Api::Completions;
  ask(address);
  const auto seen = server.requests();
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[0].target, "/v1/chat/completions");
  EXPECT_EQ(seen[1].target, "/v1/completions");
  EXPECT_EQ(seen[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(seen[0].headers.at("authorization"), "Bearer secret-key");
  EXPECT_EQ(seen[0].headers.at("x-team"), "blue");
  EXPECT_FALSE(seen[0].headers.contains("expect"));
  EXPECT_FALSE(seen[0].headers.contains("accept-encoding"));
}

TEST(HttpEndpoint, DoesNotWaitForLeaveToSendALargePrompt) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(1); });
  Workload workload = closed(1, 1);
  workload.prompt_tokens.mean = 400'000;  // 2 MB of text
  const auto window = run(address_of(server), workload, 1);
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->records[0].outcome, Outcome::Ok) << window->records[0].error;
  EXPECT_GT(server.requests()[0].body.size(), 1'000'000u);
  EXPECT_FALSE(server.requests()[0].headers.contains("expect"));
}

TEST(HttpEndpoint, ClassifiesWhatGoesWrong) {
  StubReply gone;
  gone.no_answer = true;
  EXPECT_EQ(ask(gone).outcome, Outcome::Connect);
  StubReply reset = testing::chat_stream(3);
  reset.segments = {{0, testing::chat_event("a")}};
  reset.close = StubReply::Close::Abort;
  reset.close_at_ms = 20;
  const RequestRecord cut = ask(reset);
  EXPECT_EQ(cut.outcome, Outcome::Truncated);
  EXPECT_EQ(cut.output_tokens, 1u);
  EXPECT_EQ(ask(testing::json_reply(500, R"({"error":{"message":"boom"}})")).error, "HTTP 500: boom");
  EXPECT_EQ(ask(testing::json_reply(429, "{}")).outcome, Outcome::Rejected);
  EXPECT_EQ(ask(testing::json_reply(503, R"({"error":{"message":"Loading model"}})")).outcome,
            Outcome::Rejected);
  EXPECT_EQ(ask(testing::json_reply(404, R"({"detail":"Not Found"})")).outcome, Outcome::Http4xx);
  StubReply redirect = testing::json_reply(302, "");
  redirect.headers.push_back("Location: http://127.0.0.1:1/");
  EXPECT_EQ(ask(redirect).outcome, Outcome::BadResponse);
  EXPECT_EQ(ask(testing::json_reply(200, R"({"choices":[{"message":{"content":"x"}}]})")).outcome,
            Outcome::Ok);
  StubReply garbage;
  garbage.raw = true;
  garbage.close = StubReply::Close::Clean;
  garbage.segments = {{0, "hello\r\n\r\n"}};
  EXPECT_TRUE(is_failure(ask(garbage).outcome));
}

TEST(HttpEndpoint, ARefusedConnectionIsReportedAtOnce) {
  std::string url;
  {
    StubServer server([](const StubRequest&) { return testing::chat_stream(1); });
    url = server.url();
  }
  EndpointAddress address;
  address.base_url = url;
  const auto begin = std::chrono::steady_clock::now();
  const RequestRecord record = ask(address);
  EXPECT_EQ(record.outcome, Outcome::Connect);
  EXPECT_THAT(record.error, HasSubstr("connect"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(HttpEndpoint, TellsTheTimeOutsApart) {
  StubReply silent = testing::chat_stream(1, 5000);
  EXPECT_EQ(ask(silent, {10, 0.15, 60, 60}).outcome, Outcome::TimeoutFirstToken);
  StubReply pings = testing::chat_stream(1, 5000);
  for (int i = 0; i < 20; ++i) pings.segments.insert(pings.segments.begin() + i, {i * 20, ": ping\n\n"});
  EXPECT_EQ(ask(pings, {10, 0.15, 60, 60}).outcome, Outcome::TimeoutFirstToken) << "a ping is no token";
  StubReply stalls = testing::chat_stream(3, 10, 1);
  stalls.segments.back().at_ms = 5000;
  const RequestRecord stalled = ask(stalls, {10, 60, 0.15, 60});
  EXPECT_EQ(stalled.outcome, Outcome::TimeoutGap);
  EXPECT_EQ(stalled.output_tokens, 2u);
  EXPECT_EQ(ask(testing::chat_stream(100, 0, 50), {10, 60, 60, 0.3}).outcome, Outcome::TimeoutTotal);
}

TEST(HttpEndpoint, APingKeepsAStreamAlive) {
  StubReply reply = testing::chat_stream(2, 10, 400);
  for (int i = 1; i < 8; ++i) reply.segments.insert(reply.segments.begin() + i, {10 + i * 50, ": ping\n\n"});
  EXPECT_EQ(ask(reply, {10, 60, 0.25, 60}).outcome, Outcome::Ok);
}

TEST(HttpEndpoint, AStreamLeftOpenAfterDoneDoesNotHoldItsSlot) {
  StubReply reply = testing::chat_stream(2);
  reply.close = StubReply::Close::Never;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(reply).outcome, Outcome::Ok);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(HttpEndpoint, HidesSecretsInErrors) {
  StubServer server([](const StubRequest& request) {
    return testing::json_reply(
        401, R"({"error":{"message":"bad key )" + request.headers.at("authorization") + R"("}})");
  });
  EndpointAddress address = address_of(server);
  address.api_key = "sk-very-secret";
  const RequestRecord record = ask(address);
  EXPECT_EQ(record.outcome, Outcome::Http4xx);
  EXPECT_THAT(record.error, Not(HasSubstr("very-secret")));
  const auto models = list_models(address, 5);
  ASSERT_FALSE(models.ok());
  EXPECT_THAT(models.error().message + models.error().hint, Not(HasSubstr("very-secret")));
}

TEST(HttpEndpoint, IgnoresTheProxyVariables) {
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"})
    setenv(name, "http://127.0.0.1:9", 1);
  StubServer server([](const StubRequest& request) {
    return request.method == "GET" ? testing::json_reply(200, R"({"data":[{"id":"m"}]})")
                                   : testing::chat_stream(1);
  });
  EXPECT_EQ(ask(address_of(server)).outcome, Outcome::Ok);
  EXPECT_TRUE(list_models(address_of(server), 5).ok());
  EndpointAddress by_name = address_of(server);
  by_name.base_url = "http://localhost:" + std::to_string(server.port());
  EXPECT_EQ(ask(by_name).outcome, Outcome::Ok) << "also where ::1 comes first and nobody listens there";
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"}) unsetenv(name);
}

TEST(HttpEndpoint, AConnectionClosedWhileIdleIsNoFailure) {
  StubServer server([](const StubRequest&) {
    StubReply reply = testing::chat_stream(2);
    reply.close = StubReply::Close::Clean;  // although HTTP/1.1 promises to keep it
    return reply;
  });
  const auto window = run(address_of(server), closed(10, 2), 2);
  ASSERT_TRUE(window.ok());
  for (const RequestRecord& record : window->records) EXPECT_EQ(record.outcome, Outcome::Ok) << record.error;
}

TEST(HttpEndpoint, ADyingServerLeavesOkAndFailedRequestsApart) {
  // 20 requests, 4 at a time: 5 good answers, then the process is gone.
  std::atomic<int> answers{0};
  StubServer server([&](const StubRequest&) {
    if (answers++ < 5) return testing::chat_stream(2, 20, 1);
    StubReply gone;
    gone.no_answer = true;
    return gone;
  });
  const auto window = run(address_of(server), closed(20, 4), 4);
  ASSERT_TRUE(window.ok());
  const Measurement m = summarize(*window, closed(20, 4), {false, 4}, {});
  EXPECT_EQ(m.ok, 5u);
  EXPECT_EQ(m.failed, 15u);
  EXPECT_DOUBLE_EQ(m.metrics.at("error_rate"), 0.75);
}

TEST(HttpEndpoint, CutsOffOpenStreamsAtTheEndOfTheWindow) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(1000, 0, 10); });
  Workload workload = closed(1, 2);
  workload.requests.reset();
  workload.duration_s = 0.4;
  const auto window = run(address_of(server), workload, 2);
  ASSERT_TRUE(window.ok());
  const Measurement m = summarize(*window, workload, {false, 2}, {});
  EXPECT_EQ(m.cancelled, 2u);
  EXPECT_EQ(m.failed, 0u);
  EXPECT_GT(m.metrics.at("output_throughput"), 100);
  EXPECT_FALSE(m.metrics.contains("ttft:p50"));
}

TEST(HttpEndpoint, AStopRequestFromAnotherThreadEndsTheWindowSoon) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(1, 60'000); });
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto window = run(address_of(server), closed(5, 1), 1, stop.get_token());
  ASSERT_TRUE(window.ok());
  EXPECT_TRUE(window->interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(HttpEndpoint, RunsManyStreamsAtOnce) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(10, 20, 5); });
  const auto window = run(address_of(server), closed(300, 150), 150);
  ASSERT_TRUE(window.ok());
  std::size_t ok = 0;
  for (const RequestRecord& record : window->records) ok += record.outcome == Outcome::Ok ? 1u : 0u;
  EXPECT_EQ(ok, 300u);
  EXPECT_LE(server.connections(), 150u);
}

TEST(HttpEndpoint, RefusesABadUrl) {
  EndpointAddress address;
  address.base_url = "localhost:8000";
  const auto endpoint = make_http_endpoint(address, 1);
  ASSERT_FALSE(endpoint.ok());
  EXPECT_EQ(endpoint.error().code, core::ErrorCode::InvalidInput);
}

TEST(ControlRequests, GetPostAndListModels) {
  StubServer server([](const StubRequest& request) {
    if (request.target == "/v1/models")
      return testing::json_reply(200, R"({"data":[{"id":"a"},{"id":"b"},{}]})");
    if (request.target == "/echo") return testing::json_reply(201, request.method + request.body);
    return testing::json_reply(503, R"({"error":{"message":"Loading model"}})");
  });
  const EndpointAddress address = address_of(server);
  EXPECT_EQ(*list_models(address, 5), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(http_post(address, server.url() + "/echo", "hi", 5)->body, "POSThi");
  EXPECT_EQ(http_get(address, server.url() + "/echo", 5)->status, 201);
  EXPECT_EQ(http_get(address, server.url() + "/health", 5)->status, 503);
}

TEST(ControlRequests, EndInTime) {
  StubServer server([](const StubRequest&) {
    StubReply reply = testing::json_reply(200, "{}");
    reply.head_at_ms = 10'000;
    return reply;
  });
  const auto reply = http_get(address_of(server), server.url() + "/health", 0.2);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, core::ErrorCode::Timeout);
}

}  // namespace
}  // namespace paretune::load
