#include "paretune/load/prometheus.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "paretune/core/text.hpp"

namespace paretune::load {

namespace {

std::optional<double> parse_value(std::string_view text) {
  if (text == "+Inf" || text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  if (core::to_lower(text) == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads `name="value",` pairs up to the closing brace and removes them from `text`.
bool take_labels(std::string_view& text, std::map<std::string, std::string>& labels) {
  while (true) {
    text = core::trim(text);
    if (text.empty()) return false;
    if (text[0] == '}') {
      text.remove_prefix(1);
      return true;
    }
    const std::size_t equals = text.find("=\"");
    if (equals == std::string_view::npos) return false;
    std::string& value = labels[std::string(core::trim(text.substr(0, equals)))];
    std::size_t i = equals + 2;
    for (; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      value += text[i] == 'n' && text[i - 1] == '\\' ? '\n' : text[i];
    }
    if (i >= text.size()) return false;
    text.remove_prefix(i + 1);
    text = core::trim(text);
    if (!text.empty() && text[0] == ',') text.remove_prefix(1);
  }
}

std::optional<MetricSample> parse_sample(std::string_view line) {
  line = core::trim(line);
  if (line.empty() || line[0] == '#') return std::nullopt;
  MetricSample sample;
  const std::size_t end = line.find_first_of("{ \t");
  if (end == std::string_view::npos) return std::nullopt;
  sample.name = line.substr(0, end);
  line.remove_prefix(end);
  if (line[0] == '{') {
    line.remove_prefix(1);
    if (!take_labels(line, sample.labels)) return std::nullopt;
  }
  line = core::trim(line);
  // A time stamp may follow the value.
  const auto value = parse_value(line.substr(0, line.find_first_of(" \t")));
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

constexpr std::array<std::string_view, 6> kPromptCounters{
    "vllm:prompt_tokens_total",   "sglang:prompt_tokens_total",   "llamacpp:prompt_tokens_total",
    "trtllm_prompt_tokens_total", "tgi_request_input_length_sum", "prompt_tokens_total"};
constexpr std::array<std::string_view, 6> kGeneratedCounters{
    "vllm:generation_tokens_total",   "sglang:generation_tokens_total",   "llamacpp:tokens_predicted_total",
    "trtllm_generation_tokens_total", "tgi_request_generated_tokens_sum", "generation_tokens_total"};

struct CacheCounters {
  std::string_view hits;
  std::string_view queries;
};
constexpr std::array<CacheCounters, 3> kCacheCounters{
    {{"vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total"},
     {"vllm:gpu_prefix_cache_hits_total", "vllm:gpu_prefix_cache_queries_total"},
     {"sglang:cached_tokens_total", "sglang:prompt_tokens_total"}}};

/// The first name of which `value` knows something.
template <class Names, class Value>
std::optional<double> first_known(const Names& names, Value value) {
  for (const std::string_view name : names) {
    if (const auto found = value(name)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> MetricsPage::sum(std::string_view name) const {
  std::optional<double> total;
  for (const MetricSample& sample : samples) {
    if (sample.name == name) total = total.value_or(0) + sample.value;
  }
  if (total && std::isnan(*total)) return std::nullopt;
  return total;
}

MetricsPage parse_metrics_page(std::string_view text) {
  MetricsPage page;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto sample = parse_sample(text.substr(0, end))) page.samples.push_back(std::move(*sample));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return page;
}

std::optional<double> counter_growth(const MetricsPage& before, const MetricsPage& after,
                                     std::string_view name) {
  const auto total_before = before.sum(name);
  const auto total_after = after.sum(name);
  if (!total_before || !total_after) return std::nullopt;
  for (const MetricSample& old : before.samples) {
    if (old.name != name) continue;
    const auto same = std::find_if(
        after.samples.begin(), after.samples.end(),
        [&](const MetricSample& sample) { return sample.name == name && sample.labels == old.labels; });
    if (same == after.samples.end() || same->value < old.value) return std::nullopt;
  }
  return *total_after - *total_before;
}

ServerTokens server_tokens(const MetricsPage& page) {
  const auto value = [&page](std::string_view name) { return page.sum(name); };
  return {first_known(kPromptCounters, value), first_known(kGeneratedCounters, value)};
}

ServerTokens server_token_growth(const MetricsPage& before, const MetricsPage& after) {
  const auto value = [&](std::string_view name) { return counter_growth(before, after, name); };
  return {first_known(kPromptCounters, value), first_known(kGeneratedCounters, value)};
}

std::optional<double> prefix_cache_hit_rate(const MetricsPage& before, const MetricsPage& after) {
  for (const CacheCounters& counters : kCacheCounters) {
    const auto hits = counter_growth(before, after, counters.hits);
    const auto queries = counter_growth(before, after, counters.queries);
    if (hits && queries && *queries > 0) return *hits / *queries;
  }
  return std::nullopt;
}

}  // namespace paretune::load
