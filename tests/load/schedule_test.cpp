#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "paretune/load/arrival.hpp"
#include "paretune/load/prompts.hpp"

namespace paretune::load {
namespace {

std::vector<double> gaps_of(Arrival arrival, double burstiness, double rate, std::size_t n) {
  ArrivalProcess process(arrival, burstiness, rate, 7);
  std::vector<double> gaps;
  double before = process.next_s();
  for (std::size_t i = 0; i < n; ++i) {
    const double now = process.next_s();
    gaps.push_back(now - before);
    before = now;
  }
  return gaps;
}

struct Moments {
  double mean = 0;
  double cv2 = 0;  ///< squared coefficient of variation
};

Moments moments_of(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / n / (mean * mean)};
}

TEST(ArrivalProcess, ConstantIsExactAndNeverDrifts) {
  ArrivalProcess process(Arrival::Constant, 1, 3, 1);
  for (int i = 0; i < 300; ++i) EXPECT_DOUBLE_EQ(process.next_s(), i / 3.0);
}

TEST(ArrivalProcess, PoissonHasTheAskedRateAndUnitVariation) {
  const Moments moments = moments_of(gaps_of(Arrival::Poisson, 1, 50, 200'000));
  EXPECT_NEAR(moments.mean, 1 / 50.0, 2e-4);
  EXPECT_NEAR(moments.cv2, 1, 0.03);
}

TEST(ArrivalProcess, GammaHasVariationOneOverBurstiness) {
  for (const double shape : {0.25, 1.0, 4.0}) {
    const Moments moments = moments_of(gaps_of(Arrival::Gamma, shape, 10, 200'000));
    EXPECT_NEAR(moments.mean, 0.1, 0.002) << shape;
    EXPECT_NEAR(moments.cv2, 1 / shape, 0.05 / shape) << shape;
  }
}

TEST(ArrivalProcess, RepeatsForASeedAndDiffersForAnother) {
  ArrivalProcess a(Arrival::Poisson, 1, 10, 1), b(Arrival::Poisson, 1, 10, 1), c(Arrival::Poisson, 1, 10, 2);
  const double first = a.next_s();
  EXPECT_EQ(first, b.next_s());
  EXPECT_NE(first, c.next_s());
}

TEST(ArrivalTimes, EndAtTheDurationOrTheNumberOfRequests) {
  Workload workload;
  workload.rate = {10};
  workload.arrival = Arrival::Constant;
  workload.warmup_s = 1;
  workload.duration_s = 2;
  EXPECT_EQ(arrival_times_s(workload, 10, 1).size(), 30u);
  workload.requests = 5;
  EXPECT_EQ(arrival_times_s(workload, 10, 1).size(), 15u) << "10 in the warm-up, 5 measured";
  workload.duration_s.reset();
  EXPECT_EQ(arrival_times_s(workload, 10, 1).size(), 15u);
}

TEST(DrawLength, StaysInItsBounds) {
  core::Random random(1);
  const LengthModel normal{LengthModel::Kind::Normal, 100, 50, 80, 120};
  const LengthModel uniform{LengthModel::Kind::Uniform, 0, 0, 5, 7};
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t length = draw_length(normal, random);
    EXPECT_GE(length, 80u);
    EXPECT_LE(length, 120u);
    seen.insert(draw_length(uniform, random));
  }
  EXPECT_EQ(seen, (std::set<std::uint32_t>{5, 6, 7}));
  EXPECT_EQ(draw_length({LengthModel::Kind::Fixed, 42, 0, 1, 100}, random), 42u);
  const LengthModel far_out{LengthModel::Kind::Normal, 100, 1, 500, 600};
  EXPECT_EQ(draw_length(far_out, random), 500u) << "ends, even if no draw can fit";
}

std::size_t words_in(const std::string& text) {
  std::istringstream words(text);
  return static_cast<std::size_t>(
      std::distance(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()));
}

TEST(MakePrompt, HasTheAskedWordsAndIsTheSameEverywhere) {
  for (const std::uint32_t n : {1u, 2u, 7u, 8u, 100u}) EXPECT_EQ(words_in(make_prompt(1, 0, n)), n);
  // Pinned: a change here changes every stored measurement's workload.
  EXPECT_EQ(make_prompt(1, 0, 8), make_prompt(1, 0, 8));
  EXPECT_EQ(make_prompt(1, 0, 4), make_prompt(1, 0, 8).substr(0, make_prompt(1, 0, 4).size()));
}

TEST(MakePrompt, SharesNoPrefixWithinAndBetweenWindows) {
  std::vector<std::string> prompts;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (std::uint64_t index = 0; index < 2000; ++index) prompts.push_back(make_prompt(seed, index, 50));
  }
  std::sort(prompts.begin(), prompts.end());
  std::size_t longest = 0;
  for (std::size_t i = 1; i < prompts.size(); ++i) {
    const auto [end, other] = std::mismatch(prompts[i].begin(), prompts[i].end(), prompts[i - 1].begin());
    longest = std::max(longest, words_in(std::string(prompts[i].begin(), end)));
  }
  EXPECT_LE(longest, 5u) << "words in common at the start of two of 4000 prompts";
}

TEST(MakeBody, AsksForAStreamWithUsage) {
  Workload workload;
  const auto chat = nlohmann::json::parse(make_body(Api::Chat, "m\"x", "a b", 7, workload));
  EXPECT_EQ(chat["model"], "m\"x");
  EXPECT_EQ(chat["messages"][0]["content"], "a b");
  EXPECT_EQ(chat["max_tokens"], 7);
  EXPECT_EQ(chat["stream"], true);
  EXPECT_EQ(chat["stream_options"]["include_usage"], true);
  EXPECT_EQ(chat["ignore_eos"], true);
  workload.ignore_eos = false;
  workload.temperature = 0.5;
  const auto plain = nlohmann::json::parse(make_body(Api::Completions, "m", "a b", 7, workload));
  EXPECT_EQ(plain["prompt"], "a b");
  EXPECT_FALSE(plain.contains("ignore_eos"));
  EXPECT_EQ(plain["temperature"], 0.5);
}

}  // namespace
}  // namespace paretune::load
