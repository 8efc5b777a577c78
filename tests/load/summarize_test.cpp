#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/case_data.hpp"
#include "load/interval.hpp"
#include "paretune/core/random.hpp"
#include "paretune/load/measure.hpp"

namespace paretune::load {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// A successful request: sent at `sent_ms`, first token after `ttft_ms`, then `tokens` tokens every `gap_ms`.
RequestRecord ok_request(double sent_ms, double ttft_ms, std::uint32_t tokens, double gap_ms) {
  RequestRecord record;
  const auto ns = [](double ms) { return static_cast<std::int64_t>(ms * 1e6); };
  record.outcome = Outcome::Ok;
  record.scheduled_ns = record.sent_ns = ns(sent_ms);
  record.first_byte_ns = record.first_token_ns = ns(sent_ms + ttft_ms);
  for (std::uint32_t i = 0; i < tokens; ++i) record.events.push_back({ns(sent_ms + ttft_ms + i * gap_ms), 1});
  record.last_token_ns = record.done_ns = record.events.back().time_ns;
  record.output_tokens = record.requested_output_tokens = tokens;
  record.prompt_tokens = record.requested_prompt_tokens = 10;
  record.token_source = TokenSource::Usage;
  return record;
}

RequestRecord failed_request(double sent_ms, Outcome outcome = Outcome::Connect) {
  RequestRecord record;
  record.outcome = outcome;
  record.scheduled_ns = record.sent_ns = static_cast<std::int64_t>(sent_ms * 1e6);
  record.done_ns = record.sent_ns + kMs;
  record.error = "refused";
  return record;
}

Window window_of(std::vector<RequestRecord> records, double to_s = 10) {
  Window window;
  window.records = std::move(records);
  for (std::size_t i = 0; i < window.records.size(); ++i) window.records[i].index = i;
  window.measured_to_s = to_s;
  return window;
}

Measurement summary_of(const Window& window, const Workload& workload = {}, SummaryOptions options = {}) {
  return summarize(window, workload, {false, 1}, options);
}

bool has_finding(const Measurement& m, const std::string& code) {
  return std::any_of(m.findings.begin(), m.findings.end(),
                     [&](const auto& finding) { return finding.code == code; });
}

TEST(Percentile, InterpolatesLinearlyAsNumpyDoes) {
  const auto values = read_case_json("35-percentiles.json");
  const auto expected = read_case_json("35-percentiles.expected.json");
  for (const auto& [name, list] : values.items()) {
    auto sorted = list.get<std::vector<double>>();
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [percent, methods] : expected.at(name).items()) {
      EXPECT_NEAR(percentile(sorted, std::stod(percent)), methods.at("linear").get<double>(), 1e-9)
          << name << percent;
    }
  }
  const std::vector<double> none;
  EXPECT_THROW(percentile(none, 50), std::invalid_argument);
}

TEST(Percentile, NeverLeavesTheRange) {
  core::Random random(3);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> values(1 + random.index(20));
    for (double& value : values) value = random.normal();
    std::sort(values.begin(), values.end());
    const double result = percentile(values, random.uniform(0, 100));
    EXPECT_GE(result, values.front());
    EXPECT_LE(result, values.back());
  }
}

TEST(Summarize, LeavesOneTokenAnswersOutOfTpot) {
  const Measurement m =
      summary_of(window_of({ok_request(0, 80, 1, 0), ok_request(0, 80, 11, 10), ok_request(0, 80, 5, 20)}));
  EXPECT_DOUBLE_EQ(m.metrics.at("tpot:mean"), 15);
  EXPECT_DOUBLE_EQ(m.metrics.at("output_throughput_per_user"), 1000 / 15.0);
  EXPECT_DOUBLE_EQ(m.metrics.at("ttft:mean"), 80);
}

