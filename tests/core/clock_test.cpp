#include "paretune/core/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace paretune::core {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, JumpsToTheEndOfASleepAtOnce) {
  ManualClock clock;
  const TimePoint start = clock.now();
  EXPECT_TRUE(clock.sleep_for(10min, {}));
  EXPECT_EQ(clock.now() - start, 10min);
  EXPECT_TRUE(clock.sleep_until(start, {}));
  EXPECT_EQ(clock.now() - start, 10min) << "time must not go back";
  clock.advance(1s);
  EXPECT_EQ(clock.now() - start, 601s);
}

TEST(ManualClock, DoesNotMoveAfterAStop) {
  ManualClock clock;
  std::stop_source source;
  source.request_stop();
  const TimePoint start = clock.now();
  EXPECT_FALSE(clock.sleep_for(10min, source.get_token()));
  EXPECT_EQ(clock.now(), start);
}

TEST(SteadyClock, SleepsUntilTheTimeGiven) {
  SteadyClock clock;
  const TimePoint start = clock.now();
  EXPECT_TRUE(clock.sleep_for(5ms, {}));
  EXPECT_GE(clock.now() - start, 5ms);
  EXPECT_TRUE(clock.sleep_until(start, {})) << "a time in the past is no wait";
}

TEST(SteadyClock, WakesWhenAStopIsRequested) {
  SteadyClock clock;
  const TimePoint start = clock.now();
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_FALSE(clock.sleep_for(30s, source.get_token()));
  EXPECT_LT(clock.now() - start, 10s);
}

TEST(Durations, ConvertToSecondsAndBack) {
  EXPECT_DOUBLE_EQ(to_seconds(1500ms), 1.5);
  EXPECT_EQ(from_seconds(0.25), Duration(250ms));
}

TEST(UtcTimestamp, HasTheFormOfIso8601) {
  EXPECT_THAT(utc_timestamp(),
              testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
}

}  // namespace
}  // namespace paretune::core
