// libcurl's multi interface driven by epoll: work per wake-up is proportional to what is ready, not to all
// transfers. One thread, except wake().
#pragma once

#include <curl/curl.h>

#include <functional>
#include <optional>

#include "paretune/core/clock.hpp"

namespace paretune::load {

class CurlLoop {
 public:
  /// @param connections  that stay open for reuse.
  explicit CurlLoop(std::size_t connections);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  bool usable() const { return multi_ != nullptr && epoll_ >= 0 && wake_ >= 0; }
  void add(CURL* easy);
  void remove(CURL* easy);
  /// Lets libcurl act on timers that are due and on transfers just added, without waiting.
  void drive();
  /// Waits for socket activity, a libcurl timer, wake() or `until`, and handles what is ready.
  /// @return true if wake() was called.
  bool wait(core::Clock& clock, core::TimePoint until);
  /// Calls `done` for each transfer that ended.
  void take_finished(const std::function<void(CURL*, CURLcode)>& done);
  void wake();

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long timeout_ms, void* self);
  void watch(curl_socket_t socket, int what, bool known);
  void drain_wake();

  CURLM* multi_ = nullptr;
  int epoll_ = -1;
  int wake_ = -1;
  std::optional<core::TimePoint> timer_;
};

}  // namespace paretune::load
