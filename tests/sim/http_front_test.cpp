#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "paretune/core/random.hpp"
#include "sim/http_support.hpp"
#include "sim/support.hpp"

namespace paretune::sim {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using test::chat_body;
using test::events_of;
using test::fast_options;
using test::get;
using test::get_text;
using test::metric_of;
using test::post;
using test::post_text;
using test::RawClient;
using test::RawReply;
using test::RunningServer;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kChat = "/v1/chat/completions";
constexpr const char* kCompletions = "/v1/completions";

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(HttpFront, SaysLoadingUntilTheStartIsOver) {
  SimOptions options = fast_options(50);  // 16.6 s of start-up take 0.33 s
  const auto begin = std::chrono::steady_clock::now();
  RunningServer server(options, false);
  EXPECT_EQ(get(server.port(), "/health").status, 503);
  const RawReply early = post(server.port(), kChat, chat_body(3, 3, false));
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(json::parse(early.body)["error"]["message"], "Loading model");
  ASSERT_TRUE(eventually([&] { return get(server.port(), "/health").status == 200; }));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(wall.count(), start_seconds(options) / 50 * 0.99);
}

TEST(HttpFront, AnswersTheControlPaths) {
  RunningServer server(fast_options(1000));
  const json models = json::parse(get(server.port(), "/v1/models").body);
  EXPECT_EQ(models["data"][0]["id"], "sim-8b");
  EXPECT_EQ(models["data"][0]["max_model_len"], 8192);
  EXPECT_THAT(get(server.port(), "/version").body, HasSubstr("paretune-sim"));
  EXPECT_EQ(get(server.port(), "/health?x=1").status, 200);
  EXPECT_EQ(get(server.port(), "/nothing").status, 404);
  EXPECT_EQ(get(server.port(), kChat).status, 405);
  EXPECT_EQ(post(server.port(), "/health", "").status, 405);
  EXPECT_EQ(json::parse(get(server.port(), "/nothing").body)["error"]["code"], 404);
  EXPECT_EQ(post(server.port(), kChat, R"({"model":"x","messages":[]})").status, 404);
  EXPECT_EQ(post(server.port(), kChat, "{").status, 400);
  EXPECT_EQ(post(server.port(), kChat, chat_body(9000, 5, true)).status, 400);
}

TEST(HttpFront, StreamsAChatAsVllmDoes) {
  RunningServer server(fast_options(1000));
  const RawReply reply = post(server.port(), kChat, chat_body(12, 5, true));
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.complete);
  EXPECT_THAT(reply.head, HasSubstr("content-type: text/event-stream; charset=utf-8\r\n"));
  const auto events = events_of(reply.body);
  ASSERT_EQ(events.size(), 1U + 5 + 1 + 1);
  const json role = json::parse(events[0]);
  EXPECT_EQ(role["object"], "chat.completion.chunk");
  EXPECT_EQ(role["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(role["choices"][0]["delta"]["content"], "");
  for (std::size_t i = 1; i <= 5; ++i) {
    const json event = json::parse(events[i]);
    EXPECT_EQ(event["id"], role["id"]);
    EXPECT_NE(event["choices"][0]["delta"]["content"], "");
    EXPECT_EQ(event["choices"][0]["finish_reason"], i == 5 ? json("length") : json(nullptr));
  }
  const json usage = json::parse(events[6]);
  EXPECT_TRUE(usage["choices"].empty());
  EXPECT_EQ(usage["usage"]["prompt_tokens"], 12);
  EXPECT_EQ(usage["usage"]["completion_tokens"], 5);
  EXPECT_EQ(events[7], "[DONE]");
}

TEST(HttpFront, SendsUsageOnlyWhenAsked) {
  RunningServer server(fast_options(1000));
  const RawReply plain =
      post(server.port(), kCompletions, R"({"prompt":"a b","max_tokens":3,"ignore_eos":true,"stream":true})");
  EXPECT_THAT(plain.body, Not(HasSubstr("usage")));
  EXPECT_EQ(events_of(plain.body).size(), 3U + 1);
  EXPECT_EQ(json::parse(events_of(plain.body)[0])["object"], "text_completion");
  const RawReply continuous = post(server.port(), kCompletions,
                                   R"({"prompt":"a b","max_tokens":3,"ignore_eos":true,"stream":true,
       "stream_options":{"include_usage":true,"continuous_usage_stats":true}})");
  EXPECT_EQ(json::parse(events_of(continuous.body)[1])["usage"]["completion_tokens"], 2);
}

TEST(HttpFront, AnswersInOnePieceWithoutStreaming) {
  RunningServer server(fast_options(1000));
  const json reply = json::parse(post(server.port(), kChat, chat_body(4, 6, false)).body);
  EXPECT_EQ(reply["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(reply["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(reply["usage"]["total_tokens"], 10);
}

TEST(HttpFront, KeepsConnectionsForPipelinedRequests) {
  RunningServer server(fast_options(1000));
  RawClient client(server.port());
  client.send(post_text(kChat, chat_body(4, 6, true)) + get_text("/health") + get_text("/version"));
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(client.read().status, 200);
  EXPECT_THAT(client.read().body, HasSubstr("version"));
}

TEST(HttpFront, ObeysCloseAndOldClients) {
  RunningServer server(fast_options(1000));
  {
    RawClient client(server.port());
    client.send("GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.read().head, HasSubstr("connection: close"));
    EXPECT_TRUE(client.closed_by_peer());
  }
  RawClient old(server.port());
  std::string request = post_text(kChat, chat_body(4, 6, true));
  request.replace(request.find("HTTP/1.1"), 8, "HTTP/1.0");
  old.send(request);
  const RawReply reply = old.read();
  EXPECT_THAT(reply.head, Not(HasSubstr("chunked")));
  EXPECT_EQ(events_of(reply.body).size(), 1U + 6 + 2);
}

TEST(HttpFront, InvitesLargeBodiesAndRefusesHugeOnes) {
  RunningServer server(fast_options(1000));
  RawClient polite(server.port());
  const std::string body = chat_body(4, 2, false);
  const std::string request = post_text(kChat, body, "Expect: 100-continue\r\n");
  polite.send(request.substr(0, request.size() - body.size()));
  EXPECT_THAT(polite.read_until("\r\n\r\n"), HasSubstr("100 Continue"));
  polite.send(body);
  EXPECT_EQ(polite.read().status, 200);

  RawClient huge(server.port());
  huge.send("POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
  EXPECT_EQ(huge.read().status, 413);
  RawClient wide(server.port());
  wide.send("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'a') + "\r\n\r\n");
  EXPECT_EQ(wide.read().status, 431);
}

TEST(HttpFront, CountsWhatItServedOnItsMetricsPage) {
  RunningServer server(fast_options(1000));
  for (int i = 0; i < 5; ++i) post(server.port(), kChat, chat_body(20, 8, i % 2 == 0));
  const std::string page = get(server.port(), "/metrics").body;
  EXPECT_EQ(metric_of(page, "vllm:prompt_tokens_total"), 100);
  EXPECT_EQ(metric_of(page, "vllm:generation_tokens_total"), 40);
  EXPECT_EQ(metric_of(page, "vllm:num_requests_running"), 0);
  EXPECT_EQ(metric_of(page, "vllm:num_requests_waiting"), 0);
  EXPECT_EQ(metric_of(page, "vllm:kv_cache_usage_perc"), 0);
  EXPECT_EQ(metric_of(page, "vllm:time_to_first_token_seconds_count"), 5);
  EXPECT_EQ(metric_of(page, "vllm:inter_token_latency_seconds_count"), 35);
  EXPECT_EQ(metric_of(page, "vllm:e2e_request_latency_seconds_count"), 5);
  EXPECT_EQ(metric_of(page, "vllm:prefix_cache_queries_total"), 100);
  EXPECT_EQ(metric_of(page, "vllm:prefix_cache_hits_total"), 4 * 16);
  EXPECT_EQ(metric_of(page, "paretune_sim_speed"), 1000);
  EXPECT_THAT(page, HasSubstr("finished_reason=\"length\"} 5.0"));
  EXPECT_THAT(page, HasSubstr("# TYPE vllm:time_to_first_token_seconds histogram"));
  EXPECT_THAT(page, HasSubstr("le=\"+Inf\"} 5.0"));
}

TEST(HttpFront, ForgetsClientsThatGoAway) {
  SimOptions options = fast_options(100);
  RunningServer server(options);
  {
    RawClient client(server.port());
    client.send(post_text(kChat, chat_body(10, 8000, true)));
    EXPECT_THAT(client.read_until("assistant"), HasSubstr("200 OK"));
    EXPECT_EQ(metric_of(get(server.port(), "/metrics").body, "vllm:num_requests_running"), 1);
  }
  EXPECT_TRUE(eventually(
      [&] { return metric_of(get(server.port(), "/metrics").body, "vllm:num_requests_running") == 0; }));
  EXPECT_THAT(get(server.port(), "/metrics").body, HasSubstr("finished_reason=\"abort\"} 1.0"));
}

TEST(HttpFront, DoesNotLetASlowReaderHoldUpOthers) {
  RunningServer server(fast_options(2000));
  RawClient slow(server.port());
  const int tiny = 4096;
  setsockopt(slow.socket(), SOL_SOCKET, SO_RCVBUF, &tiny, sizeof tiny);
  slow.send(post_text(kChat, chat_body(10, 8000, true)));
  slow.read_until("assistant");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(post(server.port(), kChat, chat_body(10, 20, true)).complete);
  }
  // The slow one still gets all of it, in its own time.
  EXPECT_THAT(slow.read_until("[DONE]"), HasSubstr("[DONE]"));
}

TEST(HttpFront, StreamsToAThousandClientsAtOnce) {
  SimOptions options = fast_options(10);
  options.max_num_seqs = 2048;
  RunningServer server(options);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(post_text(kChat, chat_body(8, 40, true)));
  }
  int complete = 0;
  for (const auto& client : clients) {
    const RawReply reply = client->read();
    if (reply.complete && events_of(reply.body).size() == 43) ++complete;
  }
  EXPECT_EQ(complete, 1000);
  EXPECT_EQ(metric_of(get(server.port(), "/metrics").body, "vllm:generation_tokens_total"), 40'000);
}

TEST(HttpFront, ServesClientsOnManyThreads) {
  RunningServer server(fast_options(500));
  std::atomic<int> complete = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      RawClient client(server.port());
      for (int i = 0; i < 10; ++i) {
        client.send(post_text(i % 2 ? kChat : kCompletions,
                              i % 2 ? chat_body(16, 10, true) : R"({"prompt":[1,2,3],"max_tokens":4})"));
        if (client.read().complete) ++complete;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(complete, 80);
}

TEST(HttpFront, StopsWithStreamsOpen) {
  RunningServer server(fast_options(50));
  RawClient client(server.port());
  client.send(post_text(kChat, chat_body(10, 8000, true)));
  client.read_until("assistant");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.stop().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
  client.read_until("never sent");
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(HttpFront, SaysThatThePortIsTaken) {
  RunningServer server(fast_options(1000), false);
  SimOptions options = fast_options(1000);
  options.port = server.port();
  std::ostringstream out, log;
  const auto second = serve(options, out, log, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, core::ErrorCode::Environment);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(server.port())));
  EXPECT_EQ(out.str(), "");
  options.host = "not an address";
  EXPECT_FALSE(serve(options, out, log, {}).ok());
}

TEST(HttpFront, DoesNotStartWithoutMemoryAndLogsWhy) {
  SimOptions options = fast_options(1000);
  options.model = "sim-70b";
  std::ostringstream out, log;
  const auto served = serve(options, out, log, {});
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.error().code, core::ErrorCode::OutOfMemory);
  EXPECT_THAT(log.str(), HasSubstr("out of memory: needs 133.9 GiB of 80.0 GiB"));
  EXPECT_EQ(out.str(), "");
}

TEST(HttpFront, InjectsServerErrorsAndStalls) {
  SimOptions options = fast_options(1000);
  options.fault = "http-500=1";
  {
    RunningServer server(options);
    const RawReply reply = post(server.port(), kChat, chat_body(4, 4, true));
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(json::parse(reply.body)["error"]["type"], "InternalServerError");
  }
  options.fault = "stall=10";
  RunningServer server(options);
  RawClient client(server.port());
  client.send(post_text(kChat, chat_body(4, 20, true)));
  const timeval limit{0, 300'000};  // the ten tokens take about a millisecond
  setsockopt(client.socket(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const std::string got = client.read_until("[DONE]");
  EXPECT_EQ(events_of(got).size(), 1U + 10);
  EXPECT_EQ(get(server.port(), "/health").status, 200);
}

/// Damaged requests on the wire: whatever comes, the server answers or closes, and serves the next client.
TEST(HttpFront, SurvivesMalformedRequests) {
  RunningServer server(fast_options(1000));
  const std::string good = post_text(kChat, chat_body(6, 3, true));
  core::Random random(5);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (std::size_t k = 0; k <= random.index(4); ++k) {
      const std::size_t at = random.index(bytes.size());
      if (random.chance(0.3)) {
        bytes.resize(at + 1);
      } else if (random.chance(0.5)) {
        bytes[at] = static_cast<char>(random.index(256));
      } else {
        bytes.insert(at, random.chance(0.5) ? "\r\n" : std::string(random.index(40), '\xff'));
      }
    }
    RawClient client(server.port());
    client.send(bytes);
    client.shutdown_sending();
    client.read_until("no such mark");  // until it closes
  }
  EXPECT_TRUE(post(server.port(), kChat, chat_body(6, 3, true)).complete);
  EXPECT_TRUE(eventually(
      [&] { return metric_of(get(server.port(), "/metrics").body, "vllm:num_requests_running") == 0; }));
}

}  // namespace
}  // namespace paretune::sim
