#include "load/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "load/rates.hpp"
#include "paretune/core/random.hpp"
#include "paretune/load/metric_names.hpp"

namespace paretune::load {

namespace {

constexpr std::uint32_t kFewestRequests = 20;
constexpr std::size_t kResamples = 200;
constexpr std::size_t kFewestResamples = 50;
// Samples touched per series and bootstrap; keeps the summary of millions of tokens well under a second.
constexpr std::size_t kWorkLimit = 20'000'000;
constexpr std::uint64_t kSeed = 20240917;
constexpr std::size_t kSlices = 24;
constexpr double kShortestSlice_s = 0.05;

using Interval = std::pair<double, double>;

Interval middle_95(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {percentile(values, 2.5), percentile(values, 97.5)};
}

/// How often each of `n` items is drawn, in blocks of neighbours (wrapping round, so that the ends count as
/// much).
std::vector<std::uint32_t> draw_blocks(std::size_t n, core::Random& random) {
  // n^(1/3) is the usual order for the block length of a mean.
  const auto block =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(n)))));
  std::vector<std::uint32_t> times(n, 0);
  std::size_t drawn = 0;
  while (drawn < n) {
    const std::size_t start = random.index(n);
    for (std::size_t i = 0; i < block && drawn < n; ++i, ++drawn) ++times[(start + i) % n];
  }
  return times;
}

/// Mean and percentiles of samples that count `times[request]` times each: one walk along the sorted samples.
class WeightedWalk {
 public:
  WeightedWalk(const std::vector<Sample>& sorted, const std::vector<std::uint32_t>& times) {
    for (const Sample& sample : sorted) total_ += times[sample.request];
    if (total_ == 0) return;
    for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
      position_[i] = kQuantiles[i] * static_cast<double>(total_ - 1);
    }
    walk(sorted, times);
  }
  bool empty() const { return total_ == 0; }
  double mean() const { return sum_ / static_cast<double>(total_); }
  double quantile(std::size_t i) const {
    return low_[i] + (high_[i] - low_[i]) * (position_[i] - std::floor(position_[i]));
  }
  static constexpr std::array<double, 4> kQuantiles{0.5, 0.9, 0.95, 0.99};

 private:
  void walk(const std::vector<Sample>& sorted, const std::vector<std::uint32_t>& times) {
    double before = 0;  // samples passed
    for (const Sample& sample : sorted) {
      const double weight = times[sample.request];
      if (weight == 0) continue;
      sum_ += weight * sample.value_ms;
      for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
        const double rank = std::floor(position_[i]);
        const double next = std::min(rank + 1, static_cast<double>(total_ - 1));
        if (rank >= before && rank < before + weight) low_[i] = sample.value_ms;
        if (next >= before && next < before + weight) high_[i] = sample.value_ms;
      }
      before += weight;
    }
  }

  std::uint64_t total_ = 0;
  double sum_ = 0;
  std::array<double, 4> position_{}, low_{}, high_{};
};

void latency_intervals(const std::string& base, const std::vector<Sample>& samples, std::uint32_t requests,
                       std::map<std::string, Interval>& result) {
  core::Random random(core::derive_seed(kSeed, base));
  const std::size_t resamples =
      std::clamp(kWorkLimit / std::max<std::size_t>(samples.size(), 1), kFewestResamples, kResamples);
  std::vector<double> means;
  std::array<std::vector<double>, 4> quantiles;
  for (std::size_t i = 0; i < resamples; ++i) {
    const WeightedWalk walk(samples, draw_blocks(requests, random));
    if (walk.empty()) continue;
    means.push_back(walk.mean());
    for (std::size_t q = 0; q < quantiles.size(); ++q) quantiles[q].push_back(walk.quantile(q));
  }
  if (means.size() < kFewestResamples) return;
  result[base + ":mean"] = middle_95(std::move(means));
  static const std::array<std::string, 4> kNames{":p50", ":p90", ":p95", ":p99"};
  for (std::size_t q = 0; q < quantiles.size(); ++q)
    result[base + kNames[q]] = middle_95(std::move(quantiles[q]));
}

/// Rates: the window in equal slices, drawn in blocks.
void rate_intervals(const Window& window, const Workload& workload, bool open_loop,
                    std::map<std::string, Interval>& result) {
  const double length = window.measured_to_s - window.measured_from_s;
  const double slice_s = length / static_cast<double>(kSlices);
  if (slice_s < kShortestSlice_s) return;
  std::vector<WindowCounts> slices;
  for (std::size_t i = 0; i < kSlices; ++i) {
    const double from = window.measured_from_s + static_cast<double>(i) * slice_s;
    slices.push_back(count_between(window, workload, open_loop, from, from + slice_s));
  }
  core::Random random(core::derive_seed(kSeed, "rates"));
  std::map<std::string, std::vector<double>> draws;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const std::vector<std::uint32_t> times = draw_blocks(kSlices, random);
    double output = 0, total = 0, completed = 0, good = 0;
    for (std::size_t s = 0; s < kSlices; ++s) {
      output += times[s] * slices[s].output_tokens;
      total += times[s] * (slices[s].output_tokens + slices[s].prompt_tokens);
      completed += times[s] * static_cast<double>(slices[s].completed);
      good += times[s] * static_cast<double>(slices[s].good);
    }
    draws["output_throughput"].push_back(output / length);
    draws["total_throughput"].push_back(total / length);
    draws["request_throughput"].push_back(completed / length);
    if (!workload.slo.empty()) draws["goodput"].push_back(good / length);
  }
  for (auto& [name, values] : draws) result[name] = middle_95(std::move(values));
}

}  // namespace

std::map<std::string, Interval> intervals(const Window& window, const Workload& workload,
                                          const LoadLevel& level, const MeasuredSeries& measured) {
  std::map<std::string, Interval> result;
  if (measured.requests < kFewestRequests) return result;
  for (const auto& [base, samples] : measured.series)
    latency_intervals(base, samples, measured.requests, result);
  rate_intervals(window, workload, level.open_loop, result);
  return result;
}

}  // namespace paretune::load
