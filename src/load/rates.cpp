#include "load/rates.hpp"

#include <algorithm>
#include <cmath>

#include "load/request_times.hpp"

namespace paretune::load {

namespace {

std::optional<double> value_for(const Bound& bound, const RequestRecord& record, bool open_loop) {
  if (bound.metric.name == "ttft") return ttft_ms(record, open_loop);
  if (bound.metric.name == "e2e") return e2e_ms(record, open_loop);
  if (bound.metric.name == "tpot") return tpot_ms(record);
  // A request meets an itl bound if its every gap does.
  const std::vector<double> gaps = token_gaps_ms(record);
  if (gaps.empty()) return std::nullopt;
  return *std::max_element(gaps.begin(), gaps.end());
}

/// How many tokens an event holds on average, where the server told. Used for requests that were cut off
/// before their usage came: several tokens per event must not make them look slow.
double tokens_per_event(const std::vector<RequestRecord>& records) {
  double tokens = 0;
  double events = 0;
  for (const RequestRecord& record : records) {
    if (record.outcome != Outcome::Ok || record.token_source != TokenSource::Usage) continue;
    tokens += record.output_tokens;
    events += static_cast<double>(record.events.size());
  }
  return events > 0 ? tokens / events : 1;
}

/// A stretch of the records' time axis, both ends included.
struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;

  bool holds(std::int64_t time_ns) const { return time_ns >= 0 && time_ns >= from && time_ns <= to; }
  /// How long the request was in flight inside.
  double overlap_ns(const RequestRecord& record) const {
    if (record.sent_ns < 0) return 0;
    const std::int64_t end = record.done_ns >= 0 ? record.done_ns : to;
    return static_cast<double>(std::max<std::int64_t>(0, std::min(end, to) - std::max(record.sent_ns, from)));
  }
  double tokens(const RequestRecord& record) const {
    double sum = 0;
    for (const TokenEvent& event : record.events) sum += holds(event.time_ns) ? event.tokens : 0;
    return sum;
  }
};

}  // namespace

std::optional<bool> meets_slo(const RequestRecord& record, const Workload& workload, bool open_loop) {
  bool all = true;
  for (const Bound& bound : workload.slo) {
    const auto value = value_for(bound, record, open_loop);
    if (!value) return std::nullopt;
    all = all && *value <= bound.value;
  }
  return all;
}

WindowCounts count_between(const Window& window, const Workload& workload, bool open_loop, double from_s,
                           double to_s) {
  const Span span{static_cast<std::int64_t>(std::llround(from_s * 1e9)),
                  static_cast<std::int64_t>(std::llround(to_s * 1e9))};
  const double cut_off_scale = tokens_per_event(window.records);
  WindowCounts counts;
  double busy_ns = 0;
  for (const RequestRecord& record : window.records) {
    busy_ns += span.overlap_ns(record);
    if (is_failure(record.outcome)) continue;
    const bool estimated = record.outcome == Outcome::Cancelled && record.token_source == TokenSource::Events;
    counts.output_tokens += span.tokens(record) * (estimated ? cut_off_scale : 1);
    if (span.holds(record.first_token_ns)) counts.prompt_tokens += record.prompt_tokens;
    if (record.outcome != Outcome::Ok || !span.holds(record.done_ns)) continue;
    ++counts.completed;
    if (meets_slo(record, workload, open_loop).value_or(false)) ++counts.good;
  }
  counts.mean_in_flight = span.to > span.from ? busy_ns / static_cast<double>(span.to - span.from) : 0;
  return counts;
}

}  // namespace paretune::load
