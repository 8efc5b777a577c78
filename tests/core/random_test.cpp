#include "paretune/core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace paretune::core {
namespace {

TEST(Random, GivesThePublishedSequenceOfXoshiro256PlusPlus) {
  // First outputs for the state {1, 2, 3, 4}, computed by the authors' reference program.
  Random random(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL,
        9973669472204895162ULL, 14011001112246962877ULL, 12406186145184390807ULL, 15849039046786891736ULL,
        10450023813501588000ULL}) {
    EXPECT_EQ(random.next(), expected);
  }
  EXPECT_THROW(Random(std::array<std::uint64_t, 4>{}), std::invalid_argument);
}

TEST(Random, IsSeededByThePublishedSequenceOfSplitMix64) {
  Random seeded(1234567);
  Random reference(std::array<std::uint64_t, 4>{6457827717110365317ULL, 3203168211198807973ULL,
                                                9817491932198370423ULL, 4593380528125082431ULL});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(seeded.next(), reference.next());
}

TEST(Random, RepeatsForACopyAndDiffersForAnotherSeed) {
  Random a(7);
  Random copy = a;
  Random other(8);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t word = a.next();
    EXPECT_EQ(word, copy.next());
    if (word == other.next()) ++equal;
  }
  EXPECT_EQ(equal, 0);
}

TEST(DeriveSeed, GivesEveryStreamItsOwnSeed) {
  std::set<std::uint64_t> seeds;
  for (const char* stream : {"arrival", "prompts", "nsga2", ""}) {
    for (std::uint64_t root = 0; root < 100; ++root) seeds.insert(derive_seed(root, stream));
  }
  EXPECT_EQ(seeds.size(), 400U);
  EXPECT_EQ(derive_seed(1, "arrival"), derive_seed(1, "arrival"));
}

TEST(Random, DrawsIndicesWithoutBias) {
  Random random(1);
  std::array<int, 7> hits{};
  const int draws = 70'000;
  for (int i = 0; i < draws; ++i) ++hits[random.index(hits.size())];
  for (const int count : hits) EXPECT_NEAR(count, draws / 7, 5 * std::sqrt(draws / 7.0));
  EXPECT_THROW(random.index(0), std::invalid_argument);
  EXPECT_EQ(random.index(1), 0U);
}

TEST(Random, DrawsIntegersFromBothEndsOfAnyRange) {
  Random random(2);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.integer(-1, 1));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-1, 0, 1}));
  using Bounds = std::numeric_limits<std::int64_t>;
  bool negative = false, positive = false;
  for (int i = 0; i < 50; ++i)
    (random.integer(Bounds::min(), Bounds::max()) < 0 ? negative : positive) = true;
  EXPECT_TRUE(negative && positive);
  EXPECT_THROW(random.integer(2, 1), std::invalid_argument);
}

TEST(Random, StaysBelowTheUpperEndOfAUniformDraw) {
  Random random(3);
  for (int i = 0; i < 10'000; ++i) {
    const double unit = random.uniform();
    EXPECT_TRUE(unit >= 0 && unit < 1);
    // Only two doubles: rounding would reach the upper one.
    const double next = std::nextafter(1.0, 2.0);
    EXPECT_EQ(random.uniform(1.0, next), 1.0);
  }
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments_of(const std::function<double()>& draw, int count) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  return {mean, squares / count - mean * mean};
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  Random random(4);
  const int n = 200'000;
  const Moments normal = moments_of([&] { return random.normal(); }, n);
  EXPECT_NEAR(normal.mean, 0, 0.02);
  EXPECT_NEAR(normal.variance, 1, 0.02);
  const Moments exponential = moments_of([&] { return random.exponential(); }, n);
  EXPECT_NEAR(exponential.mean, 1, 0.02);
  EXPECT_NEAR(exponential.variance, 1, 0.05);
  for (const double shape : {0.25, 1.0, 3.5}) {
    const Moments gamma = moments_of([&] { return random.gamma(shape); }, n);
    EXPECT_NEAR(gamma.mean, shape, 0.02 * (1 + shape)) << shape;
    EXPECT_NEAR(gamma.variance, shape, 0.05 * (1 + shape)) << shape;
  }
  EXPECT_THROW(random.gamma(0), std::invalid_argument);
  EXPECT_NEAR(moments_of([&] { return random.chance(0.3) ? 1.0 : 0.0; }, n).mean, 0.3, 0.01);
}

TEST(Random, ShufflesEveryOrderEquallyOften) {
  Random random(5);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items{1, 2, 3};
    random.shuffle(items);
    ++orders[items];
  }
  EXPECT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 160);
}

}  // namespace
}  // namespace paretune::core
