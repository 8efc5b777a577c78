#include "load/curl_loop.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "load/curl_setup.hpp"

namespace paretune::load {

namespace {

// libcurl counts its timers on CLOCK_MONOTONIC, whatever clock the caller measures with.
core::TimePoint monotonic_now() {
  return std::chrono::time_point_cast<core::Duration>(std::chrono::steady_clock::now());
}

timespec to_timespec(core::Duration wait) {
  const auto ns = std::max<std::int64_t>(wait.count(), 0);
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

CurlLoop::CurlLoop(std::size_t connections) {
  require_curl();
  multi_ = curl_multi_init();
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!usable()) return;
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  // The default keeps four connections per transfer and shrinks when few run: warm connections would be lost.
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(std::max<std::size_t>(connections, 4)));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);
}

CurlLoop::~CurlLoop() {
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
  if (epoll_ >= 0) close(epoll_);
  if (wake_ >= 0) close(wake_);
}

int CurlLoop::on_timer(CURLM*, long timeout_ms, void* self) {
  auto& loop = *static_cast<CurlLoop*>(self);
  loop.timer_.reset();
  if (timeout_ms >= 0) loop.timer_ = monotonic_now() + std::chrono::milliseconds(timeout_ms);
  return 0;
}

int CurlLoop::on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
  static_cast<CurlLoop*>(self)->watch(socket, what, known != nullptr);
  return 0;
}

void CurlLoop::watch(curl_socket_t socket, int what, bool known) {
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    return;
  }
  epoll_event event{};
  event.data.fd = socket;
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  // A number may come back for a new socket before libcurl forgot the old one: then the other operation is
  // right.
  const int operation = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(epoll_, operation, socket, &event) != 0) {
    epoll_ctl(epoll_, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
  }
  curl_multi_assign(multi_, socket, this);
}

void CurlLoop::add(CURL* easy) {
  curl_multi_add_handle(multi_, easy);
}

void CurlLoop::remove(CURL* easy) {
  curl_multi_remove_handle(multi_, easy);
}

void CurlLoop::drive() {
  int running = 0;
  timer_.reset();
  curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
}

void CurlLoop::drain_wake() {
  std::uint64_t count = 0;
  while (read(wake_, &count, sizeof(count)) > 0) {
  }
}

bool CurlLoop::wait(core::Clock& clock, core::TimePoint until) {
  core::Duration left = until - clock.now();
  if (timer_) left = std::min(left, core::Duration(*timer_ - monotonic_now()));
  const timespec timeout = to_timespec(left);
  pollfd ready{epoll_, POLLIN, 0};
  // ppoll on the epoll descriptor, since epoll_wait rounds to milliseconds.
  if (ppoll(&ready, 1, &timeout, nullptr) <= 0) {
    if (timer_ && *timer_ <= monotonic_now()) drive();
    return false;
  }
  std::array<epoll_event, 256> events{};
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  bool woken = false;
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wake_) {
      drain_wake();
      woken = true;
      continue;
    }
    int action = 0;
    if ((event.events & EPOLLIN) != 0) action |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) action |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) action |= CURL_CSELECT_ERR;
    curl_multi_socket_action(multi_, event.data.fd, action, &running);
  }
  if (timer_ && *timer_ <= monotonic_now()) drive();
  return woken;
}

void CurlLoop::take_finished(const std::function<void(CURL*, CURLcode)>& done) {
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* easy = message->easy_handle;
    const CURLcode code = message->data.result;
    remove(easy);  // `message` is gone after this
    done(easy, code);
  }
}

void CurlLoop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof(one));
}

}  // namespace paretune::load