TEST(Summarize, NeverAveragesFailuresIn) {
  const Measurement with = summary_of(window_of({ok_request(0, 50, 3, 10), failed_request(1),
                                                 failed_request(2), failed_request(3, Outcome::TimeoutGap)}));
  EXPECT_DOUBLE_EQ(with.metrics.at("ttft:p50"), 50);
  EXPECT_DOUBLE_EQ(with.metrics.at("ttft:mean"), 50);
  EXPECT_DOUBLE_EQ(with.metrics.at("error_rate"), 0.75);
  EXPECT_EQ(with.failures.at("connect"), 2u);
  EXPECT_EQ(with.failures.at("timeout_gap"), 1u);
  EXPECT_EQ(with.first_error, "refused");
}

TEST(Summarize, CountsErrorsAgainstAttainmentAndLeavesOutWhatCannotBeJudged) {
  const auto input = read_case_json("61-attainment.json");
  const auto expected = read_case_json("61-attainment.expected.json");
  std::vector<RequestRecord> records;
  for (const auto& request : input.at("requests")) {
    const std::string status = request.at("s");
    if (status == "error") {
      records.push_back(failed_request(0));
    } else if (status == "ok") {
      const bool one = request.at("tpot").is_null();
      records.push_back(
          ok_request(0, request.at("ttft"), one ? 1 : 5, one ? 0.0 : request.at("tpot").get<double>()));
    } else {
      records.push_back(failed_request(0, Outcome::Cancelled));
    }
  }
  Workload workload;
  workload.slo = {*parse_request_bound("ttft <= 200"), *parse_request_bound("tpot <= 50")};
  const Measurement m = summary_of(window_of(std::move(records), input.at("window_s")), workload);
  ASSERT_TRUE(m.attainment);
  EXPECT_EQ(m.attainment->counted, expected.at("counted"));
  EXPECT_EQ(m.attainment->conforming, expected.at("conforming"));
  EXPECT_EQ(m.attainment->left_out, 2u);
  EXPECT_DOUBLE_EQ(m.metrics.at("goodput"), expected.at("goodput_rps").get<double>());
}

TEST(Summarize, HasGoodputOnlyWithBounds) {
  EXPECT_FALSE(summary_of(window_of({ok_request(0, 1, 2, 1)})).metrics.contains("goodput"));
  Workload workload;
  workload.slo = {*parse_request_bound("itl <= 20")};
  RequestRecord stalls = ok_request(0, 10, 20, 10);
  stalls.events.back().time_ns += 15 * kMs;
  stalls.last_token_ns = stalls.done_ns = stalls.events.back().time_ns;
  const Measurement m = summary_of(window_of({ok_request(0, 10, 20, 10), stalls}), workload);
  EXPECT_DOUBLE_EQ(m.metrics.at("goodput"), 0.1) << "an itl bound holds for every gap";
}

TEST(Summarize, CountsTokensByTheTimeTheyCame) {
  RequestRecord warm = ok_request(0, 500, 10, 100);  // tokens at 0.5 … 1.4 s
  warm.warmup = true;
  Window window = window_of({warm, ok_request(1000, 500, 10, 100)}, 3);
  window.measured_from_s = 1;
  const Measurement m = summary_of(window);
  EXPECT_EQ(m.ok, 1u);
  EXPECT_DOUBLE_EQ(m.metrics.at("output_throughput"), (5 + 10) / 2.0);
  EXPECT_DOUBLE_EQ(m.metrics.at("total_throughput"), (5 + 10 + 10) / 2.0)
      << "the warm-up prompt was read before";
  EXPECT_DOUBLE_EQ(m.metrics.at("request_throughput"), 1.0);
  EXPECT_DOUBLE_EQ(m.metrics.at("ttft:max"), 500);
  EXPECT_DOUBLE_EQ(m.metrics.at("concurrency"), (0.4 + 1.4) / 2);
}

