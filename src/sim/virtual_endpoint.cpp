// The virtual twin: the scheduler behind load::Endpoint, on a clock that jumps from event to event.
#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

#include "paretune/core/clock.hpp"
#include "paretune/sim/scheduler.hpp"
#include "paretune/sim/server.hpp"
#include "paretune/sim/step_model.hpp"
#include "sim/intake.hpp"

namespace paretune::sim {

namespace {

using core::Duration;
using core::TimePoint;
using load::Outcome;
using load::RequestRecord;

constexpr double kRefusalS = 2e-3;  // an error answer takes this long

/// Wall time of the twin = simulated time / speed, as a client of the HTTP server would see it.
class VirtualEndpoint final : public load::Endpoint {
 public:
  VirtualEndpoint(const SimOptions& options, const Capacity& capacity)
      : options_(options),
        faults_(faults_of(options)),
        intake_(options),
        scheduler_(scheduler_config(options, capacity.kv_tokens), StepModel(options)) {}

  core::Clock& clock() override { return clock_; }
  void start(TimePoint epoch) override { epoch_ = epoch; }
  std::size_t in_flight() const override { return open_.size() + failing_.size() + finished_.size(); }

  void submit(load::Request request, TimePoint scheduled) override;
  std::vector<RequestRecord> poll(TimePoint until) override;
  std::vector<RequestRecord> cancel_all() override;

 private:
  struct Open {
    RequestRecord record;
    TimePoint last_progress;
  };
  struct Failing {
    TimePoint due;
    RequestRecord record;
  };

  std::int64_t stamp(TimePoint time) const { return (time - epoch_).count(); }
  Nanoseconds to_simulated(TimePoint time) const {
    return static_cast<Nanoseconds>(static_cast<double>(time.time_since_epoch().count()) * options_.speed);
  }
  TimePoint to_wall(Nanoseconds time) const {
    return TimePoint(Duration(static_cast<std::int64_t>(static_cast<double>(time) / options_.speed)));
  }
  std::variant<GenerationRequest, ApiError> read_request(const load::Request& request) const;
  void fail_soon(RequestRecord record, Outcome outcome, int status, std::string message);
  void move_clock(TimePoint to);
  void apply(const Emission& emission);
  void crash();
  std::optional<TimePoint> next_event();
  std::optional<TimePoint> deadline(const Open& open) const;
  void expire(TimePoint now);

