#include "sim/intake.hpp"

#include <algorithm>
#include <cmath>

namespace paretune::sim {

namespace {

// Natural answers are log-normal with a median of 150 tokens, as chat logs roughly are.
constexpr double kMedianAnswerTokens = 150;
constexpr double kAnswerSigma = 0.8;

}  // namespace

Intake::Intake(const SimOptions& options)
    : faults_(faults_of(options)),
      lengths_(core::derive_seed(options.seed, "sim.lengths")),
      dice_(core::derive_seed(options.seed, "sim.faults")) {}

Admission Intake::admit(GenerationRequest& request) {
  Admission admission;
  admission.engine.id = next_id_++;
  admission.engine.prompt_tokens = request.prompt_tokens;
  admission.engine.output_tokens = request.max_tokens;
  admission.engine.block_hashes = std::move(request.block_hashes);
  if (!request.ignore_eos) {
    const double drawn = kMedianAnswerTokens * std::exp(kAnswerSigma * lengths_.normal());
    const double length =
        std::clamp(std::round(drawn), std::max(1.0, static_cast<double>(request.min_tokens)),
                   static_cast<double>(request.max_tokens));
    admission.engine.output_tokens = static_cast<std::uint32_t>(length);
    admission.stops = admission.engine.output_tokens < request.max_tokens;
  }
  admission.fails = faults_.http_500 > 0 && dice_.chance(faults_.http_500);
  return admission;
}

SchedulerConfig scheduler_config(const SimOptions& options, std::int64_t kv_tokens) {
  SchedulerConfig config;
  config.max_sequences = options.max_num_seqs;
  config.max_batched_tokens = options.max_num_batched_tokens;
  config.kv_blocks = kv_tokens / kBlockTokens;
  config.chunked_prefill = options.enable_chunked_prefill;
  config.prefix_caching = options.enable_prefix_caching;
  config.seed = options.seed;
  config.stall_after_tokens = faults_of(options).stall_after;
  return config;
}

}  // namespace paretune::sim
