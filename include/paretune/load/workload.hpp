// What is sent: prompt and output lengths, arrival, warm-up, stop rules. Read from the `workload` section
// (design §4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/load/metric.hpp"

namespace paretune::load {

/// Token lengths: fixed (stdev 0), normal (truncated to [min, max]) or uniform.
struct LengthModel {
  enum class Kind { Fixed, Normal, Uniform };
  Kind kind = Kind::Fixed;
  double mean = 128;
  double stdev = 0;
  std::int64_t min = 1;
  std::int64_t max = 10'000'000;
};

enum class Arrival { Constant, Poisson, Gamma };
const char* to_string(Arrival arrival);
enum class Api { Chat, Completions };

/// Of one request; read from `workload.timeouts: {connect, first_token, gap, total}` (durations).
struct Timeouts {
  double connect_s = 10;
  double first_token_s = 600;
  double gap_s = 120;
  double total_s = 3600;
};

struct Workload {
  LengthModel prompt_tokens;
  LengthModel output_tokens;
  std::vector<double> concurrency;              ///< closed loop levels (whole numbers); empty if open loop
  std::vector<double> rate;                     ///< open loop levels, requests/s; empty if closed loop
  std::optional<std::int64_t> max_concurrency;  ///< cap of an open loop
  Arrival arrival = Arrival::Poisson;
  double burstiness = 1.0;               ///< shape of the gamma arrival; 1 = Poisson
  double warmup_s = 0;                   ///< requests sent in this time are excluded
  std::optional<double> duration_s;      ///< of the measured window, after the warm-up
  std::optional<std::int64_t> requests;  ///< measured requests; with duration_s, whichever ends first
  std::vector<Bound> slo;                ///< per-request bounds for goodput
  double temperature = 0;
  bool ignore_eos = true;
  std::string dataset_kind = "random";
  std::string dataset_file;
  Timeouts timeouts;

  bool open_loop() const { return !rate.empty(); }
  const std::vector<double>& levels() const { return open_loop() ? rate : concurrency; }
  const char* live_name() const { return open_loop() ? "rate" : "concurrency"; }
};

/// Collects all faults; `concurrency`/`rate` exclusive and required; needs duration or requests.
Workload read_workload(const core::Node* node, core::Diagnostics& diagnostics);
core::Json to_json(const Workload& workload);

}  // namespace paretune::load
