// The building blocks of latency metric names: bases and statistics. Used where metrics are parsed and where
// they are computed, so that both agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paretune::load {

/// ttft, tpot, itl, e2e, ttft_from_send, e2e_from_send, send_lag, event_gap.
const std::vector<std::string>& latency_bases();
/// mean, p50, p90, p95, p99, max.
const std::vector<std::string>& latency_statistics();
/// Canonical base of a latency name with or without a statistic ("e2el" -> "e2e"); other names come back in
/// lower case.
std::string resolve_latency(std::string_view name);

}  // namespace paretune::load
