#include "paretune/load/metric.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "paretune/core/text.hpp"
#include "paretune/load/metric_names.hpp"

namespace paretune::load {

namespace {

struct Scalar {
  std::string_view name;
  std::string_view unit;
  bool higher_is_better;
};
constexpr std::array<Scalar, 11> kScalars{{{"request_throughput", "requests/s", true},
                                           {"output_throughput", "tok/s", true},
                                           {"total_throughput", "tok/s", true},
                                           {"output_throughput_per_gpu", "tok/s", true},
                                           {"output_throughput_per_user", "tok/s", true},
                                           {"goodput", "requests/s", true},
                                           {"error_rate", "", false},
                                           {"concurrency", "", true},
                                           {"gpus", "", false},
                                           {"cost_per_million_tokens", "currency", false},
                                           {"quality_loss", "", false}}};

struct Alias {
  std::string_view alias;
  std::string_view name;
};
constexpr std::array<Alias, 34> kScalarAliases{{
    {"qps", "request_throughput"},
    {"rps", "request_throughput"},
    {"req_s", "request_throughput"},
    {"requests_per_second", "request_throughput"},
    {"tps", "output_throughput"},
    {"tok_s", "output_throughput"},
    {"output_tps", "output_throughput"},
    {"tokens_per_second", "output_throughput"},
    {"output_tokens_per_second", "output_throughput"},
    {"output_token_throughput", "output_throughput"},
    {"throughput", "output_throughput"},
    {"total_tps", "total_throughput"},
    {"total_token_throughput", "total_throughput"},
    {"total_tokens_per_second", "total_throughput"},
    {"tps_per_gpu", "output_throughput_per_gpu"},
    {"output_tps_per_gpu", "output_throughput_per_gpu"},
    {"tput_per_gpu", "output_throughput_per_gpu"},
    {"throughput_per_gpu", "output_throughput_per_gpu"},
    {"tps_per_user", "output_throughput_per_user"},
    {"output_tps_per_user", "output_throughput_per_user"},
    {"output_token_throughput_per_user", "output_throughput_per_user"},
    {"interactivity", "output_throughput_per_user"},
    {"intvty", "output_throughput_per_user"},
    {"request_goodput", "goodput"},
    {"errors", "error_rate"},
    {"failure_rate", "error_rate"},
    {"mean_concurrency", "concurrency"},
    {"in_flight", "concurrency"},
    {"num_gpus", "gpus"},
    {"gpu_count", "gpus"},
    {"cost", "cost_per_million_tokens"},
    {"cost_per_mtok", "cost_per_million_tokens"},
    {"cost_per_1m_tokens", "cost_per_million_tokens"},
    {"accuracy_loss", "quality_loss"},
}};

constexpr std::array<Alias, 15> kLatencyAliases{{
    {"time_to_first_token", "ttft"},
    {"first_token_latency", "ttft"},
    {"time_per_output_token", "tpot"},
    {"inter_token_latency", "itl"},
    {"e2el", "e2e"},
    {"e2e_latency", "e2e"},
    {"end_to_end_latency", "e2e"},
    {"request_latency", "e2e"},
    {"latency", "e2e"},
    {"service_ttft", "ttft_from_send"},
    {"service_e2e", "e2e_from_send"},
    {"schedule_lag", "send_lag"},
    {"dispatch_delay", "send_lag"},
    {"inter_event_gap", "event_gap"},
    {"inter_chunk_latency", "event_gap"},
}};

constexpr std::array<Alias, 5> kStatisticAliases{
    {{"average", "mean"}, {"avg", "mean"}, {"median", "p50"}, {"maximum", "max"}, {"worst", "max"}}};

template <std::size_t N>
std::string_view resolve(std::string_view word, const std::array<Alias, N>& aliases) {
  for (const Alias& entry : aliases) {
    if (entry.alias == word) return entry.name;
  }
  return word;
}

bool is_latency(std::string_view base) {
  const auto& bases = latency_bases();
  return std::find(bases.begin(), bases.end(), base) != bases.end();
}

/// A statistic of the standard set; "" if `word` is none.
std::string_view statistic_of(std::string_view word) {
  const std::string_view name = resolve(word, kStatisticAliases);
  const auto& all = latency_statistics();
  return std::find(all.begin(), all.end(), name) != all.end() ? name : std::string_view{};
}

/// p75, p99.9, p99_9: a percentile, though not one of the standard set.
bool looks_like_percentile(std::string_view word) {
  return word.size() >= 2 && word[0] == 'p' &&
         word.find_first_not_of("0123456789._", 1) == std::string_view::npos;
}

struct Parts {
  std::string base;
  std::string statistic;  ///< as written, may be empty
};

/// Splits "ttft:p95", "p95_ttft", "ttft_p95" (any case, an optional "_ms" at the end).
Parts split_name(std::string_view written) {
  std::string name = core::to_lower(core::trim(written));
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), ' ', '_');
  if (name.size() > 3 && name.ends_with("_ms")) name.resize(name.size() - 3);
  if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
    return {std::string(resolve(name.substr(0, colon), kLatencyAliases)), name.substr(colon + 1)};
  }
  const auto is_statistic = [](std::string_view word) {
    return !statistic_of(word).empty() || looks_like_percentile(word);
  };
  const auto base_of = [](std::string_view word) { return resolve(word, kLatencyAliases); };
  const std::size_t first = name.find('_');
  if (first != std::string::npos && is_statistic(name.substr(0, first)) &&
      is_latency(base_of(name.substr(first + 1)))) {
    return {std::string(base_of(name.substr(first + 1))), name.substr(0, first)};
  }
  const std::size_t last = name.rfind('_');
  if (last != std::string::npos && is_statistic(name.substr(last + 1)) &&
      is_latency(base_of(name.substr(0, last)))) {
    return {std::string(base_of(name.substr(0, last))), name.substr(last + 1)};
  }
  if (is_latency(base_of(name))) return {std::string(base_of(name)), ""};
  return {name, ""};
}

