#include "paretune/load/bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/stub_server.hpp"

namespace paretune::load {
namespace {

using ::testing::HasSubstr;
using testing::StubReply;
using testing::StubRequest;
using testing::StubServer;

StubReply server_with_model(const StubRequest& request) {
  if (request.method == "GET") return testing::json_reply(200, R"({"object":"list","data":[{"id":"tiny"}]})");
  return testing::chat_stream(6, 10, 3, 12);
}

BenchOptions options_for(const StubServer& server, std::int64_t requests = 20) {
  BenchOptions options;
  options.address.base_url = server.url();
  options.workload.concurrency = {2};
  options.workload.requests = requests;
  options.workload.output_tokens.mean = 6;
  options.level = {false, 2};
  return options;
}

TEST(RunBench, TakesTheOnlyModelAndFillsTheFile) {
  StubServer server(server_with_model);
  const BenchOptions options = options_for(server);
  const auto result = run_bench(options, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const core::Json json = bench_json(options, *result, true);
  EXPECT_EQ(json["model_id"], "tiny");
  EXPECT_EQ(json["completed"], 20);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["num_prompts"], 20);
  EXPECT_EQ(json["request_rate"], "inf");
  EXPECT_EQ(json["max_concurrency"], 2);
  EXPECT_EQ(json["max_concurrent_requests"], 2);
  EXPECT_EQ(json["total_output_tokens"], 120);
  EXPECT_EQ(json["total_input_tokens"], 240);
  const double duration = json["duration"];
  EXPECT_NEAR(json["request_throughput"].get<double>(), 20 / duration, 1e-9);
  EXPECT_NEAR(json["output_throughput"].get<double>(), 120 / duration, 1e-9);
  EXPECT_NEAR(json["total_token_throughput"].get<double>(), 360 / duration, 1e-9);
  for (const char* metric : {"ttft", "tpot", "itl", "e2el"}) {
    for (const char* statistic : {"mean", "median", "std", "p90", "p95", "p99"}) {
      EXPECT_TRUE(json[std::string(statistic) + "_" + metric + "_ms"].is_number()) << metric << statistic;
    }
  }
  EXPECT_TRUE(json["p99_send_lag_ms"].is_number());
  EXPECT_TRUE(json["definitions"]["ttft"].is_string());
  EXPECT_EQ(json["output_lens"].size(), 20u);
  EXPECT_EQ(json["itls"][0].size(), 5u);
  EXPECT_TRUE(json["findings"].is_array());
  EXPECT_TRUE(json["x_paretune"]["metrics"].contains("ttft:p95"));
}

TEST(RunBench, SendsNewPromptsUnlessASeedIsGiven) {
  StubServer server(server_with_model);
  BenchOptions options = options_for(server, 1);
  std::vector<std::string> bodies;
  std::vector<std::uint64_t> seeds;
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>{}, {}, {5}, {5}}) {
    options.seed = seed;
    const auto result = run_bench(options, {});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(bench_json(options, *result, false)["x_paretune"]["seed"], result->seed);
    seeds.push_back(result->seed);
    bodies.push_back(server.requests().back().body);
  }
  EXPECT_NE(bodies[0], bodies[1]);
  EXPECT_EQ(bodies[2], bodies[3]);
  EXPECT_EQ(seeds[2], 5u);
  EXPECT_NE(seeds[0], seeds[1]);
}

TEST(RunBench, AFileOfFailuresHoldsNoLatencyAndNoNullUnderAKeyThatReadersParse) {
  StubServer server([](const StubRequest& request) {
    return request.method == "GET" ? server_with_model(request) : testing::json_reply(500, "{}");
  });
  const BenchOptions options = options_for(server, 70);
  const auto result = run_bench(options, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->measurement.ok, 0u);
  const core::Json json = bench_json(options, *result, true);
  EXPECT_EQ(json["completed"], 0);
  EXPECT_EQ(json["failed"], 70) << "all that were asked for, although every one fails";
  for (const auto& [key, value] : json.items()) {
    if (key.ends_with("ms") || key.find("tpot") != std::string::npos) ADD_FAILURE() << key << " = " << value;
  }
  EXPECT_EQ(json["findings"][0]["code"], "no_success");
  EXPECT_EQ(json["errors"][0], "HTTP 500: {}");
}

TEST(RunBench, SaysWhyThereIsNothingToMeasure) {
  std::string url;
  {
    StubServer gone(server_with_model);
    url = gone.url();
  }
  BenchOptions options;
  options.address.base_url = url;
  options.workload.requests = 1;
  const auto refused = run_bench(options, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, core::ErrorCode::Environment);
  StubServer several(
      [](const StubRequest&) { return testing::json_reply(200, R"({"data":[{"id":"a"},{"id":"b"}]})"); });
  const auto which = run_bench(options_for(several), {});
  ASSERT_FALSE(which.ok());
  EXPECT_EQ(which.error().code, core::ErrorCode::InvalidInput);
  EXPECT_THAT(which.error().message, HasSubstr("a, b"));
  StubServer without_list([](const StubRequest& request) {
    return request.method == "GET" ? testing::json_reply(404, "{}") : testing::chat_stream(2);
  });
  BenchOptions named = options_for(without_list);
  EXPECT_FALSE(run_bench(named, {}).ok());
  named.address.model = "x";
  EXPECT_TRUE(run_bench(named, {}).ok());
}

Window two_records() {
  Window window;
  RequestRecord ok;
  ok.outcome = Outcome::Ok;
  ok.scheduled_ns = ok.sent_ns = 0;
  ok.first_token_ns = 10'000'000;
  ok.last_token_ns = ok.done_ns = 30'000'000;
  ok.output_tokens = 3;
  ok.events = {{10'000'000, 1}, {20'000'000, 1}, {30'000'000, 1}};
  RequestRecord bad;
  bad.index = 1;
  bad.outcome = Outcome::StreamError;
  bad.sent_ns = bad.scheduled_ns = 5;
  bad.first_token_ns = 9;
  bad.error = "=SUM(A1), \"quoted\"\nnext";
  window.records = {ok, bad};
  return window;
}

TEST(RecordsJsonl, HoldsAllThatIsNeededToComputeAgain) {
  std::istringstream lines(records_jsonl(two_records(), false));
  std::string line;
  std::getline(lines, line);
  const auto ok = nlohmann::json::parse(line);
  EXPECT_EQ(ok["ttft_ms"], 10.0);
  EXPECT_EQ(ok["tpot_ms"], 10.0);
  EXPECT_EQ(ok["events"].size(), 3u);
  EXPECT_EQ(ok["outcome"], "ok");
  std::getline(lines, line);
  const auto bad = nlohmann::json::parse(line);
  EXPECT_TRUE(bad["ttft_ms"].is_null()) << "a failed request has no latency";
  EXPECT_TRUE(bad["done_s"].is_null());
  EXPECT_FALSE(std::getline(lines, line)) << "one line per record, whatever the error holds";
}

TEST(RecordsCsv, QuotesAndDefusesItsCells) {
  const std::string csv = records_csv(two_records(), false);
  EXPECT_THAT(csv, HasSubstr("index,warmup,outcome"));
  EXPECT_THAT(csv, HasSubstr("\"'=SUM(A1), \"\"quoted\"\"\nnext\""));
}

}  // namespace
}  // namespace paretune::load
