#include "paretune/sim/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace paretune::sim {

namespace {

std::uint32_t blocks_for(std::uint32_t tokens) {
  return (tokens + kBlockTokens - 1) / kBlockTokens;
}

Nanoseconds to_nanoseconds(double seconds) {
  return static_cast<Nanoseconds>(std::llround(seconds * 1e9));
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

Scheduler::Scheduler(const SchedulerConfig& config, const StepModel& model)
    : config_(config),
      model_(model),
      jitter_(core::derive_seed(config.seed, "sim.step")),
      blocks_(static_cast<std::size_t>(std::max<std::int64_t>(config.kv_blocks, 0))) {
  require(config.max_sequences >= 1, "max_sequences must be at least 1");
  require(config.kv_blocks >= 1, "kv_blocks must be at least 1");
  require(config.max_batched_tokens >= config.max_sequences,
          "max_batched_tokens must be at least max_sequences");
}

void Scheduler::submit(EngineRequest request, Nanoseconds time_ns) {
  require(request.prompt_tokens >= 1 && request.output_tokens >= 1,
          "a request needs prompt and output tokens");
  require(blocks_for(request.prompt_tokens + request.output_tokens) <= blocks_.total(),
          "the request can never fit in the KV cache");
  require(
      config_.chunked_prefill || request.prompt_tokens + request.output_tokens <= config_.max_batched_tokens,
      "the prompt can never fit in one step");
  require(!slot_of_.contains(request.id), "a request with this id is open");

  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Sequence& sequence = slots_[slot];
  sequence = Sequence{};
  sequence.id = request.id;
  sequence.prompt = request.prompt_tokens;
  sequence.output = request.output_tokens;
  sequence.arrival_ns = std::max(time_ns, now_ns_) + to_nanoseconds(config_.frontend_s);
  if (config_.prefix_caching) sequence.hashes = std::move(request.block_hashes);
  slot_of_.emplace(request.id, slot);

  const auto later = [&](Nanoseconds time, std::uint32_t other) { return time < slots_[other].arrival_ns; };
  arriving_.insert(std::upper_bound(arriving_.begin(), arriving_.end(), sequence.arrival_ns, later), slot);
}

void Scheduler::cancel(std::uint64_t id) {
  const auto found = slot_of_.find(id);
  if (found == slot_of_.end()) return;
  const std::uint32_t slot = found->second;
  std::erase(arriving_, slot);
  std::erase(waiting_, slot);
  const auto running = std::find(running_.begin(), running_.end(), slot);
  if (running != running_.end() && busy_) {
    slots_[slot].cancelled = true;  // it is part of the step in progress
    return;
  }
  if (running != running_.end()) running_.erase(running);
  drop(slot);
}

bool Scheduler::stalled() const {
  return config_.stall_after_tokens && totals_.generation_tokens >= *config_.stall_after_tokens;
}

std::optional<Nanoseconds> Scheduler::next_event_ns() const {
  if (busy_) return step_end_ns_;
  if (stalled()) return std::nullopt;
  if (!waiting_.empty() || !running_.empty()) return now_ns_;
  if (!arriving_.empty()) return slots_[arriving_.front()].arrival_ns;
  return std::nullopt;
}

void Scheduler::advance(Nanoseconds to_ns, std::vector<Emission>& out) {
  for (auto next = next_event_ns(); next && *next <= to_ns; next = next_event_ns()) {
    now_ns_ = *next;
    if (busy_) finish_step(out);
    accept_arrivals(now_ns_);
    start_step(now_ns_);
  }
  now_ns_ = std::max(now_ns_, to_ns);
}

void Scheduler::accept_arrivals(Nanoseconds now_ns) {
  while (!arriving_.empty() && slots_[arriving_.front()].arrival_ns <= now_ns) {
    waiting_.push_back(arriving_.front());
    arriving_.pop_front();
  }
}

void Scheduler::start_step(Nanoseconds now_ns) {
  if (stalled() || (running_.empty() && waiting_.empty())) return;
  load_ = StepLoad{};
  budget_ = config_.max_batched_tokens;
  preempted_in_step_ = false;
  if (config_.chunked_prefill) {
    schedule_running();
    if (!preempted_in_step_) schedule_waiting();
  } else {
    schedule_waiting();  // whole prompts go first, in steps of their own
    if (load_.prefill_sequences == 0) schedule_running();
  }
  const double factor = config_.step_jitter > 0 ? std::exp(config_.step_jitter * jitter_.normal()) : 1.0;
  const Nanoseconds duration = std::max<Nanoseconds>(1, to_nanoseconds(model_.seconds(load_) * factor));
  step_end_ns_ = now_ns + duration;
  busy_ = true;
  ++totals_.steps;
  totals_.busy_ns += duration;
}

void Scheduler::schedule_running() {
  // running_ may shrink at its end while this walks: the newest request is preempted when blocks run out.
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = slots_[running_[i]];
    const auto tokens = static_cast<std::uint32_t>(std::min<std::int64_t>(sequence.missing(), budget_));
    if (tokens == 0) continue;
    while (!grow(sequence, tokens)) {
      preempt_newest();
      if (i >= running_.size()) return;  // it was this one
    }
    take_into_step(sequence, tokens);
  }
}

void Scheduler::schedule_waiting() {
  while (!waiting_.empty() && budget_ > 0 &&
         static_cast<std::int64_t>(running_.size()) < config_.max_sequences) {
    const std::uint32_t slot = waiting_.front();
    if (!admit(slots_[slot])) return;
    waiting_.pop_front();
    running_.push_back(slot);
  }
}

bool Scheduler::admit(Sequence& sequence) {
  // At least one token is computed, for its logits.
  const std::size_t limit = (sequence.known() - 1) / kBlockTokens;
  const std::size_t hits = blocks_.match(sequence.hashes, limit);
  for (std::size_t i = 0; i < hits; ++i) sequence.shared.push_back(blocks_.hold(sequence.hashes[i]));
  sequence.computed = static_cast<std::uint32_t>(hits) * kBlockTokens;
  sequence.published = static_cast<std::uint32_t>(hits);
  const bool fits_budget = config_.chunked_prefill || sequence.missing() <= budget_;
  const auto tokens = static_cast<std::uint32_t>(std::min<std::int64_t>(sequence.missing(), budget_));
  if (!fits_budget || !grow(sequence, tokens)) {
    release_blocks(sequence);
    return false;
  }
  if (!sequence.admitted_before) {
    sequence.admitted_before = true;
    sequence.cached_prompt = sequence.computed;
    if (config_.prefix_caching) {
      totals_.prefix_queries += sequence.prompt;
      totals_.prefix_hits += sequence.computed;
    }
  }
  take_into_step(sequence, tokens);
  return true;
}

bool Scheduler::grow(Sequence& sequence, std::uint32_t tokens) {
  const std::uint32_t held = blocks_for(sequence.computed);
  const std::uint32_t needed = blocks_for(sequence.computed + tokens) - held;
  if (needed == 0) return true;
  if (!blocks_.take(needed)) return false;
  sequence.private_blocks += needed;
  return true;
}

void Scheduler::take_into_step(Sequence& sequence, std::uint32_t tokens) {
  budget_ -= tokens;
  sequence.scheduled = tokens;
  if (sequence.decoding()) {
    ++load_.decode_sequences;
    load_.decode_context_tokens += sequence.computed;
    return;
  }
  ++load_.prefill_sequences;
  load_.prefill_tokens += tokens;
  load_.prefill_cached_tokens += sequence.computed;
  load_.prefill_attention_pairs += static_cast<double>(tokens) * (sequence.computed + tokens / 2.0);
  publish_blocks(sequence);
}

void Scheduler::publish_blocks(Sequence& sequence) {
  const std::size_t full =
      std::min<std::size_t>((sequence.computed + sequence.scheduled) / kBlockTokens, sequence.hashes.size());
  for (; sequence.published < full; ++sequence.published) {
    const BlockPool::Entry entry = blocks_.publish(sequence.hashes[sequence.published]);
    if (entry == BlockPool::kNone) continue;
    sequence.shared.push_back(entry);
    --sequence.private_blocks;
  }
}

void Scheduler::release_blocks(Sequence& sequence) {
  // Ends of prompts are let go first, so that they are evicted before the beginnings that others may share.
  while (!sequence.shared.empty()) {
    blocks_.release(sequence.shared.back());
    sequence.shared.pop_back();
  }
  blocks_.give_back(sequence.private_blocks);
  sequence.private_blocks = 0;
  sequence.published = 0;
  sequence.computed = 0;
  sequence.scheduled = 0;
}

void Scheduler::preempt_newest() {
  const std::uint32_t slot = running_.back();
  running_.pop_back();
  release_blocks(slots_[slot]);
  waiting_.push_front(slot);
  preempted_in_step_ = true;
  ++totals_.preemptions;
}

void Scheduler::finish_step(std::vector<Emission>& out) {
  busy_ = false;
  std::size_t kept = 0;
  for (const std::uint32_t slot : running_) {
    Sequence& sequence = slots_[slot];
    sequence.computed += sequence.scheduled;
    totals_.computed_tokens += sequence.scheduled;
    const bool emits = sequence.scheduled > 0 && sequence.missing() == 0;
    sequence.scheduled = 0;
    bool ends = sequence.cancelled;
    if (emits && !sequence.cancelled) {
      const std::uint32_t index = sequence.generated++;
      ends = sequence.generated == sequence.output;
      if (index == 0) totals_.prompt_tokens += sequence.prompt;
      ++totals_.generation_tokens;
      out.push_back({sequence.id, step_end_ns_, index, sequence.cached_prompt, ends});
    }
    if (ends) {
      drop(slot);
    } else {
      running_[kept++] = slot;
    }
  }
  running_.resize(kept);
}

void Scheduler::drop(std::uint32_t slot) {
  Sequence& sequence = slots_[slot];
  release_blocks(sequence);
  slot_of_.erase(sequence.id);
  free_slots_.push_back(slot);
}

EngineCounters Scheduler::counters() const {
  EngineCounters counters = totals_;
  counters.running = running_.size();
  counters.waiting = waiting_.size() + arriving_.size();
  counters.kv_usage = static_cast<double>(blocks_.used()) / static_cast<double>(blocks_.total());
  return counters;
}

}  // namespace paretune::sim
