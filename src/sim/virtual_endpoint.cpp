// The virtual twin: the scheduler behind load::Endpoint, on a clock that jumps from event to event.
#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>

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
  std::size_t in_flight() const override { return open_.size() + finished_.size(); }

  void submit(load::Request request, TimePoint scheduled) override;
  std::vector<RequestRecord> poll(TimePoint until) override;
  std::vector<RequestRecord> cancel_all() override;

 private:
  struct Open {
    RequestRecord record;
    TimePoint last_progress;
  };

  TimePoint now() const { return clock_.now(); }
  std::int64_t stamp(TimePoint time) const { return (time - epoch_).count(); }
  Nanoseconds to_simulated(TimePoint time) const;
  TimePoint to_wall(Nanoseconds time) const;
  GenerationRequest read_request(const load::Request& request, std::optional<ApiError>& error) const;
  void fail(RequestRecord record, Outcome outcome, int status, std::string message);
  void apply(const Emission& emission);
  void finish(std::uint64_t id);
  void crash();
  std::optional<TimePoint> next_timeout() const;
  void expire_timeouts();

  SimOptions options_;
  Faults faults_;
  Intake intake_;
  Scheduler scheduler_;
  core::ManualClock clock_;
  TimePoint epoch_{};
  std::unordered_map<std::uint64_t, Open> open_;
  std::vector<RequestRecord> finished_;   ///< handed out by the next poll
  std::vector<Emission> emissions_;
  load::Timeouts timeouts_;
  std::size_t connections_ = 0;
  std::uint64_t answered_ = 0;
  bool crashed_ = false;
};

Nanoseconds VirtualEndpoint::to_simulated(TimePoint time) const {
  return static_cast<Nanoseconds>(static_cast<double>(time.time_since_epoch().count()) * options_.speed);
}

TimePoint VirtualEndpoint::to_wall(Nanoseconds time) const {
  return TimePoint(Duration(static_cast<std::int64_t>(static_cast<double>(time) / options_.speed)));
}

}  // namespace

}  // namespace paretune::sim
