#include "paretune/sim/step_model.hpp"

#include <algorithm>
#include <stdexcept>

namespace paretune::sim {

namespace {

// Efficiencies and overheads of a current engine with captured graphs, in round numbers.
constexpr double kStepOverheadS = 0.5e-3;
constexpr double kLayerOverheadS = 60e-6;
constexpr double kSequenceOverheadS = 4e-6;  // sampling and detokenising of one sequence
constexpr double kStageHopS = 0.2e-3;
constexpr double kWeightEfficiency = 0.90;
constexpr double kKvEfficiency = 0.80;
constexpr double kMathEfficiency = 0.70;
constexpr double kAttentionEfficiency = 0.50;
constexpr double kLinkEfficiency = 0.40;
constexpr double kMicroBatchGain = 0.75;    // part of the ideal overlap that one more micro-batch brings
constexpr double kFp8KvPenalty = 1.05;      // conversion inside the attention kernel
constexpr double kUnpackedEightBit = 0.80;  // 8-bit weights on a device that multiplies 16-bit only

template <class T>
const T& required(const T* found, const char* what, const std::string& name) {
  if (found == nullptr) throw std::invalid_argument(std::string("unknown ") + what + " '" + name + "'");
  return *found;
}

bool fp8_kv(const SimOptions& options) {
  return options.kv_cache_dtype == "fp8";
}

}  // namespace

double kv_bytes_per_token(const Model& model, const SimOptions& options) {
  const double tensor = static_cast<double>(options.tensor_parallel_size);
  const double heads = std::max(1.0, model.kv_heads / tensor);
  const double layers = model.layers / static_cast<double>(options.pipeline_parallel_size);
  return 2.0 * heads * model.head_dim * layers * (fp8_kv(options) ? 1.0 : 2.0);
}

double weight_bytes_per_device(const Model& model, const Quantization& quantization,
                               const SimOptions& options) {
  const double packed = (model.parameters - model.plain_parameters) * quantization.bytes_per_parameter;
  const double plain = model.plain_parameters * 2.0;
  return (packed + plain) /
         static_cast<double>(options.tensor_parallel_size * options.pipeline_parallel_size);
}

StepModel::StepModel(const SimOptions& options)
    : StepModel(required(find_model(options.model), "model", options.model),
                required(find_device(options.device), "device", options.device),
                required(find_quantization(options.quantization), "quantization", options.quantization),
                options) {}

StepModel::StepModel(const Model& model, const Device& device, const Quantization& quantization,
                     const SimOptions& options) {
  if (options.tensor_parallel_size < 1 || options.pipeline_parallel_size < 1) {
    throw std::invalid_argument("parallel sizes must be at least 1");
  }
  const double tensor = static_cast<double>(options.tensor_parallel_size);
  const double layers = model.layers;
  pipeline_parallel_ = static_cast<double>(options.pipeline_parallel_size);

  step_overhead_s_ =
      kStepOverheadS * pipeline_parallel_ + kStageHopS * (pipeline_parallel_ - 1) + kLayerOverheadS * layers;
  // The input embedding is looked up, not read as a whole.
  const double read_bytes = weight_bytes_per_device(model, quantization, options) * pipeline_parallel_ -
                            (model.parameters - model.matmul_parameters) * 2.0 / tensor;
  weight_read_s_ = read_bytes / (kWeightEfficiency * device.bandwidth_bytes_s);
  kv_read_s_per_token_ = kv_bytes_per_token(model, options) * pipeline_parallel_ *
                         (fp8_kv(options) ? kFp8KvPenalty : 1.0) / (kKvEfficiency * device.bandwidth_bytes_s);

  const bool has_eight_bit = device.flops_8 > device.flops_16;
  const double peak = quantization.eight_bit_math ? device.flops_8 : device.flops_16;
  const double unpack = quantization.eight_bit_math && !has_eight_bit ? kUnpackedEightBit : 1.0;
  const double rate = kMathEfficiency * quantization.math_efficiency * unpack * peak * tensor;
  const double head = static_cast<double>(model.vocabulary) * model.hidden;
  linear_s_per_token_ = 2.0 * (model.matmul_parameters - head) / rate;
  head_s_per_token_ = 2.0 * head / (kMathEfficiency * device.flops_16 * tensor);
  attention_s_per_pair_ =
      4.0 * model.heads * model.head_dim * layers / (kAttentionEfficiency * device.flops_16 * tensor);

  if (options.tensor_parallel_size > 1) {
    const double ring = 2.0 * (tensor - 1) / tensor;
    link_s_per_token_ = 2.0 * layers * ring * model.hidden * 2.0 / (kLinkEfficiency * device.link_bytes_s);
    link_floor_s_ = 2.0 * layers * device.collective_floor_s;
  }
}

StepTime StepModel::terms(const StepLoad& load) const {
  const double sequences = static_cast<double>(load.decode_sequences + load.prefill_sequences);
  const double tokens = static_cast<double>(load.decode_sequences + load.prefill_tokens);
  const double context = static_cast<double>(load.decode_context_tokens);
  // Micro-batches in flight overlap over the stages; weights are read again for each, so that term does not
  // shrink.
  const double batches = std::clamp(sequences, 1.0, pipeline_parallel_);
  const double overlap = 1.0 + kMicroBatchGain * (batches - 1.0);

  StepTime time;
  time.overhead_s = step_overhead_s_ + kSequenceOverheadS * sequences;
  time.weights_s = weight_read_s_;
  time.kv_s = kv_read_s_per_token_ * (context + static_cast<double>(load.prefill_cached_tokens)) / overlap;
  time.compute_s = (linear_s_per_token_ * tokens + head_s_per_token_ * sequences +
                    attention_s_per_pair_ * (context + load.prefill_attention_pairs)) /
                   overlap;
  time.communication_s = link_floor_s_ + link_s_per_token_ * tokens / overlap;
  return time;
}

}  // namespace paretune::sim
