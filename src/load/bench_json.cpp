// vLLM's result file. Tools that read it take every key ending in "ms" for a number: none may be null.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "load/rates.hpp"
#include "load/request_times.hpp"
#include "paretune/core/version.hpp"
#include "paretune/load/bench.hpp"

namespace paretune::load {

namespace {

using core::Json;

/// Values over the successful measured requests, in vLLM's sense of each metric.
struct VllmSeries {
  std::vector<double> ttft, tpot, itl, e2el;
};

bool counts(const RequestRecord& record) {
  return !record.warmup && record.outcome == Outcome::Ok;
}

VllmSeries series_of(const Window& window) {
  VllmSeries series;
  const auto add = [](std::vector<double>& values, const std::optional<double>& value) {
    if (value) values.push_back(*value);
  };
  for (const RequestRecord& record : window.records) {
    if (!counts(record)) continue;
    add(series.ttft, ttft_from_send_ms(record));
    add(series.tpot, tpot_ms(record));
    add(series.e2el, e2e_from_send_ms(record));
    const std::vector<double> gaps = event_gaps_ms(record);
    series.itl.insert(series.itl.end(), gaps.begin(), gaps.end());
  }
  return series;
}

void add_latency(Json& json, const std::string& name, std::vector<double> values) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  json["mean_" + name + "_ms"] = mean;
  json["median_" + name + "_ms"] = percentile(values, 50);
  json["std_" + name + "_ms"] = std::sqrt(squares / n);
  for (const int percent : {90, 95, 99}) {
    json["p" + std::to_string(percent) + "_" + name + "_ms"] = percentile(values, percent);
  }
}

/// Most output tokens in one second of the window; counts tokens, not events.
double peak_output_tokens(const Window& window) {
  const double length = window.measured_to_s - window.measured_from_s;
  if (length <= 0) return 0;
  std::vector<double> buckets(static_cast<std::size_t>(std::ceil(length)), 0.0);
  for (const RequestRecord& record : window.records) {
    if (is_failure(record.outcome)) continue;
    for (const TokenEvent& event : record.events) {
      const double at = static_cast<double>(event.time_ns) * 1e-9 - window.measured_from_s;
      if (at < 0 || at > length) continue;
      buckets[std::min(buckets.size() - 1, static_cast<std::size_t>(at))] += event.tokens;
    }
  }
  return *std::max_element(buckets.begin(), buckets.end());
}

/// Exact peak of requests in flight inside the window; at equal times an end goes before a start.
std::size_t peak_in_flight(const Window& window) {
  const auto from = static_cast<std::int64_t>(std::llround(window.measured_from_s * 1e9));
  const auto to = static_cast<std::int64_t>(std::llround(window.measured_to_s * 1e9));
  std::vector<std::pair<std::int64_t, int>> steps;
  for (const RequestRecord& record : window.records) {
    if (record.sent_ns < 0 || record.sent_ns > to || record.done_ns < from) continue;
    steps.emplace_back(std::max(record.sent_ns, from), +1);
    steps.emplace_back(record.done_ns, -1);
  }
  std::sort(steps.begin(), steps.end());
  std::ptrdiff_t open = 0, peak = 0;
  for (const auto& [time, step] : steps) peak = std::max(peak, open += step);
  return static_cast<std::size_t>(peak);
}

void add_setup(Json& json, const BenchOptions& options, const BenchResult& result) {
  const bool chat = options.address.api == Api::Chat;
  json["date"] = result.started;
  json["endpoint_type"] = chat ? "openai-chat" : "openai";
  json["backend"] = chat ? "openai-chat" : "openai";
  json["label"] = nullptr;
  json["model_id"] = result.address.model;
  json["tokenizer_id"] = result.address.model;
  const Measurement& m = result.measurement;
  json["num_prompts"] = m.ok + m.failed + m.cancelled;
  if (options.level.open_loop) {
    json["request_rate"] = options.level.value;
    json["burstiness"] = options.workload.arrival == Arrival::Gamma ? options.workload.burstiness : 1.0;
    json["max_concurrency"] = nullptr;
    if (options.workload.max_concurrency) json["max_concurrency"] = *options.workload.max_concurrency;
  } else {
    json["request_rate"] = "inf";
    json["burstiness"] = 1.0;
    json["max_concurrency"] = static_cast<std::int64_t>(options.level.value);
  }
}

void add_results(Json& json, const BenchOptions& options, const BenchResult& result) {
  const Measurement& m = result.measurement;
  const WindowCounts counts = count_between(result.window, options.workload, options.level.open_loop,
                                            result.window.measured_from_s, result.window.measured_to_s);
  const auto rate = [&](const char* name) {
    const auto found = m.metrics.find(name);
    return found == m.metrics.end() ? 0.0 : found->second;
  };
  json["duration"] = m.window_s;
  json["completed"] = m.ok;
  json["failed"] = m.failed;
  json["cancelled"] = m.cancelled;
  json["total_input_tokens"] = std::llround(counts.prompt_tokens);
  json["total_output_tokens"] = std::llround(counts.output_tokens);
  json["request_throughput"] = rate("request_throughput");
  json["request_goodput"] = nullptr;
  if (!options.workload.slo.empty()) json["request_goodput"] = rate("goodput");
  json["output_throughput"] = rate("output_throughput");
  json["total_token_throughput"] = rate("total_throughput");
  json["max_output_tokens_per_s"] = peak_output_tokens(result.window);
  json["max_concurrent_requests"] = peak_in_flight(result.window);
}

Json definitions() {
  return {
      {"ttft", "first event with generated text (content, reasoning, tool call), from the send"},
      {"tpot", "(last token - first token) / (output tokens - 1); none under 2 tokens or if held back"},
      {"itl", "raw gap between events with text; an event may hold several tokens"},
      {"e2el", "last event with generated text, from the send"},
      {"send_lag", "send - due time"},
      {"output_tokens", "usage.completion_tokens of the server, else one per event (finding usage_missing)"},
      {"throughput", "tokens and completions that came inside the window, over its length"},
      {"percentile", "linear interpolation, over successful requests due inside the window"},
      {"x_paretune", "metrics under paretune's names: ttft and e2e from the due time, itl per token"}};
}

Json findings_json(const std::vector<core::Finding>& findings) {
  Json list = Json::array();
  for (const core::Finding& finding : findings) {
    list.push_back({{"code", finding.code},
                    {"invalidates", finding.invalidates},
                    {"value", finding.value ? Json(*finding.value) : Json(nullptr)},
                    {"message", finding.message},
                    {"recommendation", finding.recommendation}});
  }
  return list;
}

Json own_block(const BenchOptions& options, const BenchResult& result) {
  const Measurement& m = result.measurement;
  Json json{{"version", core::version()}, {"seed", result.seed}};
  json["workload"] = to_json(options.workload);
  json["window"] = {{"from", result.window.measured_from_s},
                    {"to", result.window.measured_to_s},
                    {"interrupted", result.window.interrupted},
                    {"aborted", result.window.aborted}};
  json["metrics"] = Json::object();
  for (const auto& [name, value] : m.metrics) json["metrics"][name] = value;
  json["ci95"] = Json::object();
  for (const auto& [name, bounds] : m.ci95) json["ci95"][name] = {bounds.first, bounds.second};
  json["failures"] = Json::object();
  for (const auto& [word, count] : m.failures) json["failures"][word] = count;
  json["first_error"] = m.first_error.empty() ? Json(nullptr) : Json(m.first_error);
  if (m.attainment) {
    json["slo_attainment"] = {{"conforming", m.attainment->conforming},
                              {"counted", m.attainment->counted},
                              {"left_out", m.attainment->left_out}};
  }
  json["tls_verified"] = !options.address.insecure;
  json["proxy"] = options.address.proxy.empty() ? "none" : "set";
  return json;
}

void add_detail(Json& json, const Window& window) {
  for (const char* key : {"input_lens", "output_lens", "ttfts", "itls", "start_times", "errors"}) {
    json[key] = Json::array();
  }
  for (const RequestRecord& record : window.records) {
    if (record.warmup) continue;
    const bool ok = record.outcome == Outcome::Ok;
    json["input_lens"].push_back(record.prompt_tokens);
    json["output_lens"].push_back(ok ? record.output_tokens : 0);
    json["ttfts"].push_back(ok ? ttft_from_send_ms(record).value_or(0) / 1e3 : 0.0);
    Json gaps = Json::array();
    for (const double gap : ok ? event_gaps_ms(record) : std::vector<double>{}) gaps.push_back(gap / 1e3);
    json["itls"].push_back(std::move(gaps));
    json["start_times"].push_back(static_cast<double>(std::max<std::int64_t>(record.sent_ns, 0)) * 1e-9);
    json["errors"].push_back(ok ? "" : record.error.empty() ? to_string(record.outcome) : record.error);
  }
}

}  // namespace

Json bench_json(const BenchOptions& options, const BenchResult& result, bool detailed) {
  Json json;
  add_setup(json, options, result);
  add_results(json, options, result);
  VllmSeries series = series_of(result.window);
  add_latency(json, "ttft", std::move(series.ttft));
  add_latency(json, "tpot", std::move(series.tpot));
  add_latency(json, "itl", std::move(series.itl));
  add_latency(json, "e2el", std::move(series.e2el));
  const auto& metrics = result.measurement.metrics;
  if (const auto lag = metrics.find("send_lag:p99"); lag != metrics.end())
    json["p99_send_lag_ms"] = lag->second;
  if (detailed) add_detail(json, result.window);
  json["definitions"] = definitions();
  json["findings"] = findings_json(result.measurement.findings);
  json["x_paretune"] = own_block(options, result);
  return json;
}

}  // namespace paretune::load
