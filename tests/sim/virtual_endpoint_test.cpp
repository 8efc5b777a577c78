#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "paretune/sim/server.hpp"
#include "sim/support.hpp"

namespace paretune::sim {
namespace {

using load::Outcome;
using load::RequestRecord;
using test::closed_loop;
using test::load_request;

std::unique_ptr<load::Endpoint> endpoint_of(const SimOptions& options) {
  auto endpoint = make_virtual_endpoint(options);
  EXPECT_TRUE(endpoint.ok()) << endpoint.error().message;
  return std::move(endpoint).value();
}

TEST(VirtualEndpoint, FillsEveryFieldOfARecord) {
  const auto endpoint = endpoint_of(SimOptions{});
  const auto records = closed_loop(*endpoint, 2, 6, 100, 20);
  ASSERT_EQ(records.size(), 6U);
  std::set<std::uint64_t> indices;
  for (const RequestRecord& record : records) {
    indices.insert(record.index);
    EXPECT_EQ(record.outcome, Outcome::Ok);
    EXPECT_EQ(record.http_status, 200);
    EXPECT_EQ(record.prompt_tokens, 100U);
    EXPECT_EQ(record.output_tokens, 20U);
    EXPECT_EQ(record.events.size(), 20U);
    EXPECT_EQ(record.token_source, load::TokenSource::Usage);
    EXPECT_LE(record.scheduled_ns, record.sent_ns);
    EXPECT_LT(record.sent_ns, record.first_token_ns);
    EXPECT_EQ(record.first_token_ns, record.events.front().time_ns);
    EXPECT_EQ(record.last_token_ns, record.events.back().time_ns);
    EXPECT_LE(record.last_token_ns, record.done_ns);
    EXPECT_FALSE(record.missing_done);
  }
  EXPECT_EQ(indices.size(), 6U);
  EXPECT_EQ(std::count_if(records.begin(), records.end(), [](const auto& r) { return r.new_connection; }), 2);
}

TEST(VirtualEndpoint, GainsThroughputWithConcurrencyUntilItSaturates) {
  double last = 0, last_tpot = 0;
  for (const std::size_t concurrency : {1U, 4U, 16U, 64U, 256U}) {
    const auto endpoint = endpoint_of(SimOptions{});
    const auto records = closed_loop(*endpoint, concurrency, concurrency * 8 + 40, 256, 100);
    const double now = test::throughput(records);
    EXPECT_GT(now, 1.2 * last) << concurrency;
    EXPECT_GT(test::mean_tpot_ms(records), last_tpot);
    last = now;
    last_tpot = test::mean_tpot_ms(records);
  }
  const auto endpoint = endpoint_of(SimOptions{});  // max-num-seqs is 256: the rest queues
  const auto records = closed_loop(*endpoint, 512, 3000, 256, 100);
  EXPECT_NEAR(test::throughput(records), last, 0.05 * last);
}

TEST(VirtualEndpoint, RepeatsItselfForASeed) {
  const auto run = [](std::uint64_t seed) {
    SimOptions options;
    options.seed = seed;
    std::vector<std::int64_t> times;
    for (const auto& record : closed_loop(*endpoint_of(options), 8, 60, 64, 30))
      times.push_back(record.done_ns);
    return times;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(VirtualEndpoint, DividesEveryDurationByTheSpeed) {
  SimOptions options;
  const auto slow = closed_loop(*endpoint_of(options), 4, 20, 64, 30);
  options.speed = 10;
  const auto fast = closed_loop(*endpoint_of(options), 4, 20, 64, 30);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(slow[i].done_ns), 10.0 * static_cast<double>(fast[i].done_ns), 1000);
  }
}

TEST(VirtualEndpoint, TradesFirstTokenForEvenTokensByTheTokenBudget) {
  SimOptions options;
  options.max_num_seqs = 64;
  options.max_num_batched_tokens = 128;
  const auto small = closed_loop(*endpoint_of(options), 32, 200, 2000, 50);
  options.max_num_batched_tokens = 8192;
  const auto large = closed_loop(*endpoint_of(options), 32, 200, 2000, 50);
  const auto worst_gap = [](const std::vector<RequestRecord>& records) {
    std::int64_t worst = 0;
    for (const auto& record : records) {
      for (std::size_t i = 1; i < record.events.size(); ++i) {
        worst = std::max(worst, record.events[i].time_ns - record.events[i - 1].time_ns);
      }
    }
    return worst;
  };
  EXPECT_LT(worst_gap(small), worst_gap(large) / 4);
  EXPECT_GT(test::mean_ttft_ms(small), 0);
}

TEST(VirtualEndpoint, RefusesWhatTheServerWouldRefuse) {
  const auto endpoint = endpoint_of(SimOptions{});
  endpoint->start(endpoint->clock().now());
  endpoint->submit(load_request(0, 8000, 1000), endpoint->clock().now());
  const auto records = endpoint->poll(core::TimePoint::max());
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].outcome, Outcome::Http4xx);
  EXPECT_EQ(records[0].http_status, 400);
  EXPECT_FALSE(records[0].error.empty());
  EXPECT_GT(records[0].done_ns, records[0].sent_ns);
}