TEST(Summarize, WeighsInterTokenGapsByTokens) {
  RequestRecord record = ok_request(0, 100, 3, 10);
  record.events = {{100 * kMs, 1}, {110 * kMs, 1}, {140 * kMs, 3}};
  record.last_token_ns = 140 * kMs;
  record.output_tokens = 5;
  const Measurement m = summary_of(window_of({record}));
  EXPECT_DOUBLE_EQ(m.metrics.at("itl:mean"), 10);
  EXPECT_DOUBLE_EQ(m.metrics.at("event_gap:mean"), 20);
  EXPECT_DOUBLE_EQ(m.metrics.at("event_gap:max"), 30);
  EXPECT_DOUBLE_EQ(m.metrics.at("tpot:mean"), 10);
}

TEST(Summarize, ComputesCostAndPerGpuFromTheOutputTokens) {
  const Measurement m = summary_of(window_of({ok_request(0, 100, 1000, 1)}), {}, {4.0, 2.5});
  EXPECT_DOUBLE_EQ(m.metrics.at("gpus"), 4);
  EXPECT_DOUBLE_EQ(m.metrics.at("output_throughput_per_gpu"), 25);
  EXPECT_DOUBLE_EQ(m.metrics.at("cost_per_million_tokens"), 2.5 * 4 / 3600 / 100 * 1e6);
  const Measurement without = summary_of(window_of({ok_request(0, 100, 1000, 1)}));
  EXPECT_FALSE(without.metrics.contains("gpus"));
  EXPECT_FALSE(without.metrics.contains("cost_per_million_tokens"));
  const Measurement nothing = summary_of(window_of({failed_request(0)}), {}, {4.0, 2.5});
  EXPECT_FALSE(nothing.metrics.contains("cost_per_million_tokens")) << "no tokens: no cost per token";
}

TEST(Summarize, AnEmptyWindowKnowsNothing) {
  const Measurement m = summary_of(window_of({}, 0));
  EXPECT_TRUE(m.metrics.empty());
  EXPECT_TRUE(has_finding(m, "no_success"));
}

TEST(Summarize, OnlyKnownMetricNamesComeOut) {
  Workload workload;
  workload.slo = {*parse_request_bound("ttft <= 200")};
  std::vector<RequestRecord> records;
  for (int i = 0; i < 40; ++i) records.push_back(ok_request(i * 100, 50 + i, 10, 10));
  const Measurement m = summary_of(window_of(records), workload, {1.0, 1.0});
  for (const auto& [name, value] : m.metrics) {
    EXPECT_TRUE(parse_metric(name).ok()) << name;
    EXPECT_TRUE(std::isfinite(value)) << name;
  }
  for (const auto& [name, bounds] : m.ci95) EXPECT_TRUE(m.metrics.contains(name)) << name;
  EXPECT_EQ(m.metrics.size() + 1, metric_names().size()) << "all but quality_loss";
}

TEST(Findings, NameAnswersThatCameInOnePiece) {
  RequestRecord held = ok_request(0, 500, 20, 0);
  const Measurement m = summary_of(window_of({held}));
  EXPECT_TRUE(has_finding(m, "bundled"));
  EXPECT_FALSE(m.metrics.contains("tpot:mean"));
  EXPECT_FALSE(m.metrics.contains("itl:p50"));
  EXPECT_TRUE(m.metrics.contains("ttft:mean"));
}

TEST(Findings, NameWrongLengthsAndMissingCounts) {
  RequestRecord stopped = ok_request(0, 10, 20, 1);
  stopped.requested_output_tokens = 64;
  EXPECT_TRUE(has_finding(summary_of(window_of({stopped})), "short_outputs"));
  RequestRecord longer = ok_request(0, 10, 64, 1);
  longer.requested_output_tokens = 20;
  EXPECT_TRUE(has_finding(summary_of(window_of({longer})), "osl_mismatch"));
  RequestRecord estimated = ok_request(0, 10, 20, 1);
  estimated.token_source = TokenSource::Events;
  EXPECT_TRUE(has_finding(summary_of(window_of({estimated})), "usage_missing"));
  RequestRecord cached = ok_request(0, 10, 20, 1);
  cached.cached_prompt_tokens = 5;
  EXPECT_TRUE(has_finding(summary_of(window_of({cached})), "cache_assisted"));
  cached.prompt_tokens = 15;
  EXPECT_FALSE(has_finding(summary_of(window_of({cached})), "cache_assisted"))
      << "5 tokens of a chat template";
  RequestRecord open_end = ok_request(0, 10, 20, 1);
  open_end.missing_done = true;
  EXPECT_TRUE(has_finding(summary_of(window_of({open_end})), "missing_done"));
  const Measurement fine = summary_of(window_of(std::vector<RequestRecord>(200, ok_request(0, 10, 20, 1))));
  EXPECT_TRUE(fine.findings.empty()) << fine.findings[0].code;
}

