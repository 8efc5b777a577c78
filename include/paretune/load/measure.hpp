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
  std::uint64_t seed = 1;  ///< prompts and arrivals; different for every window so that no prompt repeats
  double timeout_s = 0;  ///< hard end of warm-up and window together (0 = none beyond the request time-outs)
  std::size_t max_errors = 0;  ///< stop early after this many failures in a row (0 = 50)
  EndpointAddress address;  ///< api and model for the request bodies; without a base_url no bodies are made
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
  double client_cpu_s = 0;             ///< CPU seconds of the load thread; 0 on a virtual clock
  double max_loop_lag_s = 0;           ///< worst delay of the loop against its own timers
};

/// Runs warm-up and measured window in one go (no gap between them). All waiting is endpoint.poll(), all time
/// is endpoint.clock(), so virtual endpoints run without sleeping. The window ends at its duration (what is
/// in flight or queued then is cut off: Cancelled), or when the asked number of requests have all ended.
/// @return Error{InvalidInput} for a level below 1 (closed loop) or not above 0 (open loop).
core::Result<Window> generate_load(Endpoint& endpoint, const Workload& workload, const LoadLevel& level,
                                   const WindowOptions& options, std::stop_token stop,
                                   const std::function<void(const Progress&)>& progress = {});

/// Share of requests that meet every bound of the workload's slo.
struct Attainment {
  std::size_t conforming = 0;
  std::size_t counted = 0;   ///< those that can be judged, and the failed ones
  std::size_t left_out = 0;  ///< cut off by us, or a bound has no value (tpot of one token)
};

struct Measurement {
  std::size_t ok = 0, failed = 0, cancelled = 0;
  std::map<std::string, std::size_t> failures;            ///< by outcome word
  MetricValues metrics;                                   ///< file units; unknown = absent
  std::map<std::string, std::pair<double, double>> ci95;  ///< where known
  std::vector<core::Finding> findings;
  std::uint64_t prompt_tokens = 0, output_tokens = 0;  ///< of measured requests
  std::string first_error;
  double window_s = 0;
  std::optional<Attainment> attainment;  ///< only with an slo
};

/// `gpus` feeds the per-GPU metrics; `gpu_hour_price` the cost per million tokens.
struct SummaryOptions {
  std::optional<double> gpus;
  std::optional<double> gpu_hour_price;
};

/// Latencies: exact percentiles (numpy's linear method) over the requests due inside the window that
/// succeeded; failed ones are counted, never averaged in. Rates: what happened inside the window (tokens and
/// completions by their time, also of requests that began in the warm-up or were cut off) over its length.
/// Definitions: docs/metrics.md.
Measurement summarize(const Window& window, const Workload& workload, const LoadLevel& level,
                      const SummaryOptions& options);

/// numpy.percentile, linear. @param sorted ascending, not empty. @param percent 0…100.
double percentile(std::span<const double> sorted, double percent);

}  // namespace paretune::load
