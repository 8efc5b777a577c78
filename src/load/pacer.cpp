#include "load/pacer.hpp"

#include <algorithm>
#include <cmath>

#include "paretune/load/arrival.hpp"

namespace paretune::load {

namespace {

std::int64_t to_ns(double time_s) {
  return static_cast<std::int64_t>(std::llround(time_s * 1e9));
}

/// Exactly `slots` requests at any time: the moment one ends, the next is due.
class ClosedPacer final : public Pacer {
 public:
  ClosedPacer(const Workload& workload, std::size_t slots)
      : slots_(slots), warmup_ns_(to_ns(workload.warmup_s)), requests_(workload.requests) {
    if (workload.duration_s) end_ns_ = warmup_ns_ + to_ns(*workload.duration_s);
  }

  std::optional<std::int64_t> take(std::int64_t now_ns, std::size_t in_flight) override {
    if (in_flight >= slots_ || exhausted() || now_ns >= end_ns_) return std::nullopt;
    if (now_ns >= warmup_ns_) ++measured_;
    return now_ns;
  }
  std::int64_t next_due_ns(std::size_t) const override { return kNever; }
  bool exhausted() const override { return requests_ && measured_ >= *requests_; }
  std::vector<std::int64_t> left_over(std::int64_t) const override { return {}; }
  std::size_t batch() const override { return slots_; }
  std::optional<std::size_t> total() const override {
    if (!requests_ || warmup_ns_ > 0) return std::nullopt;
    return static_cast<std::size_t>(*requests_);
  }

 private:
  std::size_t slots_;
  std::int64_t warmup_ns_;
  std::int64_t end_ns_ = kNever;
  std::optional<std::int64_t> requests_;
  std::int64_t measured_ = 0;
};

/// The schedule stands before the start. A late request goes at once and keeps its due time; a cap makes
/// requests wait here, and that wait counts.
class OpenPacer final : public Pacer {
 public:
  OpenPacer(const Workload& workload, double rate_rps, std::uint64_t seed)
      : cap_(workload.max_concurrency ? static_cast<std::size_t>(*workload.max_concurrency) : SIZE_MAX) {
    for (const double time_s : arrival_times_s(workload, rate_rps, seed)) due_ns_.push_back(to_ns(time_s));
  }

  std::optional<std::int64_t> take(std::int64_t now_ns, std::size_t in_flight) override {
    if (in_flight >= cap_ || exhausted() || due_ns_[next_] > now_ns) return std::nullopt;
    return due_ns_[next_++];
  }
  std::int64_t next_due_ns(std::size_t in_flight) const override {
    return in_flight >= cap_ || exhausted() ? kNever : due_ns_[next_];
  }
  bool exhausted() const override { return next_ == due_ns_.size(); }
  std::vector<std::int64_t> left_over(std::int64_t end_ns) const override {
    const auto from = due_ns_.begin() + static_cast<std::ptrdiff_t>(next_);
    return {from, std::upper_bound(from, due_ns_.end(), end_ns)};
  }
  std::size_t batch() const override { return std::min<std::size_t>(cap_, 64); }
  std::optional<std::size_t> total() const override { return due_ns_.size(); }

 private:
  std::size_t cap_;
  std::vector<std::int64_t> due_ns_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Pacer> make_pacer(const Workload& workload, const LoadLevel& level, std::uint64_t seed) {
  if (level.open_loop) return std::make_unique<OpenPacer>(workload, level.value, seed);
  return std::make_unique<ClosedPacer>(workload, static_cast<std::size_t>(std::llround(level.value)));
}

}  // namespace paretune::load
