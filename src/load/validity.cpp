#include "load/validity.hpp"

#include <algorithm>
#include <cmath>

#include "load/request_times.hpp"
#include "paretune/core/units.hpp"

namespace paretune::load {

namespace {

using Findings = std::vector<core::Finding>;

// Below this a mean already moves by several percent from window to window.
constexpr std::size_t kFewRequests = 10;
// p99 of fewer is close to the maximum of the sample.
constexpr std::size_t kFewForTail = 100;
constexpr double kBusyClient = 0.9;
// In less than this, opening connections and making prompts outweighs the reading of answers.
constexpr double kShortestBusy_s = 0.1;
constexpr double kLengthTolerance = 0.05;
constexpr double kNotableShare = 0.05;
constexpr double kCacheShare = 0.01;
constexpr double kAchievedRate = 0.98;

std::string percent(double share) {
  return core::format_short(share * 100) + " %";
}

/// Counts over the successful measured requests.
struct Tally {
  std::size_t ok = 0, estimated = 0, bundled = 0, without_done = 0;
  std::size_t length_known = 0, wrong_length = 0;
  double asked_tokens = 0, got_tokens = 0;
  double asked_prompt = 0, got_prompt = 0;
  double prompt_tokens = 0, cached_tokens = 0;
};

/// Every chat prompt starts with the same template; that this much is cached says nothing.
double cached_beyond_template(const RequestRecord& record) {
  const double known_prompt = record.requested_prompt_tokens;
  const double template_tokens = known_prompt > 0 ? std::max(0.0, record.prompt_tokens - known_prompt) : 0;
  return std::max(0.0, *record.cached_prompt_tokens - template_tokens);
}

Tally tally_of(const Window& window) {
  Tally tally;
  for (const RequestRecord& record : window.records) {
    if (record.warmup || record.outcome != Outcome::Ok) continue;
    ++tally.ok;
    if (is_bundled(record)) ++tally.bundled;
    if (record.missing_done) ++tally.without_done;
    if (record.cached_prompt_tokens) {
      tally.prompt_tokens += record.prompt_tokens;
      tally.cached_tokens += cached_beyond_template(record);
    }
    if (record.token_source != TokenSource::Usage) {
      ++tally.estimated;
      continue;
    }
    tally.asked_prompt += record.requested_prompt_tokens;
    tally.got_prompt += record.requested_prompt_tokens > 0 ? record.prompt_tokens : 0;
    if (record.requested_output_tokens == 0) continue;
    ++tally.length_known;
    tally.asked_tokens += record.requested_output_tokens;
    tally.got_tokens += record.output_tokens;
    const double off = std::fabs(static_cast<double>(record.output_tokens) - record.requested_output_tokens);
    if (off > std::max(1.0, kLengthTolerance * record.requested_output_tokens)) ++tally.wrong_length;
  }
  return tally;
}

void judge_count(const Measurement& m, Findings& findings) {
  if (m.ok == 0) {
    findings.push_back(
        {"no_success", true, 0.0,
         m.failed > 0 ? "no request succeeded: " + m.first_error : "no request ended inside the window",
         m.failed > 0 ? "look at the server's log" : "use a longer duration or shorter outputs"});
    return;
  }
  const bool cut = m.cancelled > m.ok;
  if (m.ok < kFewRequests || cut) {
    findings.push_back(
        {"too_short", false, static_cast<double>(m.ok),
         "only " + std::to_string(m.ok) + " requests ended inside the window" +
             (cut ? ", fewer than were cut off at its end (" + std::to_string(m.cancelled) + ")" : ""),
         "use a longer duration or more requests"});
  } else if (m.ok < kFewForTail) {
    findings.push_back({"few_for_p99", false, static_cast<double>(m.ok),
                        "p99 rests on " + std::to_string(m.ok) + " requests and is close to their maximum",
                        "use at least 100 requests for a p99, or a lower percentile"});
  }
}

void judge_client(const Window& window, const LoadLevel& level, const Measurement& m, Findings& findings) {
  const double length_s = window.measured_to_s;
  const double share = length_s >= kShortestBusy_s ? window.client_cpu_s / length_s : 0;
  if (share > kBusyClient) {
    findings.push_back(
        {"client_limited", true, share,
         "the load generator used " + percent(share) + " of a core: it, not the server, set the pace",
         "lower the load, or give the load generator a core of its own"});
    return;
  }
  if (!level.open_loop) return;
  const auto lag = m.metrics.find("send_lag:p99");
  const auto ttft = m.metrics.find("ttft_from_send:p50");
  if (lag == m.metrics.end() || ttft == m.metrics.end()) return;
  // The wait behind a cap on concurrency is the load's own; only the loop's lateness is the client's fault.
  const double allowed_ms = std::max(1.0, kNotableShare * ttft->second);
  if (window.max_loop_lag_s * 1e3 > allowed_ms && lag->second > allowed_ms) {
    findings.push_back(
        {"send_lag", false, lag->second,
         "requests left up to " + core::format_short(lag->second) + " ms (p99) after they were due",
         "latencies count from the due time, so they include this; use a less busy machine"});
  }
}

void judge_rate(const Window& window, const LoadLevel& level, const Measurement& m, Findings& findings) {
  if (!level.open_loop || m.ok == 0) return;
  const std::size_t due = m.ok + m.failed + m.cancelled;
  const double served = static_cast<double>(m.ok + m.failed) / static_cast<double>(due);
  // A few requests are always in flight when a window ends: as many as Little's law gives.
  const auto e2e = m.metrics.find("e2e:mean");
  const double length = window.measured_to_s - window.measured_from_s;
  const double tail = e2e == m.metrics.end() || length <= 0 ? 0 : e2e->second / 1e3 / length;
  if (m.cancelled < 2 || served >= kAchievedRate - tail) return;
  findings.push_back(
      {"saturated", false, served,
       "only " + percent(served) +
           " of the requests that were due had ended when the window did; "
           "latencies of the others are unknown and longer",
       "the server cannot hold " + core::format_short(level.value) + " requests/s: lower the rate"});
}

void judge_tokens(const Tally& tally, const Workload& workload, Findings& findings) {
  if (tally.ok == 0) return;
  const double ok = static_cast<double>(tally.ok);
  if (tally.estimated > 0) {
    findings.push_back({"usage_missing", false, static_cast<double>(tally.estimated) / ok,
                        "the server sent no token counts for " + std::to_string(tally.estimated) + " of " +
                            std::to_string(tally.ok) + " requests; they are estimated as one per event",
                        "token rates and tpot are estimates; compare them with no other server"});
  }
  if (static_cast<double>(tally.bundled) > kNotableShare * ok) {
    findings.push_back({"bundled", false, static_cast<double>(tally.bundled) / ok,
                        percent(static_cast<double>(tally.bundled) / ok) +
                            " of the answers came mostly in one piece; they give no tpot and no itl",
                        "is there a buffering proxy, or a server that does not stream?"});
  }
  if (tally.without_done > 0) {
    findings.push_back(
        {"missing_done", false, static_cast<double>(tally.without_done) / ok,
         std::to_string(tally.without_done) + " streams ended without [DONE] after finish_reason", ""});
  }
  if (tally.prompt_tokens > 0 && tally.cached_tokens / tally.prompt_tokens > kCacheShare) {
    findings.push_back(
        {"cache_assisted", false, tally.cached_tokens / tally.prompt_tokens,
         percent(tally.cached_tokens / tally.prompt_tokens) +
             " of the prompt tokens came out of the server's prefix cache",
         "prompts of one window do not repeat: was the same seed measured on this server before?"});
  }
  if (tally.length_known == 0) return;
  const double short_by = 1 - tally.got_tokens / tally.asked_tokens;
  const double wrong = static_cast<double>(tally.wrong_length) / static_cast<double>(tally.length_known);
  if (short_by > kNotableShare) {
    findings.push_back(
        {"short_outputs", false, short_by, "answers were " + percent(short_by) + " shorter than asked",
         workload.ignore_eos ? "the server does not honour ignore_eos" : "set ignore_eos: true"});
  } else if (wrong > kNotableShare) {
    findings.push_back(
        {"osl_mismatch", false, wrong,
         percent(wrong) + " of the answers missed the asked length by more than 5 %",
         workload.ignore_eos ? "the server does not honour ignore_eos" : "set ignore_eos: true"});
  }
  if (tally.asked_prompt > 0 && std::fabs(tally.got_prompt / tally.asked_prompt - 1) > 0.25) {
    findings.push_back({"isl_mismatch", false, tally.got_prompt / tally.asked_prompt,
                        "prompts had " + core::format_short(tally.got_prompt / tally.asked_prompt) +
                            " times the asked tokens by the server's count",
                        "a chat template adds tokens; adapt prompt_tokens if the length matters"});
  }
}

}  // namespace

std::vector<core::Finding> judge(const Window& window, const Workload& workload, const LoadLevel& level,
                                 const Measurement& measurement) {
  Findings findings;
  judge_count(measurement, findings);
  judge_client(window, level, measurement, findings);
  judge_rate(window, level, measurement, findings);
  judge_tokens(tally_of(window), workload, findings);
  return findings;
}

}  // namespace paretune::load
