#include "paretune/core/clock.hpp"

#include <condition_variable>
#include <ctime>

namespace paretune::core {

TimePoint SteadyClock::now() const {
  return std::chrono::steady_clock::now();
}

bool SteadyClock::sleep_until(TimePoint when, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_until(lock, stop, when, [] { return false; });
  return !stop.stop_requested();
}

TimePoint ManualClock::now() const {
  std::lock_guard lock(mutex_);
  return now_;
}

bool ManualClock::sleep_until(TimePoint when, std::stop_token stop) {
  if (stop.stop_requested()) return false;
  std::lock_guard lock(mutex_);
  if (when > now_) now_ = when;
  return true;
}

void ManualClock::advance(Duration by) {
  std::lock_guard lock(mutex_);
  now_ += by;
}

std::string utc_timestamp() {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace paretune::core
