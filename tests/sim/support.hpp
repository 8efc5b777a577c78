// Helpers of the simulator's tests: a scheduler with a plain configuration, and closed-loop driving in
// virtual time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "paretune/load/endpoint.hpp"
#include "paretune/sim/scheduler.hpp"
#include "paretune/sim/server.hpp"

namespace paretune::sim::test {

inline SchedulerConfig plain_config() {
  SchedulerConfig config;
  config.kv_blocks = 10'000;
  config.step_jitter = 0;
  return config;
}

/// Options whose HTTP server is up within milliseconds and whose steps are short.
inline SimOptions fast_options(double speed) {
  SimOptions options;
  options.speed = speed;
  return options;
}

/// Runs the scheduler until nothing is left. @return every token.
inline std::vector<Emission> run_to_end(Scheduler& scheduler) {
  std::vector<Emission> all;
  while (const auto next = scheduler.next_event_ns()) scheduler.advance(*next, all);
  return all;
}

inline EngineRequest request(std::uint64_t id, std::uint32_t prompt, std::uint32_t output) {
  EngineRequest result;
  result.id = id;
  result.prompt_tokens = prompt;
  result.output_tokens = output;
  return result;
}

inline load::Request load_request(std::uint64_t index, std::uint32_t prompt, std::uint32_t output) {
  load::Request result;
  result.index = index;
  result.prompt_tokens = prompt;
  result.max_output_tokens = output;
  return result;
}

/// Keeps `concurrency` requests open until `count` have ended. @return all records, in order of completion.
inline std::vector<load::RequestRecord> closed_loop(load::Endpoint& endpoint, std::size_t concurrency,
                                                    std::size_t count, std::uint32_t prompt,
                                                    std::uint32_t output) {
  std::vector<load::RequestRecord> records;
  endpoint.start(endpoint.clock().now());
  std::uint64_t next = 0;
  while (records.size() < count) {
    while (next < count && endpoint.in_flight() < concurrency) {
      endpoint.submit(load_request(next++, prompt, output), endpoint.clock().now());
    }
    for (auto& record : endpoint.poll(core::TimePoint::max())) records.push_back(std::move(record));
  }
  return records;
}

/// Output tokens per second over the middle half of the records.
inline double throughput(const std::vector<load::RequestRecord>& records) {
  const std::size_t from = records.size() / 4, to = records.size() * 3 / 4;
  double tokens = 0;
  for (std::size_t i = from; i < to; ++i) tokens += records[i].output_tokens;
  return tokens / (static_cast<double>(records[to - 1].done_ns - records[from - 1].done_ns) * 1e-9);
}

inline double mean_tpot_ms(const std::vector<load::RequestRecord>& records) {
  double sum = 0;
  for (const auto& record : records) {
    sum += static_cast<double>(record.last_token_ns - record.first_token_ns) / (record.output_tokens - 1.0);
  }
  return sum / static_cast<double>(records.size()) * 1e-6;
}

inline double mean_ttft_ms(const std::vector<load::RequestRecord>& records) {
  double sum = 0;
  for (const auto& record : records) sum += static_cast<double>(record.first_token_ns - record.scheduled_ns);
  return sum / static_cast<double>(records.size()) * 1e-6;
}

}  // namespace paretune::sim::test
