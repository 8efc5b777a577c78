// The load loop on a manual clock: no sockets, no sleeping, exact numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "load/request_times.hpp"
#include "paretune/load/measure.hpp"
#include "support/scripted_endpoint.hpp"

namespace paretune::load {
namespace {

using testing::ScriptedAnswer;
using testing::ScriptedEndpoint;

Workload closed(std::optional<std::int64_t> requests, std::optional<double> duration_s, double warmup_s = 0) {
  Workload workload;
  workload.concurrency = {1};
  workload.requests = requests;
  workload.duration_s = duration_s;
  workload.warmup_s = warmup_s;
  return workload;
}

Workload open(Arrival arrival, std::optional<std::int64_t> requests, std::optional<double> duration_s) {
  Workload workload;
  workload.rate = {1};
  workload.arrival = arrival;
  workload.requests = requests;
  workload.duration_s = duration_s;
  return workload;
}

Window run(ScriptedEndpoint& endpoint, const Workload& workload, const LoadLevel& level,
           WindowOptions options = {}, std::stop_token stop = {}) {
  auto window = generate_load(endpoint, workload, level, options, stop);
  EXPECT_TRUE(window.ok());
  return std::move(*window);
}

ScriptedEndpoint::Script always(ScriptedAnswer answer) {
  return [answer](const Request&, double) { return answer; };
}

std::size_t count(const Window& window, Outcome outcome, bool warmup = false) {
  return static_cast<std::size_t>(std::count_if(
      window.records.begin(), window.records.end(),
      [&](const RequestRecord& record) { return record.outcome == outcome && record.warmup == warmup; }));
}

TEST(ClosedLoop, KeepsTheConcurrencyExactAndSendsExactlyTheAskedRequests) {
  ScriptedEndpoint endpoint(always({10, 1, 5}));
  const Window window = run(endpoint, closed(100, {}), {false, 8});
  EXPECT_EQ(window.records.size(), 100u);
  EXPECT_EQ(endpoint.most_open(), 8u);
  EXPECT_EQ(count(window, Outcome::Ok), 100u);
  EXPECT_DOUBLE_EQ(window.measured_from_s, 0);
  // 13 rounds of 14 ms, the last with four requests.
  EXPECT_NEAR(window.measured_to_s, 13 * 0.014, 1e-9);
  EXPECT_FALSE(window.aborted);
}

TEST(ClosedLoop, FillsAFreeSlotAtTheMomentItIsFree) {
  ScriptedEndpoint endpoint([](const Request& request, double) {
    return ScriptedAnswer{request.index % 3 == 0 ? 30.0 : 7.0, 1, 1};
  });
  const Window window = run(endpoint, closed(60, {}), {false, 3});
  std::multiset<std::int64_t> ends;
  for (const RequestRecord& record : window.records) ends.insert(record.done_ns);
  for (const RequestRecord& record : window.records) {
    EXPECT_EQ(record.sent_ns, record.scheduled_ns);
    if (record.sent_ns > 0) {
      EXPECT_TRUE(ends.contains(record.sent_ns)) << "each later request starts when one ends";
    }
  }
}

TEST(ClosedLoop, CutsOffWhatIsOpenWhenTheDurationEnds) {
  ScriptedEndpoint endpoint(always({100, 10, 31}));  // 400 ms
  const Window window = run(endpoint, closed({}, 1.0), {false, 2});
  EXPECT_DOUBLE_EQ(window.measured_to_s, 1.0);
  EXPECT_EQ(count(window, Outcome::Ok), 4u);
  EXPECT_EQ(count(window, Outcome::Cancelled), 2u);
  const Measurement m = summarize(window, closed({}, 1.0), {false, 2}, {});
  EXPECT_EQ(m.ok, 4u);
  EXPECT_EQ(m.cancelled, 2u);
  EXPECT_EQ(m.failed, 0u);
  // Per slot: two whole answers of 31 tokens, and 11 tokens (900 ms … 1000 ms) of the one that was cut off.
  EXPECT_DOUBLE_EQ(m.metrics.at("output_throughput"), 2 * (31 + 31 + 11));
  EXPECT_DOUBLE_EQ(m.metrics.at("concurrency"), 2);
  EXPECT_DOUBLE_EQ(m.metrics.at("error_rate"), 0);
}

TEST(ClosedLoop, ExcludesTheWarmUpWithoutAPause) {
  ScriptedEndpoint endpoint(always({30, 1, 1}));
  const Workload workload = closed(10, {}, 0.1);
  const Window window = run(endpoint, workload, {false, 1});
  EXPECT_EQ(count(window, Outcome::Ok, true), 4u) << "sent at 0, 30, 60 and 90 ms";
  EXPECT_EQ(count(window, Outcome::Ok, false), 10u);
  EXPECT_DOUBLE_EQ(window.measured_from_s, 0.1);
  EXPECT_DOUBLE_EQ(window.measured_to_s, 0.42);
  const Measurement m = summarize(window, workload, {false, 1}, {});
  EXPECT_EQ(m.ok, 10u);
  // The request sent at 90 ms ended inside the window: rates count it, latencies do not.
  EXPECT_DOUBLE_EQ(m.metrics.at("request_throughput"), 11 / 0.32);
}

TEST(ClosedLoop, EndsAtWhicheverComesFirst) {
  ScriptedEndpoint few(always({10, 1, 1}));
  EXPECT_NEAR(run(few, closed(5, 10.0), {false, 1}).measured_to_s, 0.05, 1e-9);
  ScriptedEndpoint slow(always({1000, 1, 1}));
  const Window window = run(slow, closed(500, 2.5), {false, 1});
  EXPECT_DOUBLE_EQ(window.measured_to_s, 2.5);
  EXPECT_EQ(count(window, Outcome::Ok), 2u);
}

TEST(ClosedLoop, GivesUpOnAServerThatOnlyFails) {
  ScriptedEndpoint endpoint(always({1, 1, 1, Outcome::Http5xx}));
  WindowOptions options;
  options.max_errors = 20;
  const Window window = run(endpoint, closed({}, 60.0), {false, 2}, options);
  EXPECT_TRUE(window.aborted);
  EXPECT_EQ(count(window, Outcome::Http5xx), 20u);
  EXPECT_LT(window.measured_to_s, 1.0);
  const Measurement m = summarize(window, closed({}, 60.0), {false, 2}, {});
  EXPECT_EQ(m.ok, 0u);
  EXPECT_EQ(m.failures.at("http_5xx"), 20u);
  EXPECT_DOUBLE_EQ(m.metrics.at("error_rate"), 1);
  for (const auto& [name, value] : m.metrics) {
    EXPECT_EQ(name.find("ttft"), std::string::npos) << "a latency of nothing: " << name << " = " << value;
    EXPECT_EQ(name.find("tpot"), std::string::npos);
  }
  ASSERT_FALSE(m.findings.empty());
  EXPECT_EQ(m.findings[0].code, "no_success");
  EXPECT_TRUE(m.findings[0].invalidates);
}

TEST(ClosedLoop, ASuccessBetweenErrorsKeepsItGoing) {
  ScriptedEndpoint endpoint([](const Request& request, double) {
    return ScriptedAnswer{5, 1, 1, request.index % 10 == 9 ? Outcome::Ok : Outcome::Rejected};
  });
  WindowOptions options;
  options.max_errors = 12;
  const Window window = run(endpoint, closed(100, {}), {false, 1}, options);
  EXPECT_FALSE(window.aborted);
  EXPECT_EQ(count(window, Outcome::Ok), 10u);
}

TEST(ClosedLoop, StopsWhenAskedTo) {
  std::stop_source stop;
  ScriptedEndpoint endpoint([&](const Request& request, double) {
    if (request.index == 5) stop.request_stop();
    return ScriptedAnswer{10, 1, 1};
  });
  const Window window = run(endpoint, closed({}, 60.0), {false, 1}, {}, stop.get_token());
  EXPECT_TRUE(window.interrupted);
  EXPECT_LE(window.records.size(), 7u);
}

TEST(ClosedLoop, AHardEndCutsARequestCountShort) {
  ScriptedEndpoint endpoint(always({1e6, 1, 1}));
  WindowOptions options;
  options.timeout_s = 3;
  const Window window = run(endpoint, closed(5, {}), {false, 1}, options);
  EXPECT_TRUE(window.aborted);
  EXPECT_DOUBLE_EQ(window.measured_to_s, 3);
}

TEST(ClosedLoop, ReportsProgress) {
  ScriptedEndpoint endpoint(always({50, 1, 1}));
  std::vector<Progress> seen;
  const auto window = generate_load(endpoint, closed({}, 2.0), {false, 3}, {}, {},
                                    [&](const Progress& progress) { seen.push_back(progress); });
  ASSERT_TRUE(window.ok());
  ASSERT_GE(seen.size(), 5u);
  EXPECT_EQ(seen.back().in_flight, 3u);
  EXPECT_GT(seen.back().finished, 60u);
}

TEST(ClosedLoop, RefusesLevelsAndWorkloadsThatMakeNoSense) {
  ScriptedEndpoint endpoint(always({1, 1, 1}));
  EXPECT_FALSE(generate_load(endpoint, closed(1, {}), {false, 0}, {}, {}).ok());
  EXPECT_FALSE(generate_load(endpoint, closed(1, {}), {false, 1.5}, {}, {}).ok());
  EXPECT_FALSE(generate_load(endpoint, closed({}, {}), {false, 1}, {}, {}).ok());
  EXPECT_FALSE(generate_load(endpoint, open(Arrival::Poisson, 1, {}), {true, 0}, {}, {}).ok());
}

TEST(OpenLoop, SendsOnScheduleWhateverTheServerDoes) {
  ScriptedEndpoint endpoint(always({1000, 1, 1}));
  const Window window = run(endpoint, open(Arrival::Constant, 20, {}), {true, 10});
  for (const RequestRecord& record : window.records) {
    EXPECT_EQ(record.scheduled_ns, static_cast<std::int64_t>(record.index) * 100'000'000);
    EXPECT_EQ(record.sent_ns, record.scheduled_ns);
  }
  EXPECT_EQ(endpoint.most_open(), 10u);
  EXPECT_EQ(count(window, Outcome::Ok), 20u) << "a window of a request count waits for all";
}

TEST(OpenLoop, CountsTheWaitBehindACap) {
  // 10/s, one at a time, 500 ms each: the case where a tool said p99 507 ms and users saw 3330.
  ScriptedEndpoint endpoint(always({500, 1, 1}));
  Workload workload = open(Arrival::Constant, 10, {});
  workload.max_concurrency = 1;
  const Window window = run(endpoint, workload, {true, 10});
  EXPECT_EQ(endpoint.most_open(), 1u);
  for (const RequestRecord& record : window.records) {
    const auto i = static_cast<std::int64_t>(record.index);
    EXPECT_EQ(record.scheduled_ns, i * 100'000'000);
    EXPECT_EQ(record.sent_ns, i * 500'000'000);
    EXPECT_EQ(record.done_ns, (i + 1) * 500'000'000);
    EXPECT_DOUBLE_EQ(*e2e_ms(record, true), *send_lag_ms(record) + *e2e_from_send_ms(record));
  }
  const Measurement m = summarize(window, workload, {true, 10}, {});
  EXPECT_DOUBLE_EQ(m.metrics.at("send_lag:mean"), 1800);
  EXPECT_DOUBLE_EQ(m.metrics.at("e2e:mean"), 2300);
  EXPECT_DOUBLE_EQ(m.metrics.at("e2e:max"), 4100);
  EXPECT_DOUBLE_EQ(m.metrics.at("e2e_from_send:mean"), 500);
  EXPECT_DOUBLE_EQ(m.metrics.at("ttft:max"), 4100) << "limits use the latency from the due time";
}

TEST(OpenLoop, AStalledServerShowsInTheLatencies) {
  // One server, 10 ms per request, and nothing at all between 1 s and 3 s: coordinated omission would hide
  // it.
  ScriptedEndpoint endpoint(
      [](const Request&, double served_ms) {
        const bool stalled = served_ms >= 1000 && served_ms < 3000;
        return ScriptedAnswer{stalled ? 3010 - served_ms : 10, 1, 1};
      },
      1);
  const Workload workload = open(Arrival::Constant, 500, {});
  const Window window = run(endpoint, workload, {true, 50});
  const Measurement m = summarize(window, workload, {true, 50}, {});
  EXPECT_GT(m.metrics.at("ttft:max"), 1900);
  EXPECT_GT(m.metrics.at("ttft:p90"), 1000) << "one in five requests was due during the stall";
  EXPECT_LT(m.metrics.at("ttft:p50"), 900);
}

TEST(OpenLoop, LeavesQueuedRequestsInTheRecords) {
  ScriptedEndpoint endpoint(always({500, 1, 1}));
  Workload workload = open(Arrival::Constant, {}, 2.0);
  workload.max_concurrency = 1;
  const Window window = run(endpoint, workload, {true, 10});
  EXPECT_EQ(window.records.size(), 20u);
  EXPECT_EQ(count(window, Outcome::Ok) + count(window, Outcome::Cancelled), 20u);
  const Measurement m = summarize(window, workload, {true, 10}, {});
  const bool said = std::any_of(m.findings.begin(), m.findings.end(),
                                [](const core::Finding& finding) { return finding.code == "saturated"; });
  EXPECT_TRUE(said);
}

TEST(OpenLoop, LastsItsDurationEvenWhenNothingIsLeftToSend) {
  ScriptedEndpoint endpoint(always({5, 1, 1}));
  const Window window = run(endpoint, open(Arrival::Constant, {}, 2.0), {true, 0.75});
  EXPECT_DOUBLE_EQ(window.measured_to_s, 2.0);
  EXPECT_EQ(window.records.size(), 2u);
}

TEST(GenerateLoad, RepeatsForASeedAndDiffersForAnother) {
  const auto submitted = [](std::uint64_t seed) {
    ScriptedEndpoint endpoint(always({10, 1, 1}));
    WindowOptions options;
    options.seed = seed;
    options.address.base_url = "http://x";
    options.address.model = "m";
    Workload workload = open(Arrival::Poisson, 50, {});
    workload.prompt_tokens = {LengthModel::Kind::Normal, 50, 20, 1, 200};
    const Window window = run(endpoint, workload, {true, 100}, options);
    std::vector<std::string> all;
    for (const Request& request : endpoint.submitted()) all.push_back(request.body);
    for (const RequestRecord& record : window.records) all.push_back(std::to_string(record.scheduled_ns));
    return all;
  };
  EXPECT_EQ(submitted(1), submitted(1));
  const auto one = submitted(1), two = submitted(2);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i], two[i]);
}

TEST(GenerateLoad, SendsTheSameRequestsWhateverTheDuration) {
  const auto first_bodies = [](std::optional<std::int64_t> requests, std::optional<double> duration_s) {
    ScriptedEndpoint endpoint(always({10, 1, 1}));
    WindowOptions options;
    options.address.base_url = "http://x";
    run(endpoint, closed(requests, duration_s), {false, 2}, options);
    std::vector<std::string> bodies;
    for (std::size_t i = 0; i < 20; ++i) bodies.push_back(endpoint.submitted()[i].body);
    return bodies;
  };
  EXPECT_EQ(first_bodies(40, {}), first_bodies({}, 1.0));
}

}  // namespace
}  // namespace paretune::load
