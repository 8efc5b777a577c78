#include "paretune/load/metric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace paretune::load {
namespace {

using ::testing::HasSubstr;

std::string name_of(std::string_view written) {
  const auto metric = parse_metric(written);
  return metric ? metric->name : "error: " + metric.error().message;
}

TEST(ParseMetric, ReadsEveryCanonicalNameAsItself) {
  std::set<std::string> seen;
  for (const std::string& name : metric_names()) {
    EXPECT_EQ(name_of(name), name);
    EXPECT_TRUE(seen.insert(name).second) << name;
  }
  for (const char* name :
       {"ttft:p95", "itl:max", "send_lag:p99", "event_gap:mean", "e2e_from_send:p50", "goodput",
        "quality_loss", "cost_per_million_tokens", "output_throughput_per_user"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(ParseMetric, UnderstandsTheNamesOfOtherTools) {
  EXPECT_EQ(name_of("p95_ttft_ms"), "ttft:p95");
  EXPECT_EQ(name_of("ttft_p95"), "ttft:p95");
  EXPECT_EQ(name_of("ttft_p95_ms"), "ttft:p95");
  EXPECT_EQ(name_of("p99_ttft"), "ttft:p99");
  EXPECT_EQ(name_of("mean_ttft_ms"), "ttft:mean");
  EXPECT_EQ(name_of("median_ttft_ms"), "ttft:p50");
  EXPECT_EQ(name_of("TTFT:P95"), "ttft:p95");
  EXPECT_EQ(name_of("p99_e2el_ms"), "e2e:p99");
  EXPECT_EQ(name_of("p99_send_lag_ms"), "send_lag:p99");
  EXPECT_EQ(name_of("e2e_from_send_p90"), "e2e_from_send:p90");
  EXPECT_EQ(name_of("time_to_first_token:p50"), "ttft:p50");
  EXPECT_EQ(name_of("max_tpot"), "tpot:max");
  EXPECT_EQ(name_of("tps"), "output_throughput");
  EXPECT_EQ(name_of("output_tps"), "output_throughput");
  EXPECT_EQ(name_of("qps"), "request_throughput");
  EXPECT_EQ(name_of("tput_per_gpu"), "output_throughput_per_gpu");
  EXPECT_EQ(name_of("error-rate"), "error_rate");
}

TEST(ParseMetric, KnowsUnitAndDirection) {
  EXPECT_EQ(parse_metric("ttft:p95")->unit, "ms");
  EXPECT_FALSE(parse_metric("ttft:p95")->higher_is_better);
  EXPECT_EQ(parse_metric("tps")->unit, "tok/s");
  EXPECT_TRUE(parse_metric("tps")->higher_is_better);
  EXPECT_EQ(parse_metric("goodput")->unit, "requests/s");
  EXPECT_FALSE(parse_metric("error_rate")->higher_is_better);
  EXPECT_FALSE(parse_metric("cost_per_million_tokens")->higher_is_better);
}

TEST(ParseMetric, RefusesALatencyWithoutAStatisticAndSaysHowToWriteIt) {
  for (const char* name : {"ttft", "e2e_latency", "itl_ms"}) {
    const auto metric = parse_metric(name);
    ASSERT_FALSE(metric.ok()) << name;
    EXPECT_THAT(metric.error().message, HasSubstr("needs a statistic"));
    EXPECT_THAT(metric.error().hint, HasSubstr(":p95"));
  }
}

TEST(ParseMetric, RefusesStatisticsThatAreNotMeasured) {
  for (const char* name : {"ttft:p42", "p999_ttft", "ttft:p99.9", "ttft:", "ttft:fast"}) {
    EXPECT_FALSE(parse_metric(name).ok()) << name;
  }
  EXPECT_THAT(parse_metric("ttft:p75").error().hint, HasSubstr("p90"));
}

TEST(ParseMetric, SuggestsTheNearestName) {
  EXPECT_THAT(parse_metric("output_thoughput").error().hint, HasSubstr("output_throughput"));
  EXPECT_THAT(parse_metric("gooput").error().hint, HasSubstr("goodput"));
  EXPECT_THAT(parse_metric("tfft:p95").error().hint, HasSubstr("ttft:p95"));
  EXPECT_THAT(parse_metric("zzzzzzzz").error().hint, HasSubstr("known metrics"));
  EXPECT_FALSE(parse_metric("").ok());
  EXPECT_FALSE(parse_metric("goodput:p95").ok());
}

double value_of(std::string_view text) {
  const auto bound = parse_bound(text);
  EXPECT_TRUE(bound.ok()) << text << ": " << (bound ? "" : bound.error().message);
  return bound ? bound->value : -1;
}

TEST(ParseBound, BringsEveryUnitToTheUnitOfFiles) {
  EXPECT_DOUBLE_EQ(value_of("ttft:p95 <= 200ms"), 200);
  EXPECT_DOUBLE_EQ(value_of("ttft:p95<=200"), 200);
  EXPECT_DOUBLE_EQ(value_of("p95_ttft_ms <= 0.2 s"), 200);
  EXPECT_DOUBLE_EQ(value_of("tpot:mean <= 1500us"), 1.5);
  EXPECT_DOUBLE_EQ(value_of("error_rate <= 1%"), 0.01);
  EXPECT_DOUBLE_EQ(value_of("error_rate <= 0.01"), 0.01);
  EXPECT_DOUBLE_EQ(value_of("output_throughput >= 500 tok/s"), 500);
  EXPECT_DOUBLE_EQ(value_of("qps >= 2.5 requests/s"), 2.5);
  EXPECT_DOUBLE_EQ(value_of("concurrency <= 1e2"), 100);
  EXPECT_DOUBLE_EQ(value_of("cost_per_million_tokens <= 1.75"), 1.75);
}

TEST(ParseBound, KnowsWhichSideIsBounded) {
  EXPECT_TRUE(parse_bound("ttft:p95 <= 200ms")->upper);
  EXPECT_TRUE(parse_bound("ttft:p95 < 200ms")->upper);
  EXPECT_FALSE(parse_bound("tps >= 10")->upper);
  EXPECT_FALSE(parse_bound("tps > 10")->upper);
}

TEST(ParseBound, RefusesWhatCannotBeMeant) {
  for (const char* text :
       {"", "ttft:p95", "ttft:p95 <=", "<= 5", "ttft:p95 == 5", "ttft:p95 = 5", "ttft <= 200ms",
        "ttft:p95 <= fast", "ttft:p95 <= 5%", "error_rate <= 5ms", "tps >= 5 requests/s", "ttft:p95 <= -1",
        "ttft:p95 <= nan", "ttft:p95 <= 5 <= 6", "concurrency <= 5ms", "ttft:p95 <= 1e999"}) {
    EXPECT_FALSE(parse_bound(text).ok()) << text;
  }
  EXPECT_THAT(parse_bound("error_rate <= 5").error().hint, HasSubstr("5%"));
}

TEST(ParseBound, WritesTextThatReadsBack) {
  for (const char* text : {"ttft:p95 <= 200ms", "output_throughput >= 500.5", "error_rate <= 0.01"}) {
    const Bound bound = *parse_bound(text);
    EXPECT_EQ(to_text(bound), text);
    EXPECT_EQ(parse_bound(to_text(bound))->value, bound.value);
  }
}

TEST(ParseRequestBound, HasNoStatistic) {
  EXPECT_EQ(parse_request_bound("ttft <= 200ms")->metric.name, "ttft");
  EXPECT_DOUBLE_EQ(parse_request_bound("e2e <= 10s")->value, 10000);
  EXPECT_DOUBLE_EQ(parse_request_bound("tpot<=50")->value, 50);
  EXPECT_EQ(parse_request_bound("e2el <= 10s")->metric.name, "e2e");
  const auto with_statistic = parse_request_bound("ttft:p95 <= 200ms");
  ASSERT_FALSE(with_statistic.ok());
  EXPECT_THAT(with_statistic.error().hint, HasSubstr("ttft <= 200ms"));
  for (const char* text : {"goodput <= 5", "ttft >= 5", "send_lag <= 5", "ttft", ""}) {
    EXPECT_FALSE(parse_request_bound(text).ok()) << text;
  }
  EXPECT_EQ(to_text(*parse_request_bound("ttft <= 0.2s")), "ttft <= 200ms");
}

}  // namespace
}  // namespace paretune::load
