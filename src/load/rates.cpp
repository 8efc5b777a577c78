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
  const auto from = static_cast<std::int64_t>(std::llround(from_s * 1e9));
  const auto to = static_cast<std::int64_t>(std::llround(to_s * 1e9));
  // The start belongs to the window too when nothing lies before it.
  const auto inside = [&](std::int64_t time_ns) { return time_ns >= from && time_ns <= to && time_ns >= 0; };
  const double cut_off_scale = tokens_per_event(window.records);
  WindowCounts counts;
  double busy_ns = 0;
  for (const RequestRecord& record : window.records) {
    if (record.sent_ns >= 0) {
      const std::int64_t end = record.done_ns >= 0 ? record.done_ns : to;
      busy_ns +=
          static_cast<double>(std::max<std::int64_t>(0, std::min(end, to) - std::max(record.sent_ns, from)));
    }
    if (is_failure(record.outcome)) continue;
    const bool estimated = record.outcome == Outcome::Cancelled && record.token_source == TokenSource::Events;
    for (const TokenEvent& event : record.events) {
      if (inside(event.time_ns)) counts.output_tokens += event.tokens * (estimated ? cut_off_scale : 1);
    }
    if (inside(record.first_token_ns)) counts.prompt_tokens += record.prompt_tokens;
    if (record.outcome != Outcome::Ok || !inside(record.done_ns)) continue;
    ++counts.completed;
    if (meets_slo(record, workload, open_loop).value_or(false)) ++counts.good;
  }
  counts.mean_in_flight = to > from ? busy_ns / static_cast<double>(to - from) : 0;
  return counts;
}

}  // namespace paretune::load
