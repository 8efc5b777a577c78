// The load loop and the summary: requests out on schedule, records back, metrics with exact percentiles.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "paretune/core/clock.hpp"
#include "paretune/core/finding.hpp"
#include "paretune/load/endpoint.hpp"
#include "paretune/load/metric.hpp"
#include "paretune/load/record.hpp"
#include "paretune/load/workload.hpp"

namespace paretune::load {

/// One load level of a workload.
struct LoadLevel {
  bool open_loop = false;
  double value = 1;  ///< concurrency, or requests/s
};

struct WindowOptions {
  std::uint64_t seed = 1;        ///< prompts and arrivals; different for every window so that no prompt repeats
  double timeout_s = 0;          ///< hard end of the whole window (0 = duration + drain limit)
  std::size_t max_errors = 0;    ///< stop early after this many failures in a row (0 = 50)
  EndpointAddress address;       ///< api and model for the request bodies
};

struct Progress {
  double elapsed_s = 0;
  std::size_t finished = 0, failed = 0, in_flight = 0;
};

struct Window {
  std::vector<RequestRecord> records;  ///< in order of index; warm-up requests included and marked
  double measured_from_s = 0;          ///< start of the measured part, on the records' axis
  double measured_to_s = 0;            ///< end: the last moment that counts
  bool interrupted = false;            ///< a stop was requested
  bool aborted = false;                ///< too many errors or the hard time-out
  double client_cpu_s = 0;             ///< CPU seconds of the load thread during the window
  double max_loop_lag_s = 0;           ///< worst delay of the loop against its own timers
};

/// Runs warm-up and measured window in one go (no gap between them).
core::Result<Window> generate_load(Endpoint& endpoint, const Workload& workload, const LoadLevel& level,
                                   const WindowOptions& options, std::stop_token stop,
                                   const std::function<void(const Progress&)>& progress = {});

struct Measurement {
  std::size_t ok = 0, failed = 0, cancelled = 0;
  std::map<std::string, std::size_t> failures;   ///< by outcome word
  MetricValues metrics;                          ///< file units; unknown = absent
  std::map<std::string, std::pair<double, double>> ci95;  ///< where known
  std::vector<core::Finding> findings;
  std::uint64_t prompt_tokens = 0, output_tokens = 0;  ///< of measured requests
  std::string first_error;
  double window_s = 0;
};

/// `gpus` feeds the per-GPU metrics; `gpu_hour_price` the cost per million tokens.
struct SummaryOptions {
  std::optional<double> gpus;
  std::optional<double> gpu_hour_price;
};

/// Exact percentiles over the measured requests (numpy's linear method); failed requests are counted, never averaged in.
Measurement summarize(const Window& window, const Workload& workload, const LoadLevel& level,
                      const SummaryOptions& options);

/// numpy.percentile, linear. @param sorted ascending, not empty. @param percent 0…100.
double percentile(std::span<const double> sorted, double percent);

}  // namespace paretune::load
