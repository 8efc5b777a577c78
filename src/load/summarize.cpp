#include <algorithm>
#include <cmath>

#include "load/interval.hpp"
#include "load/rates.hpp"
#include "load/series.hpp"
#include "load/validity.hpp"
#include "paretune/load/measure.hpp"
#include "paretune/load/metric_names.hpp"

namespace paretune::load {

namespace {

void count_outcomes(const Window& window, Measurement& result) {
  for (const RequestRecord& record : window.records) {
    if (record.warmup) continue;
    if (record.outcome == Outcome::Ok) ++result.ok;
    if (record.outcome == Outcome::Cancelled) ++result.cancelled;
    if (is_failure(record.outcome)) {
      ++result.failed;
      ++result.failures[to_string(record.outcome)];
      if (result.first_error.empty()) result.first_error = record.error;
      continue;
    }
    result.output_tokens += record.output_tokens;
    // The prompt of a request that was never answered was perhaps never read.
    if (record.first_token_ns >= 0) result.prompt_tokens += record.prompt_tokens;
  }
}

Attainment attainment_of(const Window& window, const Workload& workload, bool open_loop) {
  Attainment result;
  for (const RequestRecord& record : window.records) {
    if (record.warmup) continue;
    if (is_failure(record.outcome)) {
      ++result.counted;
      continue;
    }
    const auto good = record.outcome == Outcome::Ok ? meets_slo(record, workload, open_loop) : std::nullopt;
    if (!good) {
      ++result.left_out;
      continue;
    }
    ++result.counted;
    if (*good) ++result.conforming;
  }
  return result;
}

void add_latencies(const MeasuredSeries& measured, MetricValues& metrics) {
  for (const auto& [base, samples] : measured.series) {
    for (const std::string& statistic : latency_statistics()) {
      metrics[base + ":" + statistic] = statistic_of(samples, statistic);
    }
  }
}

void add_rates(const WindowCounts& counts, const Workload& workload, Measurement& result) {
  if (result.window_s <= 0) return;
  MetricValues& metrics = result.metrics;
  metrics["request_throughput"] = static_cast<double>(counts.completed) / result.window_s;
  metrics["output_throughput"] = counts.output_tokens / result.window_s;
  metrics["total_throughput"] = (counts.output_tokens + counts.prompt_tokens) / result.window_s;
  metrics["concurrency"] = counts.mean_in_flight;
  if (!workload.slo.empty()) metrics["goodput"] = static_cast<double>(counts.good) / result.window_s;
}

void add_derived(const SummaryOptions& options, MetricValues& metrics) {
  if (const auto tpot = metrics.find("tpot:mean"); tpot != metrics.end() && tpot->second > 0) {
    metrics["output_throughput_per_user"] = 1000 / tpot->second;
  }
  if (!options.gpus) return;
  metrics["gpus"] = *options.gpus;
  const auto output = metrics.find("output_throughput");
  if (output == metrics.end() || *options.gpus <= 0) return;
  metrics["output_throughput_per_gpu"] = output->second / *options.gpus;
  if (options.gpu_hour_price && output->second > 0) {
    const double price_per_s = *options.gpu_hour_price * *options.gpus / 3600;
    metrics["cost_per_million_tokens"] = price_per_s / output->second * 1e6;
  }
}

/// Intervals of metrics that are another one scaled or inverted.
void add_derived_intervals(const SummaryOptions& options, Measurement& result) {
  if (const auto tpot = result.ci95.find("tpot:mean"); tpot != result.ci95.end() && tpot->second.first > 0) {
    result.ci95["output_throughput_per_user"] = {1000 / tpot->second.second, 1000 / tpot->second.first};
  }
  const auto output = result.ci95.find("output_throughput");
  if (output == result.ci95.end() || !options.gpus || *options.gpus <= 0) return;
  const auto [low, high] = output->second;
  result.ci95["output_throughput_per_gpu"] = {low / *options.gpus, high / *options.gpus};
  if (options.gpu_hour_price && low > 0) {
    const double price = *options.gpu_hour_price * *options.gpus / 3600 * 1e6;
    result.ci95["cost_per_million_tokens"] = {price / high, price / low};
  }
}

}  // namespace

Measurement summarize(const Window& window, const Workload& workload, const LoadLevel& level,
                      const SummaryOptions& options) {
  Measurement result;
  result.window_s = std::max(0.0, window.measured_to_s - window.measured_from_s);
  count_outcomes(window, result);
  const MeasuredSeries measured = collect_series(window.records, level.open_loop);
  add_latencies(measured, result.metrics);
  add_rates(count_between(window, workload, level.open_loop, window.measured_from_s, window.measured_to_s),
            workload, result);
  if (result.ok + result.failed > 0) {
    result.metrics["error_rate"] =
        static_cast<double>(result.failed) / static_cast<double>(result.ok + result.failed);
  }
  if (!workload.slo.empty()) result.attainment = attainment_of(window, workload, level.open_loop);
  add_derived(options, result.metrics);
  result.ci95 = intervals(window, workload, level, measured);
  add_derived_intervals(options, result);
  result.findings = judge(window, workload, level, result);
  return result;
}

}  // namespace paretune::load
