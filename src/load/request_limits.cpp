#include "load/request_limits.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "paretune/core/units.hpp"

namespace paretune::load {

namespace {

// After [DONE] the body ends at once on a good server; a stream left open must not keep its slot busy.
constexpr double kLingerAfterDone_s = 1.0;
// After a finish_reason the usage event may still come, late (seen: 780 ms).
constexpr double kLingerAfterFinish_s = 10.0;

}  // namespace

std::optional<LateAnswer> find_timeout(const ResponseReader& reader, std::int64_t sent_ns,
                                       std::int64_t now_ns, const Timeouts& limits) {
  const auto passed = [now_ns](std::int64_t since_ns, double limit_s) {
    return static_cast<double>(now_ns - since_ns) > limit_s * 1e9;
  };
  const auto text = [](double limit_s) { return core::format_duration(limit_s); };
  const std::int64_t last_ns = reader.last_activity_ns();
  if (reader.saw_done()) {
    if (!passed(last_ns, kLingerAfterDone_s)) return std::nullopt;
    return LateAnswer{Outcome::TimeoutGap, "the stream stayed open after [DONE]"};
  }
  if (reader.saw_finish() && passed(last_ns, kLingerAfterFinish_s)) {
    return LateAnswer{Outcome::TimeoutGap, "the stream stayed open after finish_reason"};
  }
  if (passed(sent_ns, limits.total_s)) {
    return LateAnswer{Outcome::TimeoutTotal, "not finished within " + text(limits.total_s)};
  }
  if (!reader.has_token() && passed(sent_ns, limits.first_token_s)) {
    return LateAnswer{Outcome::TimeoutFirstToken, "no token within " + text(limits.first_token_s)};
  }
  if (reader.has_token() && passed(last_ns, limits.gap_s)) {
    return LateAnswer{Outcome::TimeoutGap, "the stream stalled for " + text(limits.gap_s)};
  }
  return std::nullopt;
}

/// Each connection is one descriptor; a limit met in the middle of a window would look like a failing server.
core::Result<void> require_descriptors(std::size_t connections) {
  constexpr std::size_t kOthers = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= connections + kOthers) return {};
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, connections + kOthers);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= connections + kOthers) return {};
  return core::environment_error(std::to_string(connections) +
                                     " connections need more open files than the limit of " +
                                     std::to_string(limit.rlim_max),
                                 "raise it with: ulimit -n " + std::to_string(connections + kOthers));
}

}  // namespace paretune::load