TEST(Findings, MarkFewRequestsAndABusyClient) {
  EXPECT_TRUE(has_finding(summary_of(window_of({ok_request(0, 10, 20, 1)})), "too_short"));
  EXPECT_TRUE(has_finding(summary_of(window_of(std::vector<RequestRecord>(50, ok_request(0, 10, 20, 1)))),
                          "few_for_p99"));
  Window busy = window_of(std::vector<RequestRecord>(200, ok_request(0, 10, 20, 1)));
  busy.client_cpu_s = 9.9;
  const Measurement m = summary_of(busy);
  ASSERT_TRUE(has_finding(m, "client_limited"));
  EXPECT_TRUE(m.findings[0].invalidates);
}

TEST(Findings, DoNotCallTheClientBusyForSettingUpAVeryShortWindow) {
  Window blink = window_of(std::vector<RequestRecord>(200, ok_request(0, 10, 20, 1)));
  blink.measured_from_s = 0;
  blink.measured_to_s = 0.05;
  blink.client_cpu_s = 0.049;
  EXPECT_FALSE(has_finding(summary_of(blink), "client_limited"));
}

TEST(Intervals, NeedTwentyRequestsAndHoldTheValue) {
  core::Random random(5);
  std::vector<RequestRecord> records;
  for (int i = 0; i < 400; ++i) records.push_back(ok_request(i * 25, 50 + 10 * random.normal(), 10, 10));
  const Measurement m = summary_of(window_of(records));
  for (const char* name :
       {"ttft:mean", "ttft:p50", "ttft:p95", "e2e:p95", "output_throughput", "request_throughput"}) {
    ASSERT_TRUE(m.ci95.contains(name)) << name;
    const auto [low, high] = m.ci95.at(name);
    EXPECT_LE(low, m.metrics.at(name)) << name;
    EXPECT_GE(high, m.metrics.at(name)) << name;
    EXPECT_LT(high - low, 0.2 * m.metrics.at(name)) << name;
  }
  // The mean of 400 draws with sd 10 has a standard error of 0.5.
  const auto [low, high] = m.ci95.at("ttft:mean");
  EXPECT_NEAR(high - low, 2 * 1.96 * 0.5, 0.7);
  records.resize(19);
  EXPECT_TRUE(summary_of(window_of(records)).ci95.empty());
}

TEST(Intervals, CoverTheTruthAboutAsOftenAsTheySay) {
  core::Random random(11);
  int covered = 0;
  constexpr int kWindows = 200;
  for (int w = 0; w < kWindows; ++w) {
    std::vector<RequestRecord> records;
    for (int i = 0; i < 60; ++i) records.push_back(ok_request(i * 10, 100 * random.exponential(), 1, 1));
    const Measurement m = summary_of(window_of(std::move(records), 0.6));
    const auto [low, high] = m.ci95.at("ttft:mean");
    if (low <= 100 && 100 <= high) ++covered;
  }
  EXPECT_GE(covered, 170);
  EXPECT_LT(covered, kWindows);
}

TEST(Intervals, AreTheSameForTheSameRecords) {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 50; ++i) records.push_back(ok_request(i * 10, 50 + i % 7, 5, 3));
  EXPECT_EQ(summary_of(window_of(records)).ci95, summary_of(window_of(records)).ci95);
}

}  // namespace
}  // namespace paretune::load
