// The load loop: send what is due, wait for answers, until the window ends.
#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "load/pacer.hpp"
#include "load/request_source.hpp"
#include "paretune/load/measure.hpp"

namespace paretune::load {

namespace {

constexpr std::size_t kDefaultMaxErrors = 50;
constexpr std::int64_t kProgressEvery_ns = 250'000'000;
constexpr std::int64_t kLongestWait_ns = 3'600'000'000'000;

std::int64_t to_ns(double time_s) {
  return static_cast<std::int64_t>(std::llround(time_s * 1e9));
}
double to_s(std::int64_t time_ns) {
  return static_cast<double>(time_ns) * 1e-9;
}

/// Against virtual time the CPU time of this thread says nothing.
bool is_real_time(const core::Clock& clock) {
  return dynamic_cast<const core::SteadyClock*>(&clock) != nullptr;
}

double thread_cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// The kernel may wake a thread 50 us late to save power; a load generator asks for less while it runs.
class PunctualTimers {
 public:
  PunctualTimers() : before_(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)) { set(1000); }
  ~PunctualTimers() {
    if (before_ > 0) set(static_cast<unsigned long>(before_));
  }
  PunctualTimers(const PunctualTimers&) = delete;
  PunctualTimers& operator=(const PunctualTimers&) = delete;

 private:
  static void set(unsigned long slack_ns) { prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0); }
  int before_;
};

class LoadLoop {
 public:
  LoadLoop(Endpoint& endpoint, const Workload& workload, const LoadLevel& level, const WindowOptions& options,
           std::stop_token stop, const std::function<void(const Progress&)>& progress)
      : endpoint_(endpoint),
        workload_(workload),
        stop_(std::move(stop)),
        progress_(progress),
        pacer_(make_pacer(workload, level, options.seed)),
        source_(workload, options.address, options.seed),
        max_errors_(options.max_errors > 0 ? options.max_errors : kDefaultMaxErrors),
        warmup_ns_(to_ns(workload.warmup_s)) {
    if (workload.duration_s) end_ns_ = warmup_ns_ + to_ns(*workload.duration_s);
    if (options.timeout_s > 0) hard_end_ns_ = to_ns(options.timeout_s);
  }

  Window run();

 private:
  std::int64_t now_ns() const { return (endpoint_.clock().now() - epoch_).count(); }
  bool over(std::int64_t now);
  void send_due(std::int64_t now);
  void wait(std::int64_t now);
  void accept(std::vector<RequestRecord> records);
  void report(std::int64_t now);
  void cut_off(std::int64_t now);
  void close_window(std::int64_t now);
  void prepare_ahead();

  Endpoint& endpoint_;
  const Workload& workload_;
  std::stop_token stop_;
  const std::function<void(const Progress&)>& progress_;
  std::unique_ptr<Pacer> pacer_;
  RequestSource source_;
  std::size_t max_errors_;
  std::int64_t warmup_ns_;
  std::int64_t end_ns_ = kNever;
  std::int64_t hard_end_ns_ = kNever;
  core::TimePoint epoch_;
  Window window_;
  std::size_t finished_ = 0, failed_ = 0, errors_in_a_row_ = 0;
  std::int64_t next_report_ns_ = 0;
  bool complete_ = false;  ///< every asked request has ended
};

/// Bodies for the whole window where their number is known, else for the first rounds.
void LoadLoop::prepare_ahead() {
  source_.prepare(pacer_->total().value_or(8 * pacer_->batch()));
}

void LoadLoop::send_due(std::int64_t now) {
  while (const auto due = pacer_->take(now, endpoint_.in_flight())) {
    Request request = source_.next();
    request.warmup = *due < warmup_ns_;
    endpoint_.submit(std::move(request), epoch_ + core::Duration(*due));
    now = now_ns();
  }
  // Between sends, not before them: no request waits for another one's text.
  if (!pacer_->exhausted()) source_.prepare(pacer_->batch());
}

