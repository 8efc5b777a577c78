// How long one iteration of the simulated engine takes: overheads, weight traffic, KV traffic, arithmetic and
// communication are summed (the additive form fits engines better than the roofline maximum).
// Pure functions on plain data; safe from many threads. Constants are of the made-up machines in catalog.hpp.
#pragma once

#include <cstdint>

#include "paretune/sim/catalog.hpp"
#include "paretune/sim/options.hpp"

namespace paretune::sim {

/// What one iteration works on.
struct StepLoad {
  std::int64_t decode_sequences = 0;
  std::int64_t decode_context_tokens = 0;  ///< cached tokens of all decoding sequences
  std::int64_t prefill_tokens = 0;         ///< prompt tokens computed in this step, over all sequences
  std::int64_t prefill_cached_tokens = 0;  ///< tokens already in the KV cache of those sequences (read again)
  double prefill_attention_pairs =
      0;  ///< sum over chunks of s * (p + s / 2): s new tokens after p cached ones
  std::int64_t prefill_sequences = 0;
};

/// The terms of one step, seconds.
struct StepTime {
  double overhead_s = 0;
  double weights_s = 0;
  double kv_s = 0;
  double compute_s = 0;
  double communication_s = 0;
  double total_s() const { return overhead_s + weights_s + kv_s + compute_s + communication_s; }
};

/// Constants of one server, folded from the options so that a step costs a few multiplications.
/// Source of the form: step = o0 + oL*L + W/(ew*BW) + KV/(ek*BW) + FLOPs/(ef*F) + communication, pipeline
/// stages with micro-batches as in DistServe (OSDI'24), ring all-reduce volume 2*(n-1)/n.
class StepModel {
 public:
  /// @throws std::invalid_argument for an unknown model, device or quantization, or a parallel size < 1.
  explicit StepModel(const SimOptions& options);
  StepModel(const Model& model, const Device& device, const Quantization& quantization,
            const SimOptions& options);

  /// Additive step time; see docs/simulated-server.md for the formula. All-zero load: the overhead alone.
  StepTime terms(const StepLoad& load) const;
  double seconds(const StepLoad& load) const { return terms(load).total_s(); }

 private:
  double pipeline_parallel_ = 1;
  double step_overhead_s_ = 0;      ///< of one pass over all layers and stages
  double weight_read_s_ = 0;        ///< reading every weight once
  double kv_read_s_per_token_ = 0;  ///< whole model, before micro-batching
  double linear_s_per_token_ = 0;   ///< products with the weights, output head left out
  double head_s_per_token_ = 0;     ///< output head, for sampled tokens only
  double attention_s_per_pair_ = 0;
  double link_s_per_token_ = 0;
  double link_floor_s_ = 0;
};

/// Bytes of the KV cache of one token on one device (heads are repeated once tensor parallelism exceeds their
/// number).
double kv_bytes_per_token(const Model& model, const SimOptions& options);
/// Bytes of weights on one device.
double weight_bytes_per_device(const Model& model, const Quantization& quantization,
                               const SimOptions& options);

}  // namespace paretune::sim
