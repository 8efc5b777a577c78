// The discrete-event core of the simulated engine: first-come-first-served continuous batching with chunked
// prefill, KV blocks, preemption by recompute and a prefix cache. Driven by submit(), next_event_ns() and
// advance(), so that the HTTP server (real or scaled time) and the virtual twin run the same code.
// Deterministic for a seed. One thread. Source: the scheduling rules of vLLM V1 (running first, then waiting,
// token budget; newest is preempted) and Orca.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/sim/block_pool.hpp"
#include "paretune/sim/step_model.hpp"

namespace paretune::sim {

/// Simulated nanoseconds since the engine was made.
using Nanoseconds = std::int64_t;

struct EngineRequest {
  std::uint64_t id = 0;             ///< unique among open requests
  std::uint32_t prompt_tokens = 1;  ///< >= 1
  std::uint32_t output_tokens = 1;  ///< >= 1; exactly so many come
  /// Chained hash of each full block of the prompt; empty: nothing to share. At most prompt_tokens /
  /// kBlockTokens.
  std::vector<std::uint64_t> block_hashes;
};

/// One generated token.
struct Emission {
  std::uint64_t id = 0;
  Nanoseconds time_ns = 0;
  std::uint32_t index = 0;                 ///< 0 for the first output token
  std::uint32_t cached_prompt_tokens = 0;  ///< of the first admission
  bool last = false;
};

struct SchedulerConfig {
  std::int64_t max_sequences = 256;
  std::int64_t max_batched_tokens = 8192;  ///< >= max_sequences
  std::int64_t kv_blocks = 1;
  bool chunked_prefill = true;  ///< off: prompts are computed whole, in steps of their own
  bool prefix_caching = true;
  std::uint64_t seed = 1;
  double step_jitter = 0.03;  ///< standard deviation of the log of each step time
  double frontend_s = 2e-3;   ///< from submit() to the waiting queue: parsing and tokenising
  std::optional<std::uint64_t> stall_after_tokens;  ///< fault: no step starts after so many output tokens
};

/// Totals since the start, and the present state.
struct EngineCounters {
  std::uint64_t steps = 0;
  std::uint64_t prompt_tokens = 0;  ///< of requests whose first token came
  std::uint64_t generation_tokens = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t prefix_queries = 0;   ///< prompt tokens looked up
  std::uint64_t prefix_hits = 0;      ///< of these, found
  std::uint64_t computed_tokens = 0;  ///< through the model, prefill and decode, recomputed ones again
  Nanoseconds busy_ns = 0;            ///< sum of step times
  std::size_t running = 0;
  std::size_t waiting = 0;
  double kv_usage = 0;  ///< share of blocks held by running requests, 0 … 1
};

class Scheduler {
 public:
  /// @throws std::invalid_argument for max_sequences or kv_blocks < 1, or a token budget below max_sequences.
  Scheduler(const SchedulerConfig& config, const StepModel& model);

  /// @param time_ns  not before the last advance(). @throws std::invalid_argument for zero tokens, a known
  /// id, or a request that could never fit (prompt + output beyond the KV blocks, or an unchunked prompt
  /// beyond the budget).
  void submit(EngineRequest request, Nanoseconds time_ns);
  /// Forgets a request; it emits nothing more. Unknown ids are ignored.
  void cancel(std::uint64_t id);

  /// When advance() has something to do next; nullopt: nothing will happen before a submit().
  std::optional<Nanoseconds> next_event_ns() const;
  /// Processes every event up to and including `to_ns`, appending the tokens in order of time.
  void advance(Nanoseconds to_ns, std::vector<Emission>& out);

  EngineCounters counters() const;
  std::size_t open_requests() const { return slot_of_.size(); }
  bool stalled() const;

 private:
  struct Sequence {
    std::uint64_t id = 0;
    std::uint32_t prompt = 0;
    std::uint32_t output = 0;
    std::uint32_t generated = 0;
    std::uint32_t computed = 0;   ///< tokens in the KV cache
    std::uint32_t scheduled = 0;  ///< tokens of the step in progress
    std::uint32_t private_blocks = 0;
    std::uint32_t published = 0;  ///< leading hashes already offered to the prefix cache
    std::uint32_t cached_prompt = 0;
    bool admitted_before = false;
    bool cancelled = false;
    Nanoseconds arrival_ns = 0;
    std::vector<std::uint64_t> hashes;
    std::vector<BlockPool::Entry> shared;

    std::uint32_t known() const { return prompt + generated; }
    std::uint32_t missing() const { return known() - computed; }
    bool decoding() const { return generated > 0 && missing() == 1; }
  };

  void accept_arrivals(Nanoseconds now_ns);
  void start_step(Nanoseconds now_ns);
  void finish_step(std::vector<Emission>& out);
  void schedule_running();
  void schedule_waiting();
  bool admit(Sequence& sequence);
  bool grow(Sequence& sequence, std::uint32_t tokens);
  void take_into_step(Sequence& sequence, std::uint32_t tokens);
  void publish_blocks(Sequence& sequence);
  void release_blocks(Sequence& sequence);
  void preempt_newest();
  void drop(std::uint32_t slot);

  SchedulerConfig config_;
  StepModel model_;
  core::Random jitter_;
  BlockPool blocks_;
  std::vector<Sequence> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;
  std::deque<std::uint32_t> arriving_;  ///< submitted, not yet through the front end; by arrival time
  std::deque<std::uint32_t> waiting_;
  std::vector<std::uint32_t> running_;  ///< oldest admission first
  EngineCounters totals_;
  StepLoad load_;  ///< of the step being composed
  std::int64_t budget_ = 0;
  bool preempted_in_step_ = false;
  bool busy_ = false;
  Nanoseconds step_end_ns_ = 0;
  Nanoseconds now_ns_ = 0;
};

}  // namespace paretune::sim
