#include "paretune/load/prometheus.hpp"

#include <gtest/gtest.h>

#include "load/case_data.hpp"

namespace paretune::load {
namespace {

TEST(MetricsPage, ReadsNamesLabelsAndValues) {
  const MetricsPage page = parse_metrics_page(
      "# HELP a b\n# TYPE a counter\na 1\na_total{x=\"1\",y=\"q\\\"u}o,te\"} 2.5e3 1700000000\n"
      "b{} +Inf\nc NaN\nbroken\nbroken{x=\"1 5\n\r\nd{le=\"+Inf\",} 7\r\n");
  ASSERT_EQ(page.samples.size(), 5u);
  EXPECT_EQ(page.samples[1].labels.at("y"), "q\"u}o,te");
  EXPECT_EQ(page.sum("a_total"), 2500);
  EXPECT_EQ(page.sum("c"), std::nullopt) << "llama.cpp has sent nan";
  EXPECT_EQ(page.sum("d"), 7);
  EXPECT_EQ(page.sum("missing"), std::nullopt);
}

TEST(PrefixCacheHitRate, AddsUpEnginesAndKnowsWhenItDoesNotKnow) {
  const MetricsPage before = parse_metrics_page(read_case("33-metrics-before.txt"));
  const MetricsPage after = parse_metrics_page(read_case("33-metrics-after.txt"));
  const auto rate = prefix_cache_hit_rate(before, after);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(*rate, 0.460327, 1e-6);
  EXPECT_EQ(prefix_cache_hit_rate(after, before), std::nullopt);
  EXPECT_EQ(prefix_cache_hit_rate({}, after), std::nullopt);
}

TEST(ServerTokens, KnowsTheCountersOfSeveralEngines) {
  const MetricsPage llama =
      parse_metrics_page("llamacpp:prompt_tokens_total 12\nllamacpp:tokens_predicted_total 34\n");
  EXPECT_EQ(server_tokens(llama).prompt, 12);
  EXPECT_EQ(server_tokens(llama).generated, 34);
  const MetricsPage old = parse_metrics_page("vllm:generation_tokens_total{engine=\"0\"} 5\n");
  const MetricsPage now = parse_metrics_page("vllm:generation_tokens_total{engine=\"0\"} 25\n");
  EXPECT_EQ(server_token_growth(old, now).generated, 20);
  EXPECT_EQ(server_token_growth(old, now).prompt, std::nullopt);
  EXPECT_EQ(server_token_growth(now, old).generated, std::nullopt);
}

}  // namespace
}  // namespace paretune::load
