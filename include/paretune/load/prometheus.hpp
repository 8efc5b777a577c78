// A server's /metrics page (Prometheus text format), and what a benchmark wants from it: its own token
// counters, to check ours against, and how much the prefix cache helped. Plain functions; safe from any
// thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paretune::load {

struct MetricSample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct MetricsPage {
  std::vector<MetricSample> samples;  ///< in the order of the page; lines that are no samples are left out

  /// Sum over all label sets; nullopt if there is no such sample or one is NaN.
  std::optional<double> sum(std::string_view name) const;
};

MetricsPage parse_metrics_page(std::string_view text);

/// Growth of a counter, summed over its label sets; nullopt if it is missing on a page or any label set went
/// down (the server was restarted, or the pages are swapped).
std::optional<double> counter_growth(const MetricsPage& before, const MetricsPage& after,
                                     std::string_view name);

/// Tokens by the server's own count since it started; names of vLLM, SGLang, llama.cpp, TensorRT-LLM and TGI
/// are known.
struct ServerTokens {
  std::optional<double> prompt;
  std::optional<double> generated;
};
ServerTokens server_tokens(const MetricsPage& page);
/// Between two pages; unknown where a counter went down.
ServerTokens server_token_growth(const MetricsPage& before, const MetricsPage& after);

/// Share of looked-up prompt tokens that the prefix cache held between two pages; nullopt if unknown.
std::optional<double> prefix_cache_hit_rate(const MetricsPage& before, const MetricsPage& after);

}  // namespace paretune::load