  SimOptions options_;
  Faults faults_;
  Intake intake_;
  Scheduler scheduler_;
  core::ManualClock clock_;
  TimePoint epoch_{};
  std::unordered_map<std::uint64_t, Open> open_;
  std::deque<Failing> failing_;          ///< by due time
  std::vector<RequestRecord> finished_;  ///< handed out by the next poll
  std::vector<Emission> emissions_;
  load::Timeouts timeouts_;
  std::size_t connections_ = 0;  ///< opened so far; a new one when more are in flight than ever
  std::uint64_t answered_ = 0;
  bool crashed_ = false;
};

std::variant<GenerationRequest, ApiError> VirtualEndpoint::read_request(const load::Request& request) const {
  if (!request.body.empty()) {
    const bool chat = request.body.find("\"messages\"") != std::string::npos;
    return parse_generation(request.body, chat, options_);
  }
  GenerationRequest generation;
  generation.ignore_eos = true;
  generation.prompt_tokens = std::max(1U, request.prompt_tokens);
  generation.max_tokens = std::max(1U, request.max_output_tokens);
  if (std::int64_t{generation.prompt_tokens} + generation.max_tokens > options_.max_model_len) {
    return ApiError{400, "BadRequestError", "prompt and answer exceed the maximum context length",
                    "max_tokens"};
  }
  return generation;
}

void VirtualEndpoint::submit(load::Request request, TimePoint scheduled) {
  RequestRecord record;
  record.index = request.index;
  record.scheduled_ns = stamp(scheduled);
  record.sent_ns = stamp(clock_.now());
  record.prompt_tokens = request.prompt_tokens;
  record.warmup = request.warmup;
  if (crashed_) return fail_soon(std::move(record), Outcome::Connect, 0, "connection refused");
  record.new_connection = in_flight() >= connections_;
  if (record.new_connection) ++connections_;

  auto parsed = read_request(request);
  if (const auto* error = std::get_if<ApiError>(&parsed)) {
    return fail_soon(std::move(record), Outcome::Http4xx, error->status, error->message);
  }
  auto& generation = std::get<GenerationRequest>(parsed);
  Admission admission = intake_.admit(generation);
  if (admission.fails) return fail_soon(std::move(record), Outcome::Http5xx, 500, "Internal Server Error");
  record.prompt_tokens = generation.prompt_tokens;
  record.events.reserve(admission.engine.output_tokens);
  open_.emplace(admission.engine.id, Open{std::move(record), clock_.now()});
  scheduler_.submit(std::move(admission.engine), to_simulated(clock_.now()));
}

void VirtualEndpoint::fail_soon(RequestRecord record, Outcome outcome, int status, std::string message) {
  const TimePoint due = clock_.now() + core::from_seconds(kRefusalS / options_.speed);
  record.outcome = outcome;
  record.http_status = status;
  record.error = std::move(message);
  record.done_ns = stamp(due);
  failing_.push_back({due, std::move(record)});
}

std::vector<RequestRecord> VirtualEndpoint::poll(TimePoint until) {
  while (finished_.empty()) {
    const auto next = next_event();
    if (!next || *next > until) {
      if (in_flight() > 0 || next || until != TimePoint::max()) move_clock(until);
      break;
    }
    move_clock(*next);
    const auto step = scheduler_.next_event_ns();
    if (step && to_wall(*step) <= clock_.now()) {
      emissions_.clear();
      scheduler_.advance(*step, emissions_);
      for (const Emission& emission : emissions_) apply(emission);
    }
    expire(clock_.now());
  }
  return std::exchange(finished_, {});
}

void VirtualEndpoint::move_clock(TimePoint to) {
  if (to > clock_.now()) clock_.advance(to - clock_.now());
}

/// The next moment at which something can happen. Time-outs are looked at only while the engine is silent.
std::optional<TimePoint> VirtualEndpoint::next_event() {
  std::optional<TimePoint> next;
  const auto consider = [&](std::optional<TimePoint> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  const auto step = scheduler_.next_event_ns();
  if (step) consider(std::max(clock_.now(), to_wall(*step)));
  if (!failing_.empty()) consider(failing_.front().due);
  if (!step) {
    for (const auto& [id, open] : open_) consider(deadline(open));
  }
  return next;
}

std::optional<TimePoint> VirtualEndpoint::deadline(const Open& open) const {
  const double patience = open.record.events.empty() ? timeouts_.first_token_s : timeouts_.gap_s;
  return open.last_progress + core::from_seconds(patience);
}

void VirtualEndpoint::expire(TimePoint now) {
  while (!failing_.empty() && failing_.front().due <= now) {
    finished_.push_back(std::move(failing_.front().record));
    failing_.pop_front();
  }
  if (scheduler_.next_event_ns()) return;
  for (auto it = open_.begin(); it != open_.end();) {
    if (*deadline(it->second) > now) {
      ++it;
      continue;
    }
    RequestRecord record = std::move(it->second.record);
    const bool first = record.events.empty();
    record.outcome = first ? Outcome::TimeoutFirstToken : Outcome::TimeoutGap;
    record.error = first ? "no first token in time" : "no further token in time";
    record.done_ns = stamp(now);
    finished_.push_back(std::move(record));
    scheduler_.cancel(it->first);
    it = open_.erase(it);
  }
}

void VirtualEndpoint::apply(const Emission& emission) {
  const auto found = open_.find(emission.id);
  if (found == open_.end()) return;
  Open& open = found->second;
  RequestRecord& record = open.record;
  const std::int64_t time = stamp(to_wall(emission.time_ns));
  if (record.events.empty()) {
    record.first_byte_ns = record.first_token_ns = time;
    record.http_status = 200;
    record.token_source = load::TokenSource::Usage;
    record.cached_prompt_tokens = emission.cached_prompt_tokens;
  }
  record.last_token_ns = time;
  record.events.push_back({time, 1});
  record.output_tokens = emission.index + 1;
  open.last_progress = clock_.now();
  if (!emission.last) return;
  record.outcome = Outcome::Ok;
  record.done_ns = time;
  finished_.push_back(std::move(record));
  open_.erase(found);
  ++answered_;
  if (faults_.crash_after && answered_ >= *faults_.crash_after) crash();
}

void VirtualEndpoint::crash() {
  crashed_ = true;
  for (auto& [id, open] : open_) {
    RequestRecord record = std::move(open.record);
    record.outcome = record.events.empty() ? Outcome::Connect : Outcome::Truncated;
    record.error = "connection closed by the server";
    record.done_ns = stamp(clock_.now());
    finished_.push_back(std::move(record));
    scheduler_.cancel(id);
  }
  open_.clear();
}

std::vector<RequestRecord> VirtualEndpoint::cancel_all() {
  std::vector<RequestRecord> records = std::exchange(finished_, {});
  for (auto& [id, open] : open_) {
    open.record.outcome = Outcome::Cancelled;
    open.record.done_ns = stamp(clock_.now());
    records.push_back(std::move(open.record));
    scheduler_.cancel(id);
  }
  open_.clear();
  for (Failing& failing : failing_) records.push_back(std::move(failing.record));
  failing_.clear();
  return records;
}

}  // namespace

core::Result<std::unique_ptr<load::Endpoint>> make_virtual_endpoint(const SimOptions& options) {
  const auto capacity = plan_capacity(options);
  if (!capacity.ok()) return capacity.error();
  return std::unique_ptr<load::Endpoint>(std::make_unique<VirtualEndpoint>(options, *capacity));
}

}  // namespace paretune::sim
