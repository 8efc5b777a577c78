// An endpoint on a ManualClock: answers come when a script says so, without sockets and without sleeping.
// Waiting moves the clock to the next answer or to the time asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "paretune/core/clock.hpp"
#include "paretune/load/endpoint.hpp"

namespace paretune::testing {

/// How one request goes, in ms after it is served (a request waits for one of the `servers` first).
struct ScriptedAnswer {
  double first_token_ms = 10;
  double token_gap_ms = 1;
  std::uint32_t tokens = 1;
  load::Outcome outcome = load::Outcome::Ok;
};

class ScriptedEndpoint final : public load::Endpoint {
 public:
  using Script = std::function<ScriptedAnswer(const load::Request&, double served_ms)>;
  /// @param servers  requests served at the same time; 0 = no limit.
  explicit ScriptedEndpoint(Script script, std::size_t servers = 0)
      : script_(std::move(script)), busy_until_(servers) {}

  core::Clock& clock() override { return clock_; }
  void start(core::TimePoint epoch) override { epoch_ = epoch; }

  void submit(load::Request request, core::TimePoint scheduled) override {
    const std::int64_t now = now_ns();
    std::int64_t served = now;
    std::int64_t* server = nullptr;
    if (!busy_until_.empty()) {
      server = &*std::min_element(busy_until_.begin(), busy_until_.end());
      served = std::max(now, *server);
    }
    load::RequestRecord record;
    record.index = request.index;
    record.warmup = request.warmup;
    record.scheduled_ns = (scheduled - epoch_).count();
    record.sent_ns = now;
    record.prompt_tokens = record.requested_prompt_tokens = request.prompt_tokens;
    record.requested_output_tokens = request.max_output_tokens;
    play(script_(request, static_cast<double>(served) * 1e-6), served, record);
    if (server != nullptr) *server = record.done_ns;
    open_.push_back(std::move(record));
    most_open_ = std::max(most_open_, open_.size());
    submitted_.push_back(std::move(request));
  }

  std::vector<load::RequestRecord> poll(core::TimePoint until) override {
    const auto next = std::min_element(open_.begin(), open_.end(),
                                       [](const auto& a, const auto& b) { return a.done_ns < b.done_ns; });
    std::vector<load::RequestRecord> finished;
    if (next == open_.end() || epoch_ + core::Duration(next->done_ns) > until) {
      clock_.sleep_until(until, {});
      return finished;
    }
    clock_.sleep_until(epoch_ + core::Duration(next->done_ns), {});
    finished.push_back(std::move(*next));
    open_.erase(next);
    return finished;
  }

  std::size_t in_flight() const override { return open_.size(); }

  std::vector<load::RequestRecord> cancel_all() override {
    const std::int64_t now = now_ns();
    for (load::RequestRecord& record : open_) {
      const auto late = [now](const load::TokenEvent& event) { return event.time_ns > now; };
      record.events.erase(std::remove_if(record.events.begin(), record.events.end(), late),
                          record.events.end());
      record.output_tokens = static_cast<std::uint32_t>(record.events.size());
      record.first_token_ns = record.events.empty() ? -1 : record.events.front().time_ns;
      record.last_token_ns = record.events.empty() ? -1 : record.events.back().time_ns;
      record.done_ns = now;
      record.outcome = load::Outcome::Cancelled;
    }
    return std::exchange(open_, {});
  }

  core::ManualClock& manual_clock() { return clock_; }
  std::size_t most_open() const { return most_open_; }
  const std::vector<load::Request>& submitted() const { return submitted_; }

 private:
  std::int64_t now_ns() const { return (clock_.now() - epoch_).count(); }

  static void play(const ScriptedAnswer& answer, std::int64_t served_ns, load::RequestRecord& record) {
    record.outcome = answer.outcome;
    record.http_status = 200;
    record.done_ns = served_ns + static_cast<std::int64_t>(answer.first_token_ms * 1e6);
    if (load::is_failure(answer.outcome)) {
      record.error = "scripted";
      return;
    }
    record.first_token_ns = record.first_byte_ns = record.done_ns;
    for (std::uint32_t i = 0; i < answer.tokens; ++i) {
      record.done_ns = record.first_token_ns + static_cast<std::int64_t>(i * answer.token_gap_ms * 1e6);
      record.events.push_back({record.done_ns, 1});
    }
    record.last_token_ns = record.done_ns;
    record.output_tokens = answer.tokens;
    record.token_source = load::TokenSource::Usage;
  }

  Script script_;
  std::vector<std::int64_t> busy_until_;
  core::ManualClock clock_;
  core::TimePoint epoch_ = clock_.now();
  std::vector<load::RequestRecord> open_;
  std::vector<load::Request> submitted_;
  std::size_t most_open_ = 0;
};

}  // namespace paretune::testing
