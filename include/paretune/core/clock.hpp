// Time as an argument: everything that waits or stamps takes a Clock, so that tests and the virtual twin of
// the simulated server run without sleeping.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>

namespace paretune::core {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  /// @return false if a stop was requested before `when`.
  virtual bool sleep_until(TimePoint when, std::stop_token stop) = 0;
  bool sleep_for(Duration duration, std::stop_token stop) {
    return sleep_until(now() + duration, std::move(stop));
  }
};

/// CLOCK_MONOTONIC.
class SteadyClock final : public Clock {
 public:
  TimePoint now() const override;
  bool sleep_until(TimePoint when, std::stop_token stop) override;
};

/// Moves only when told or slept on: sleep_until() jumps to `when` at once.
class ManualClock final : public Clock {
 public:
  TimePoint now() const override;
  bool sleep_until(TimePoint when, std::stop_token stop) override;
  void advance(Duration by);

 private:
  mutable std::mutex mutex_;
  TimePoint now_{};
};

constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Wall-clock time for people and files: "2026-12-01T17:33:00Z".
std::string utc_timestamp();

}  // namespace paretune::core