void LoadLoop::wait(std::int64_t now) {
  std::int64_t until = std::min({pacer_->next_due_ns(endpoint_.in_flight()), end_ns_, hard_end_ns_});
  if (progress_) until = std::min(until, next_report_ns_);
  until = std::clamp(until, now, now + kLongestWait_ns);
  std::vector<RequestRecord> records = endpoint_.poll(epoch_ + core::Duration(until));
  if (records.empty()) window_.max_loop_lag_s = std::max(window_.max_loop_lag_s, to_s(now_ns() - until));
  accept(std::move(records));
}

void LoadLoop::accept(std::vector<RequestRecord> records) {
  for (RequestRecord& record : records) {
    ++finished_;
    const bool failure = is_failure(record.outcome);
    if (failure) ++failed_;
    errors_in_a_row_ = failure ? errors_in_a_row_ + 1 : 0;
    if (errors_in_a_row_ >= max_errors_) window_.aborted = true;
    window_.records.push_back(std::move(record));
  }
}

bool LoadLoop::over(std::int64_t now) {
  if (stop_.stop_requested()) window_.interrupted = true;
  if (now >= hard_end_ns_) window_.aborted = true;
  if (window_.interrupted || window_.aborted || now >= end_ns_) return true;
  // A window of a duration without a number of requests lasts its time, even when nothing is left to send.
  complete_ =
      pacer_->exhausted() && endpoint_.in_flight() == 0 && (workload_.requests || !workload_.duration_s);
  return complete_;
}

void LoadLoop::report(std::int64_t now) {
  if (!progress_ || now < next_report_ns_) return;
  next_report_ns_ = now + kProgressEvery_ns;
  progress_({to_s(now), finished_, failed_, endpoint_.in_flight()});
}

/// What is still open or still queued at the end is neither a success nor a failure.
void LoadLoop::cut_off(std::int64_t now) {
  for (RequestRecord& record : endpoint_.cancel_all()) window_.records.push_back(std::move(record));
  for (const std::int64_t due : pacer_->left_over(std::min(now, end_ns_))) {
    const Request request = source_.next();
    RequestRecord record;
    record.index = request.index;
    record.scheduled_ns = due;
    record.requested_prompt_tokens = record.prompt_tokens = request.prompt_tokens;
    record.requested_output_tokens = request.max_output_tokens;
    record.warmup = due < warmup_ns_;
    record.outcome = Outcome::Cancelled;
    window_.records.push_back(std::move(record));
  }
}

void LoadLoop::close_window(std::int64_t now) {
  std::int64_t end = std::min(now, end_ns_);
  if (complete_) {
    end = warmup_ns_;
    for (const RequestRecord& record : window_.records) end = std::max(end, record.done_ns);
  }
  window_.measured_from_s = to_s(std::min(warmup_ns_, end));
  window_.measured_to_s = to_s(end);
  std::sort(window_.records.begin(), window_.records.end(),
            [](const RequestRecord& a, const RequestRecord& b) { return a.index < b.index; });
}

Window LoadLoop::run() {
  prepare_ahead();
  const PunctualTimers punctual;
  const std::stop_callback wake(stop_, [this] { endpoint_.wake(); });
  const double cpu_before = thread_cpu_s();
  epoch_ = endpoint_.clock().now();
  endpoint_.start(epoch_);
  std::int64_t now = 0;
  for (; !over(now); now = now_ns()) {
    send_due(now);
    report(now);
    wait(now_ns());
  }
  if (is_real_time(endpoint_.clock())) window_.client_cpu_s = thread_cpu_s() - cpu_before;
  cut_off(now);
  close_window(now);
  return std::move(window_);
}

}  // namespace

core::Result<Window> generate_load(Endpoint& endpoint, const Workload& workload, const LoadLevel& level,
                                   const WindowOptions& options, std::stop_token stop,
                                   const std::function<void(const Progress&)>& progress) {
  if (!workload.duration_s && !workload.requests) {
    return core::invalid_input("the workload has neither a duration nor a number of requests");
  }
  if (!level.open_loop && !(level.value >= 1 && level.value == std::floor(level.value))) {
    return core::invalid_input("a concurrency must be a whole number of at least 1");
  }
  if (level.open_loop && !(level.value > 0 && std::isfinite(level.value))) {
    return core::invalid_input("a rate must be greater than 0");
  }
  return LoadLoop(endpoint, workload, level, options, std::move(stop), progress).run();
}

}  // namespace paretune::load
