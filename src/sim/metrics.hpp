// Counters and histograms of the simulated server in Prometheus text, under the names vLLM uses. Times are
// wall seconds (simulated seconds / speed), so that they agree with what clients measure. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "paretune/sim/scheduler.hpp"

namespace paretune::sim {

/// Cumulative buckets, as Prometheus wants them.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size()) {}
  void add(double value);
  void append_text(std::string& out, const std::string& name, const std::string& doc,
                   const std::string& labels) const;

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  double sum_ = 0;
};

class ServerMetrics {
 public:
  ServerMetrics();

  void first_token(double ttft_s) { ttft_.add(ttft_s); }
  void next_token(double gap_s) { inter_token_.add(gap_s); }
  void finished(bool stopped, double e2e_s, std::uint32_t prompt_tokens, std::uint32_t output_tokens);
  void aborted() { ++aborted_; }
  void failed() { ++failed_; }

  /// @param model  value of the model_name label. @param lag_s  wall seconds the simulation has fallen behind
  /// in total.
  std::string text(const EngineCounters& engine, const std::string& model, double speed, double lag_s) const;

 private:
  Histogram ttft_, inter_token_, e2e_, prompt_tokens_, output_tokens_;
  std::uint64_t stopped_ = 0, length_ = 0, aborted_ = 0, failed_ = 0;
};

}  // namespace paretune::sim