TEST(VirtualEndpoint, ReadsABodyAsTheServerWould) {
  const auto endpoint = endpoint_of(SimOptions{});
  endpoint->start(endpoint->clock().now());
  load::Request request = load_request(0, 99, 99);
  request.body = R"({"model":"sim-8b","messages":[{"role":"user","content":"one two three"}],"max_tokens":5,
                     "ignore_eos":true,"stream":true})";
  endpoint->submit(request, endpoint->clock().now());
  request.body = R"({"model":"other","prompt":"one"})";
  endpoint->submit(request, endpoint->clock().now());
  std::vector<RequestRecord> records;
  while (records.size() < 2) {
    for (auto& record : endpoint->poll(core::TimePoint::max())) records.push_back(std::move(record));
  }
  EXPECT_EQ(records[0].http_status, 404);
  EXPECT_EQ(records[1].prompt_tokens, 3U);
  EXPECT_EQ(records[1].output_tokens, 5U);
}

TEST(VirtualEndpoint, StopsAtTheGivenMomentAndCancelsWithWhatCame) {
  const auto endpoint = endpoint_of(SimOptions{});
  const auto begin = endpoint->clock().now();
  endpoint->start(begin);
  endpoint->submit(load_request(0, 100, 5000), begin);
  EXPECT_TRUE(endpoint->poll(begin + core::from_seconds(1)).empty());
  EXPECT_EQ(endpoint->clock().now(), begin + core::from_seconds(1));
  const auto records = endpoint->cancel_all();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].outcome, Outcome::Cancelled);
  EXPECT_NEAR(records[0].output_tokens, 120, 10);
  EXPECT_EQ(records[0].done_ns, 1'000'000'000);
  EXPECT_EQ(endpoint->in_flight(), 0U);
}

TEST(VirtualEndpoint, ReturnsAtOnceWhenNothingIsOpen) {
  const auto endpoint = endpoint_of(SimOptions{});
  const auto begin = endpoint->clock().now();
  EXPECT_TRUE(endpoint->poll(core::TimePoint::max()).empty());
  EXPECT_EQ(endpoint->clock().now(), begin);
  EXPECT_TRUE(endpoint->poll(begin + core::from_seconds(3)).empty());
  EXPECT_EQ(endpoint->clock().now(), begin + core::from_seconds(3));
}

TEST(VirtualEndpoint, CrashesAfterTheGivenNumberOfAnswers) {
  SimOptions options;
  options.fault = "crash-after=5";
  const auto records = closed_loop(*endpoint_of(options), 3, 20, 50, 20);
  const auto with = [&](Outcome outcome) {
    return std::count_if(records.begin(), records.end(), [&](const auto& r) { return r.outcome == outcome; });
  };
  EXPECT_EQ(with(Outcome::Ok), 5);
  EXPECT_EQ(with(Outcome::Ok) + with(Outcome::Truncated) + with(Outcome::Connect), 20);
  EXPECT_GE(with(Outcome::Connect), 13);
}

TEST(VirtualEndpoint, FailsTheGivenShareOfRequests) {
  SimOptions options;
  options.fault = "http-500=0.25";
  const auto records = closed_loop(*endpoint_of(options), 8, 2000, 20, 5);
  const auto failed = std::count_if(records.begin(), records.end(),
                                    [](const auto& r) { return r.outcome == Outcome::Http5xx; });
  EXPECT_NEAR(static_cast<double>(failed), 500, 60);
}

TEST(VirtualEndpoint, TimesOutWhatAStalledEngineHolds) {
  SimOptions options;
  options.fault = "stall=50";
  const auto endpoint = endpoint_of(options);
  const auto records = closed_loop(*endpoint, 2, 2, 20, 500);
  for (const auto& record : records) {
    EXPECT_EQ(record.outcome, Outcome::TimeoutGap);
    EXPECT_NEAR(static_cast<double>(record.done_ns - record.last_token_ns), 120e9, 1e6);
  }
}

TEST(VirtualEndpoint, RunsTwoMillionTokensInSeconds) {
  const auto begin = std::chrono::steady_clock::now();
  const auto records = closed_loop(*endpoint_of(SimOptions{}), 256, 10'000, 128, 200);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(records.size(), 10'000U);
  EXPECT_LT(wall.count(), 10.0);  // sanitizer builds on a busy machine; well under a second otherwise
}

}  // namespace
}  // namespace paretune::sim
