// One measurement of a running endpoint: everything the `bench` command needs below its options and its
// printing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "paretune/core/json.hpp"
#include "paretune/load/measure.hpp"

namespace paretune::load {

struct BenchOptions {
  EndpointAddress address;  ///< an empty model means: the only id of /v1/models
  Workload workload;
  LoadLevel level;
  /// Of prompts and arrivals. Without one, a fresh seed is drawn and reported: the same prompts again would
  /// meet the server's warm prefix cache and look faster.
  std::optional<std::uint64_t> seed;
  std::size_t max_errors =
      0;  ///< stop after this many failures in a row; 0 = 50, or never if requests are counted
  SummaryOptions summary;
};

struct BenchResult {
  EndpointAddress address;  ///< with the model that was used
  std::uint64_t seed = 0;
  std::string started;  ///< local time, YYYYmmdd-HHMMSS
  Window window;
  Measurement measurement;
};

/// Looks the endpoint up, measures one window, sums it up. A window in which nothing succeeded is a result,
/// too.
/// @return Error{Environment} if the endpoint cannot be reached (also TLS), Error{InvalidInput} for a bad URL
/// or a
///         model that must be named because there are several.
core::Result<BenchResult> run_bench(const BenchOptions& options, std::stop_token stop,
                                    const std::function<void(const Progress&)>& progress = {});

/// The file of `vllm bench serve --save-result`, with vLLM's meanings (ttft and e2el from the send, itl as
/// raw gaps between events), plus p99_send_lag_ms, definitions, findings and our metrics under x_paretune. A
/// latency without samples is absent, never 0. Token totals and throughputs count what came inside the
/// window.
/// @param detailed  also the arrays per request (input_lens, output_lens, ttfts, itls, start_times, errors).
core::Json bench_json(const BenchOptions& options, const BenchResult& result, bool detailed);

/// Every record with its events, one JSON object per line: each number of a measurement can be computed
/// again.
std::string records_jsonl(const Window& window, bool open_loop);
/// The same without the events, with a header line.
std::string records_csv(const Window& window, bool open_loop);

}  // namespace paretune::load