std::string statistic_list() {
  return "mean, p50, p90, p95, p99 or max";
}

core::Error unknown_metric(std::string_view written, const std::string& base) {
  std::vector<std::string> known = metric_names();
  for (const std::string& latency : latency_bases()) known.push_back(latency);
  for (const Alias& alias : kScalarAliases) known.emplace_back(alias.alias);
  std::string hint = core::did_you_mean(std::string(core::trim(written)), known);
  if (hint.empty()) hint = core::did_you_mean(base, known);
  if (hint.empty()) hint = "known metrics: " + core::join(metric_names(), ", ");
  return core::invalid_input("unknown metric '" + std::string(written) + "'", std::move(hint));
}

}  // namespace

const std::vector<std::string>& latency_bases() {
  static const std::vector<std::string> bases{"ttft",           "tpot",          "itl",      "e2e",
                                              "ttft_from_send", "e2e_from_send", "send_lag", "event_gap"};
  return bases;
}

const std::vector<std::string>& latency_statistics() {
  static const std::vector<std::string> statistics{"mean", "p50", "p90", "p95", "p99", "max"};
  return statistics;
}

std::string resolve_latency(std::string_view name) {
  return split_name(name).base;
}

core::Result<Metric> parse_metric(std::string_view name) {
  const Parts parts = split_name(name);
  if (is_latency(parts.base)) {
    if (parts.statistic.empty()) {
      return core::invalid_input("'" + std::string(name) + "' needs a statistic",
                                 "write " + parts.base + ":p95 (or one of " + statistic_list() + ")");
    }
    const std::string_view statistic = statistic_of(parts.statistic);
    if (statistic.empty()) {
      return core::invalid_input("'" + parts.statistic + "' is no statistic of " + parts.base,
                                 "use " + statistic_list());
    }
    return Metric{parts.base + ":" + std::string(statistic), "ms", false};
  }
  const std::string_view scalar = parts.statistic.empty() ? resolve(parts.base, kScalarAliases) : "";
  for (const Scalar& known : kScalars) {
    if (known.name == scalar) {
      return Metric{std::string(known.name), std::string(known.unit), known.higher_is_better};
    }
  }
  return unknown_metric(name, parts.base);
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    all.reserve(kScalars.size() + latency_bases().size() * latency_statistics().size());
    for (const Scalar& scalar : kScalars) all.emplace_back(scalar.name);
    for (const std::string& base : latency_bases()) {
      for (const std::string& statistic : latency_statistics()) all.push_back(base + ":" + statistic);
    }
    return all;
  }();
  return names;
}

}  // namespace paretune::load
