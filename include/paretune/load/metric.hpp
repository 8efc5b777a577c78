// Names of metrics (design §2): base and statistic, aliases on input, unit and natural direction.
// Metric values are held in the units of files: ms for latencies, tok/s, requests/s, fractions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"

namespace paretune::load {

struct Metric {
  std::string name;  ///< canonical: "ttft:p95", "output_throughput"
  std::string unit;  ///< "ms", "tok/s", "requests/s", "" …
  bool higher_is_better = false;
};

/// Values by canonical name; a metric that is unknown is absent (never 0).
using MetricValues = std::map<std::string, double>;

/// Accepts canonical names and aliases (`p95_ttft_ms`, `ttft_p95`, `tps`, `qps` …).
/// @return Error{InvalidInput}: unknown (with "did you mean"), or a latency without a statistic (with a
/// hint).
core::Result<Metric> parse_metric(std::string_view name);

/// Every canonical name, in the order of tables and CSV columns.
const std::vector<std::string>& metric_names();

/// "ttft:p95 <= 200ms", "error_rate <= 1%", "output_throughput >= 500": metric, direction and bound in file
/// units.
struct Bound {
  Metric metric;
  bool upper = true;
  double value = 0;
};
core::Result<Bound> parse_bound(std::string_view text);
/// Per-request bound of goodput: "ttft <= 200ms", "tpot <= 50", "e2e <= 10s" (no statistic). `metric.name` =
/// ttft|tpot|itl|e2e.
core::Result<Bound> parse_request_bound(std::string_view text);
std::string to_text(const Bound& bound);

}  // namespace paretune::load
