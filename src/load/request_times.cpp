#include "load/request_times.hpp"

#include <algorithm>

namespace paretune::load {

namespace {

constexpr std::uint32_t kFewestBundledTokens = 8;

std::optional<double> between_ms(std::int64_t from_ns, std::int64_t to_ns) {
  if (from_ns < 0 || to_ns < from_ns) return std::nullopt;
  return static_cast<double>(to_ns - from_ns) * 1e-6;
}

/// Calls `visit(gap_ms, tokens)` for each read that brought tokens, the first (which has no gap) left out.
template <class Visit>
void for_each_read(const RequestRecord& record, Visit visit) {
  const auto& events = record.events;
  std::size_t i = 0;
  std::int64_t previous_ns = -1;
  while (i < events.size()) {
    const std::int64_t time_ns = events[i].time_ns;
    std::uint32_t tokens = 0;
    for (; i < events.size() && events[i].time_ns == time_ns; ++i) tokens += events[i].tokens;
    if (previous_ns >= 0 && tokens > 0) visit(static_cast<double>(time_ns - previous_ns) * 1e-6, tokens);
    if (tokens > 0) previous_ns = time_ns;
  }
}

}  // namespace

std::optional<double> ttft_from_send_ms(const RequestRecord& record) {
  return between_ms(record.sent_ns, record.first_token_ns);
}

std::optional<double> e2e_from_send_ms(const RequestRecord& record) {
  return between_ms(record.sent_ns, record.last_token_ns);
}

std::optional<double> send_lag_ms(const RequestRecord& record) {
  return between_ms(record.scheduled_ns, record.sent_ns);
}

std::optional<double> ttft_ms(const RequestRecord& record, bool open_loop) {
  return between_ms(open_loop ? record.scheduled_ns : record.sent_ns, record.first_token_ns);
}

std::optional<double> e2e_ms(const RequestRecord& record, bool open_loop) {
  return between_ms(open_loop ? record.scheduled_ns : record.sent_ns, record.last_token_ns);
}

std::optional<double> tpot_ms(const RequestRecord& record) {
  if (record.output_tokens < 2 || record.last_token_ns <= record.first_token_ns || is_bundled(record)) {
    return std::nullopt;
  }
  const auto whole = between_ms(record.first_token_ns, record.last_token_ns);
  if (!whole) return std::nullopt;
  return *whole / (record.output_tokens - 1);
}

bool is_bundled(const RequestRecord& record) {
  if (record.output_tokens < kFewestBundledTokens || record.events.empty()) return false;
  std::uint32_t most = 0;
  std::uint32_t in_read = 0;
  for (std::size_t i = 0; i < record.events.size(); ++i) {
    const bool same_read = i > 0 && record.events[i].time_ns == record.events[i - 1].time_ns;
    in_read = (same_read ? in_read : 0) + record.events[i].tokens;
    most = std::max(most, in_read);
  }
  return 2 * std::uint64_t{most} > record.output_tokens;
}

std::vector<double> token_gaps_ms(const RequestRecord& record) {
  std::vector<double> gaps;
  if (is_bundled(record)) return gaps;
  gaps.reserve(record.output_tokens);
  for_each_read(record, [&gaps](double gap_ms, std::uint32_t tokens) {
    gaps.insert(gaps.end(), tokens, gap_ms / tokens);
  });
  return gaps;
}

std::vector<double> event_gaps_ms(const RequestRecord& record) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < record.events.size(); ++i) {
    gaps.push_back(static_cast<double>(record.events[i].time_ns - record.events[i - 1].time_ns) * 1e-6);
  }
  return gaps;
}

}  // namespace paretune::load
