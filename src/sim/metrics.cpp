#include "sim/metrics.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace paretune::sim {

namespace {

constexpr std::array kTtftBounds = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,  0.25,  0.5,   0.75,
                                    1.0,   2.5,   5.0,  7.5,  10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0};
constexpr std::array kGapBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                   0.05,   0.075,   0.1,    0.15,  0.2,    0.3,   0.4,  0.5,
                                   0.75,   1.0,     2.5,    5.0,   10.0,   80.0};
constexpr std::array kE2eBounds = {0.01, 0.05, 0.1,  0.3,  0.5,  0.8,  1.0,  1.5,   2.0,   2.5,   5.0,
                                   10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0};
constexpr std::array kTokenBounds = {1.0,   2.0,    5.0,    10.0,   20.0,    50.0,    100.0,   200.0,
                                     500.0, 1000.0, 2000.0, 5000.0, 10000.0, 20000.0, 50000.0, 100000.0};

/// Prometheus numbers: whole ones with ".0", as Python's client writes them.
std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.1f}", value);
  return fmt::format("{}", value);
}

std::string escape_label(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// Writes one family with its single sample.
class Page {
 public:
  explicit Page(const std::string& model)
      : labels_(fmt::format(R"(engine="0",model_name="{}")", escape_label(model))) {}
  void gauge(const std::string& name, const std::string& doc, double value) {
    one(name, doc, "gauge", name, value);
  }
  void counter(const std::string& name, const std::string& doc, double value) {
    one(name, doc, "counter", name + "_total", value);
  }
  void head(const std::string& name, const std::string& doc, const char* type) {
    fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", name, doc, name, type);
  }
  void sample(const std::string& name, const std::string& more_labels, double value) {
    fmt::format_to(std::back_inserter(text), "{}{{{}{}}} {}\n", name, labels_, more_labels, number(value));
  }
  const std::string& labels() const { return labels_; }
  std::string text;

 private:
  void one(const std::string& name, const std::string& doc, const char* type, const std::string& sample_name,
           double value) {
    head(type[0] == 'c' ? sample_name : name, doc, type);
    sample(sample_name, "", value);
  }
  std::string labels_;
};

}  // namespace

void Histogram::add(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  if (bound != bounds_.end()) ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
  ++total_;
  sum_ += value;
}

void Histogram::append_text(std::string& out, const std::string& name, const std::string& doc,
                            const std::string& labels) const {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} histogram\n", name, doc, name);
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    below += counts_[i];
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{},le=\"{}\"}} {}.0\n", name, labels,
                   number(bounds_[i]), below);
  }
  fmt::format_to(std::back_inserter(out),
                 "{}_bucket{{{},le=\"+Inf\"}} {}.0\n{}_count{{{}}} {}.0\n{}_sum{{{}}} {}\n", name, labels,
                 total_, name, labels, total_, name, labels, number(sum_));
}

ServerMetrics::ServerMetrics()
    : ttft_(kTtftBounds),
      inter_token_(kGapBounds),
      e2e_(kE2eBounds),
      prompt_tokens_(kTokenBounds),
      output_tokens_(kTokenBounds) {}

void ServerMetrics::finished(bool stopped, double e2e_s, std::uint32_t prompt_tokens,
                             std::uint32_t output_tokens) {
  ++(stopped ? stopped_ : length_);
  e2e_.add(e2e_s);
  prompt_tokens_.add(prompt_tokens);
  output_tokens_.add(output_tokens);
}

std::string ServerMetrics::text(const EngineCounters& engine, const std::string& model, double speed,
                                double lag_s) const {
  const auto as_double = [](std::uint64_t value) { return static_cast<double>(value); };
  Page page(model);
  page.gauge("paretune_sim_speed", "Simulated seconds per wall second; every time on this page is wall time",
             speed);
  page.gauge("paretune_sim_lag_seconds", "Wall seconds the simulation has fallen behind its speed, in total",
             lag_s);
  page.gauge("vllm:num_requests_running", "Requests in the running batch", as_double(engine.running));
  page.gauge("vllm:num_requests_waiting", "Requests waiting for admission", as_double(engine.waiting));
  page.gauge("vllm:kv_cache_usage_perc", "Share of KV blocks held by running requests, 1 = all",
             engine.kv_usage);
  page.counter("vllm:num_preemptions", "Requests put back to recompute", as_double(engine.preemptions));
  page.counter("vllm:prompt_tokens", "Prompt tokens processed", as_double(engine.prompt_tokens));
  page.counter("vllm:generation_tokens", "Output tokens generated", as_double(engine.generation_tokens));
  page.counter("vllm:prefix_cache_queries", "Prompt tokens looked up in the prefix cache",
               as_double(engine.prefix_queries));
  page.counter("vllm:prefix_cache_hits", "Prompt tokens found in the prefix cache",
               as_double(engine.prefix_hits));
  page.head("vllm:request_success_total", "Finished requests by reason", "counter");
  page.sample("vllm:request_success_total", R"(,finished_reason="stop")", as_double(stopped_));
  page.sample("vllm:request_success_total", R"(,finished_reason="length")", as_double(length_));
  page.sample("vllm:request_success_total", R"(,finished_reason="abort")", as_double(aborted_));
  page.sample("vllm:request_success_total", R"(,finished_reason="error")", as_double(failed_));
  ttft_.append_text(page.text, "vllm:time_to_first_token_seconds", "From arrival to first token",
                    page.labels());
  inter_token_.append_text(page.text, "vllm:inter_token_latency_seconds", "Between two tokens",
                           page.labels());
  e2e_.append_text(page.text, "vllm:e2e_request_latency_seconds", "From arrival to last token",
                   page.labels());
  prompt_tokens_.append_text(page.text, "vllm:request_prompt_tokens", "Prompt tokens per request",
                             page.labels());
  output_tokens_.append_text(page.text, "vllm:request_generation_tokens", "Output tokens per request",
                             page.labels());
  return std::move(page.text);
}

}  // namespace paretune::sim
