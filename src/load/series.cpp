#include "load/series.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "load/request_times.hpp"

namespace paretune::load {

namespace {

void add(SeriesByBase& series, const char* base, std::uint32_t request, const std::optional<double>& value) {
  if (value) series[base].push_back({*value, request});
}

void add_all(SeriesByBase& series, const char* base, std::uint32_t request,
             const std::vector<double>& values) {
  if (values.empty()) return;
  auto& samples = series[base];
  for (const double value : values) samples.push_back({value, request});
}

template <class At>
double interpolate(std::size_t count, double fraction, At at) {
  // numpy's "linear": position (n - 1) q between the sorted values.
  const double position = static_cast<double>(count - 1) * fraction;
  const auto low = static_cast<std::size_t>(std::floor(position));
  const std::size_t high = std::min(low + 1, count - 1);
  return at(low) + (at(high) - at(low)) * (position - std::floor(position));
}

}  // namespace

MeasuredSeries collect_series(const std::vector<RequestRecord>& records, bool open_loop) {
  MeasuredSeries result;
  for (const RequestRecord& record : records) {
    if (record.warmup || record.outcome != Outcome::Ok) continue;
    const std::uint32_t request = result.requests++;
    add(result.series, "ttft", request, ttft_ms(record, open_loop));
    add(result.series, "e2e", request, e2e_ms(record, open_loop));
    add(result.series, "tpot", request, tpot_ms(record));
    add(result.series, "ttft_from_send", request, ttft_from_send_ms(record));
    add(result.series, "e2e_from_send", request, e2e_from_send_ms(record));
    add(result.series, "send_lag", request, send_lag_ms(record));
    add_all(result.series, "itl", request, token_gaps_ms(record));
    add_all(result.series, "event_gap", request, event_gaps_ms(record));
  }
  for (auto& [base, samples] : result.series) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.value_ms < b.value_ms; });
  }
  return result;
}

double quantile_of(const std::string& statistic) {
  if (statistic == "p50") return 0.5;
  if (statistic == "p90") return 0.9;
  if (statistic == "p95") return 0.95;
  if (statistic == "p99") return 0.99;
  return -1;
}

double statistic_of(const std::vector<Sample>& sorted, const std::string& statistic) {
  if (statistic == "max") return sorted.back().value_ms;
  if (statistic == "mean") {
    double sum = 0;
    for (const Sample& sample : sorted) sum += sample.value_ms;
    return sum / static_cast<double>(sorted.size());
  }
  return interpolate(sorted.size(), quantile_of(statistic),
                     [&](std::size_t i) { return sorted[i].value_ms; });
}

double percentile(std::span<const double> sorted, double percent) {
  if (sorted.empty() || !(percent >= 0 && percent <= 100)) {
    throw std::invalid_argument("percentile: needs values and a percentage of 0 to 100");
  }
  return interpolate(sorted.size(), percent / 100, [&](std::size_t i) { return sorted[i]; });
}

}  // namespace paretune::load
