#include "paretune/sim/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "paretune/core/random.hpp"
#include "sim/support.hpp"

namespace paretune::sim {
namespace {

using test::plain_config;
using test::request;
using test::run_to_end;

const StepModel kModel{SimOptions{}};

std::map<std::uint64_t, std::vector<Emission>> by_request(const std::vector<Emission>& emissions) {
  std::map<std::uint64_t, std::vector<Emission>> result;
  for (const Emission& emission : emissions) result[emission.id].push_back(emission);
  return result;
}

/// Submits requests with seeded lengths, all within `spread_s`.
void submit_random(Scheduler& scheduler, core::Random& random, std::uint64_t count, double spread_s,
                   std::uint32_t max_prompt, std::uint32_t max_output) {
  for (std::uint64_t id = 1; id <= count; ++id) {
    scheduler.submit(request(id, static_cast<std::uint32_t>(1 + random.index(max_prompt)),
                             static_cast<std::uint32_t>(1 + random.index(max_output))),
                     static_cast<Nanoseconds>(random.uniform(0, spread_s) * 1e9));
  }
}

TEST(Scheduler, GivesOneRequestItsTokensAtStepEnds) {
  Scheduler scheduler(plain_config(), kModel);
  scheduler.submit(request(1, 100, 3), 1'000'000);
  const auto tokens = run_to_end(scheduler);
  ASSERT_EQ(tokens.size(), 3U);
  StepLoad first;
  first.prefill_sequences = 1;
  first.prefill_tokens = 100;
  first.prefill_attention_pairs = 100 * 50.0;
  EXPECT_NEAR(static_cast<double>(tokens[0].time_ns), 1e6 + 2e6 + kModel.seconds(first) * 1e9, 2);
  StepLoad second;
  second.decode_sequences = 1;
  second.decode_context_tokens = 100;
  EXPECT_NEAR(static_cast<double>(tokens[1].time_ns - tokens[0].time_ns), kModel.seconds(second) * 1e9, 2);
  EXPECT_FALSE(tokens[1].last);
  EXPECT_TRUE(tokens[2].last);
  EXPECT_EQ(scheduler.open_requests(), 0U);
  EXPECT_FALSE(scheduler.next_event_ns().has_value());
}

TEST(Scheduler, ConservesTokensUnderPreemptionAndChunking) {
  for (const bool chunked : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      core::Random random(seed);
      SchedulerConfig config = plain_config();
      config.chunked_prefill = chunked;
      config.max_sequences = 24;
      config.max_batched_tokens = chunked ? 96 : 512;
      config.kv_blocks = 70;  // tight: 1,120 tokens
      config.step_jitter = 0.05;
      config.seed = seed;
      Scheduler scheduler(config, kModel);
      std::map<std::uint64_t, std::uint32_t> wanted;
      std::uint64_t prompts = 0;
      for (std::uint64_t id = 1; id <= 120; ++id) {
        const auto prompt = static_cast<std::uint32_t>(1 + random.index(300));
        const auto output = static_cast<std::uint32_t>(1 + random.index(200));
        wanted[id] = output;
        prompts += prompt;
        scheduler.submit(request(id, prompt, output), static_cast<Nanoseconds>(random.uniform(0, 2e9)));
      }
      std::vector<Emission> all;
      while (const auto next = scheduler.next_event_ns()) {
        scheduler.advance(*next, all);
        ASSERT_LE(scheduler.counters().kv_usage, 1.0);
        ASSERT_LE(scheduler.counters().running, 24U);
      }
      std::uint64_t tokens = 0;
      for (const auto& [id, emissions] : by_request(all)) {
        ASSERT_EQ(emissions.size(), wanted[id]) << "request " << id;
        for (std::uint32_t i = 0; i < emissions.size(); ++i) {
          ASSERT_EQ(emissions[i].index, i);
          ASSERT_EQ(emissions[i].last, i + 1 == emissions.size());
          if (i > 0) {
            ASSERT_GT(emissions[i].time_ns, emissions[i - 1].time_ns);
          }
        }
        tokens += emissions.size();
      }
      ASSERT_EQ(by_request(all).size(), 120U);
      const EngineCounters counters = scheduler.counters();
      EXPECT_EQ(counters.generation_tokens, tokens);
      EXPECT_EQ(counters.prompt_tokens, prompts);
      EXPECT_GT(counters.preemptions, 0U) << "the case must exercise preemption";
      EXPECT_EQ(counters.kv_usage, 0.0);
      EXPECT_EQ(counters.running + counters.waiting, 0U);
    }
  }
}

TEST(Scheduler, EmitsInOrderOfTimeAndServesFirstComeFirst) {
  SchedulerConfig config = plain_config();
  config.max_sequences = 4;
  Scheduler scheduler(config, kModel);
  for (std::uint64_t id = 1; id <= 40; ++id) {
    scheduler.submit(request(id, 50, 20), static_cast<Nanoseconds>(id * 1000));
  }
  const auto all = run_to_end(scheduler);
  Nanoseconds last = 0;
  std::uint64_t first_tokens = 0;
  for (const Emission& emission : all) {
    ASSERT_GE(emission.time_ns, last);
    last = emission.time_ns;
    if (emission.index == 0) {
      ASSERT_EQ(emission.id, ++first_tokens) << "nobody overtakes";
    }
  }
}

TEST(Scheduler, LetsALongPromptNotStarveOthers) {
  SchedulerConfig config = plain_config();
  config.max_batched_tokens = 512;
  Scheduler scheduler(config, kModel);
  scheduler.submit(request(1, 20, 400), 0);
  scheduler.submit(request(2, 40'000, 5), 100'000'000);
  const auto tokens = by_request(run_to_end(scheduler));
  ASSERT_EQ(tokens.at(2).size(), 5U);
  Nanoseconds worst = 0;
  for (std::size_t i = 1; i < 400; ++i) {
    worst = std::max(worst, tokens.at(1)[i].time_ns - tokens.at(1)[i - 1].time_ns);
  }
  // Chunks of 512 tokens stretch a step a little; the prompt as a whole takes seconds.
  EXPECT_LT(worst, 80'000'000);
  EXPECT_GT(tokens.at(2)[0].time_ns, 1'000'000'000);
}

TEST(Scheduler, StallsDecodingForWholePromptsWithoutChunks) {
  SchedulerConfig config = plain_config();
  config.chunked_prefill = false;
  config.max_batched_tokens = 50'000;
  Scheduler scheduler(config, kModel);
  scheduler.submit(request(1, 20, 400), 0);
  scheduler.submit(request(2, 40'000, 5), 100'000'000);
  const auto tokens = by_request(run_to_end(scheduler));
  Nanoseconds worst = 0;
  for (std::size_t i = 1; i < 400; ++i) {
    worst = std::max(worst, tokens.at(1)[i].time_ns - tokens.at(1)[i - 1].time_ns);
  }
  EXPECT_GT(worst, 1'000'000'000);
}

TEST(Scheduler, RepeatsItselfForASeedAndDiffersForAnother) {
  const auto run = [](std::uint64_t seed) {
    SchedulerConfig config = plain_config();
    config.step_jitter = 0.03;
    config.seed = seed;
    Scheduler scheduler(config, kModel);
    core::Random random(3);
    submit_random(scheduler, random, 50, 1.0, 200, 100);
    std::vector<Nanoseconds> times;
    for (const Emission& emission : run_to_end(scheduler)) times.push_back(emission.time_ns);
    return times;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Scheduler, DoesNotDependOnHowOftenItIsAdvanced) {
  const auto run = [](Nanoseconds stride) {
    SchedulerConfig config = plain_config();
    config.step_jitter = 0.03;
    Scheduler scheduler(config, kModel);
    core::Random random(5);
    submit_random(scheduler, random, 40, 0.5, 300, 60);
    std::vector<Emission> all;
    for (Nanoseconds time = 0; scheduler.next_event_ns(); time += stride) scheduler.advance(time, all);
    std::vector<std::pair<std::uint64_t, Nanoseconds>> result;
    for (const Emission& emission : all) result.emplace_back(emission.id, emission.time_ns);
    return result;
  };
  EXPECT_EQ(run(1'000'000), run(777'777'777));
}

TEST(Scheduler, ObeysLittlesLaw) {
  // Poisson arrivals below saturation: mean number in the system = arrival rate x mean time in the system.
  SchedulerConfig config = plain_config();
  config.step_jitter = 0.03;
  Scheduler scheduler(config, kModel);
  core::Random random(11);
  std::map<std::uint64_t, Nanoseconds> arrived;
  double time = 0;
  constexpr double kRate = 12;
  constexpr std::uint64_t kCount = 3000;
  for (std::uint64_t id = 1; id <= kCount; ++id) {
    time += random.exponential() / kRate;
    arrived[id] = static_cast<Nanoseconds>(time * 1e9);
    scheduler.submit(request(id, 200, 100), arrived[id]);
  }
  std::vector<Emission> all;
  double area = 0, sojourn = 0;  // request-seconds by sampling the state, and by stamps
  Nanoseconds last = 0;
  std::uint64_t seen = 0;
  std::size_t in_system = 0;
  auto arrival = arrived.begin();
  while (const auto next = scheduler.next_event_ns()) {
    all.clear();
    scheduler.advance(*next, all);
    for (; arrival != arrived.end() && arrival->second <= *next; ++arrival) {
      area += static_cast<double>(in_system) * static_cast<double>(arrival->second - last);
      last = arrival->second;
      ++in_system;
    }
    area += static_cast<double>(in_system) * static_cast<double>(*next - last);
    last = *next;
    for (const Emission& emission : all) {
      if (!emission.last) continue;
      ++seen;
      --in_system;
      sojourn += static_cast<double>(emission.time_ns - arrived[emission.id]) * 1e-9;
    }
  }
  ASSERT_EQ(seen, kCount);
  const double total_s = static_cast<double>(last) * 1e-9;
  const double mean_number = area * 1e-9 / total_s;
  const double rate = static_cast<double>(kCount) / total_s;
  EXPECT_NEAR(mean_number, rate * sojourn / kCount, 0.02 * mean_number);
  EXPECT_GT(mean_number, 5);
}

TEST(Scheduler, SkipsCachedPrefixesAndCountsThem) {
  const auto first_token_delay = [](bool caching, std::uint32_t& cached) {
    SchedulerConfig config = plain_config();
    config.prefix_caching = caching;
    Scheduler scheduler(config, kModel);
    EngineRequest one = request(1, 1000, 2);
    for (std::uint64_t i = 1; i <= 62; ++i) one.block_hashes.push_back(i);
    EngineRequest two = one;
    two.id = 2;
    scheduler.submit(one, 0);
    run_to_end(scheduler);
    const Nanoseconds start = 10'000'000'000;
    scheduler.submit(two, start);
    const auto tokens = run_to_end(scheduler);
    cached = tokens[0].cached_prompt_tokens;
    EXPECT_EQ(scheduler.counters().prefix_queries, caching ? 2000U : 0U);
    EXPECT_EQ(scheduler.counters().prefix_hits, caching ? 992U : 0U);
    return tokens[0].time_ns - start;
  };
  std::uint32_t with = 0, without = 0;
  EXPECT_LT(first_token_delay(true, with), first_token_delay(false, without) / 2);
  EXPECT_EQ(with, 992U);
  EXPECT_EQ(without, 0U);
}

TEST(Scheduler, ComputesAtLeastOneTokenOfAFullyCachedPrompt) {
  SchedulerConfig config = plain_config();
  Scheduler scheduler(config, kModel);
  EngineRequest one = request(1, 32, 1);
  one.block_hashes = {1, 2};
  EngineRequest two = one;
  two.id = 2;
  scheduler.submit(one, 0);
  run_to_end(scheduler);
  scheduler.submit(two, 1'000'000'000);
  EXPECT_EQ(run_to_end(scheduler)[0].cached_prompt_tokens, 16U);
}

TEST(Scheduler, ForgetsCancelledRequestsInEveryState) {
  SchedulerConfig config = plain_config();
  config.max_sequences = 2;
  Scheduler scheduler(config, kModel);
  for (std::uint64_t id = 1; id <= 4; ++id) scheduler.submit(request(id, 64, 50), 0);
  scheduler.submit(request(5, 64, 50), 60'000'000'000);
  std::vector<Emission> out;
  scheduler.advance(100'000'000, out);
  scheduler.cancel(1);  // running
  scheduler.cancel(3);  // waiting
  scheduler.cancel(5);  // not arrived
  scheduler.cancel(99);
  const auto rest = by_request(run_to_end(scheduler));
  EXPECT_FALSE(rest.contains(1));
  EXPECT_FALSE(rest.contains(3));
  EXPECT_FALSE(rest.contains(5));
  EXPECT_TRUE(rest.at(2).back().last);
  EXPECT_TRUE(rest.at(4).back().last);
  EXPECT_EQ(scheduler.open_requests(), 0U);
  EXPECT_EQ(scheduler.counters().kv_usage, 0.0);
}

TEST(Scheduler, StopsForGoodWhenTheStallFaultStrikes) {
  SchedulerConfig config = plain_config();
  config.stall_after_tokens = 10;
  Scheduler scheduler(config, kModel);
  scheduler.submit(request(1, 10, 100), 0);
  EXPECT_EQ(run_to_end(scheduler).size(), 10U);
  EXPECT_TRUE(scheduler.stalled());
  scheduler.cancel(1);
  EXPECT_EQ(scheduler.open_requests(), 0U);
}

TEST(Scheduler, RefusesWhatCanNeverRun) {
  SchedulerConfig config = plain_config();
  config.kv_blocks = 4;
  Scheduler scheduler(config, kModel);
  EXPECT_THROW(scheduler.submit(request(1, 60, 5), 0), std::invalid_argument);
  EXPECT_THROW(scheduler.submit(request(1, 0, 5), 0), std::invalid_argument);
  scheduler.submit(request(1, 10, 5), 0);
  EXPECT_THROW(scheduler.submit(request(1, 10, 5), 0), std::invalid_argument);
  config.max_batched_tokens = 10;
  EXPECT_THROW(Scheduler(config, kModel), std::invalid_argument);
}

}  // namespace
}  // namespace paretune::sim
