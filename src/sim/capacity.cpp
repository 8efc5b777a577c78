#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "paretune/core/text.hpp"
#include "paretune/sim/block_pool.hpp"
#include "paretune/sim/catalog.hpp"
#include "paretune/sim/server.hpp"
#include "paretune/sim/step_model.hpp"
#include "sim/fault.hpp"

namespace paretune::sim {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr double kInjectedShare = 1.1;  // of the device, so that the message names a plain shortage

struct MemoryNeed {
  double weights_gib = 0;
  double activations_gib = 0;  ///< peak of one step with the largest batch
  double runtime_gib = 0;      ///< context, communication buffers, captured graphs
  double injected_gib = 0;     ///< held by another tenant: fault oom-at-launch
  double total_gib() const { return weights_gib + activations_gib + runtime_gib + injected_gib; }
};

/// Bytes of the largest step: hidden states of max-num-batched-tokens, logits (and their softmax) of
/// max-num-seqs.
MemoryNeed memory_need(const Model& model, const Quantization& quantization, const SimOptions& options) {
  const double tensor = static_cast<double>(options.tensor_parallel_size);
  const double live_copies =
      4.0 + 7.0 / tensor;  // hidden-size buffers alive at once; the wide ones are split
  const double tokens = static_cast<double>(options.max_num_batched_tokens);
  const double sequences = static_cast<double>(options.max_num_seqs);
  MemoryNeed need;
  need.weights_gib = weight_bytes_per_device(model, quantization, options) / kGib;
  need.activations_gib =
      (2.0 * tokens * model.hidden * live_copies + sequences * model.vocabulary * 8.0 / tensor) / kGib;
  need.runtime_gib = 0.4 + (options.tensor_parallel_size > 1 ? 0.4 : 0.0) + 0.2 + sequences * 1.0 / 1024.0;
  return need;
}

core::Error out_of_memory(std::string message, std::string hint) {
  return core::Error{core::ErrorCode::OutOfMemory, std::move(message), std::move(hint)};
}

template <class T>
std::string names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  for (const T& item : items) names.push_back(item.name);
  return core::join(names, ", ");
}

std::optional<core::Error> check_names(const SimOptions& options) {
  if (find_model(options.model) == nullptr) {
    return core::invalid_input("unknown model '" + options.model + "'", "models are " + names_of(models()));
  }
  if (find_device(options.device) == nullptr) {
    return core::invalid_input("unknown device '" + options.device + "'",
                               "devices are " + names_of(devices()));
  }
  if (find_quantization(options.quantization) == nullptr) {
    return core::invalid_input("unknown quantization '" + options.quantization + "'",
                               "quantizations are " + names_of(quantizations()));
  }
  return std::nullopt;
}

/// The rules that engines check before they touch memory.
std::optional<core::Error> check_rules(const SimOptions& options, const Model& model) {
  if (options.max_num_batched_tokens < options.max_num_seqs) {
    return core::invalid_input(
        fmt::format("max_num_batched_tokens ({}) must be greater than or equal to max_num_seqs ({})",
                    options.max_num_batched_tokens, options.max_num_seqs));
  }
  if (options.max_model_len > model.max_positions) {
    return core::invalid_input(
        fmt::format("User-specified max_model_len ({}) is greater than the derived max_model_len "
                    "({}) of {}",
                    options.max_model_len, model.max_positions, model.name));
  }
  if (!options.enable_chunked_prefill && options.max_num_batched_tokens < options.max_model_len) {
    return core::invalid_input(
        fmt::format(
            "max_num_batched_tokens ({}) is smaller than max_model_len ({}) and chunked prefill is off",
            options.max_num_batched_tokens, options.max_model_len),
        "raise max-num-batched-tokens, lower max-model-len, or turn enable-chunked-prefill on");
  }
  if (model.heads % options.tensor_parallel_size != 0) {
    return core::invalid_input(
        fmt::format("Total number of attention heads ({}) must be divisible by tensor parallel size ({})",
                    model.heads, options.tensor_parallel_size));
  }
  if (options.pipeline_parallel_size > model.layers) {
    return core::invalid_input(
        fmt::format("pipeline parallel size ({}) is greater than the number of layers ({})",
                    options.pipeline_parallel_size, model.layers));
  }
  return std::nullopt;
}

std::string parts(const MemoryNeed& need) {
  std::string text = fmt::format("weights {:.1f}, activations {:.1f}, runtime {:.1f}", need.weights_gib,
                                 need.activations_gib, need.runtime_gib);
  if (need.injected_gib > 0) text += fmt::format(", fault oom-at-launch {:.1f}", need.injected_gib);
  return text + " GiB";
}

constexpr const char* kMoreMemory =
    "raise tensor-parallel-size, use fp8 or int4 weights, or lower max-num-batched-tokens or max-num-seqs";

/// Does the device hold everything but the KV cache, and does the allowed share of it?
std::optional<core::Error> check_weights_fit(const MemoryNeed& need, const Device& device,
                                             const SimOptions& options) {
  const double usable = options.gpu_memory_utilization * device.memory_gib;
  if (need.total_gib() > device.memory_gib) {
    return out_of_memory(fmt::format("{} out of memory: needs {:.1f} GiB of {:.1f} GiB ({})", device.name,
                                     need.total_gib(), device.memory_gib, parts(need)),
                         kMoreMemory);
  }
  if (need.total_gib() <= usable) return std::nullopt;
  return out_of_memory(
      fmt::format("out of memory: No available memory for the cache blocks: needs {:.1f} GiB of {:.1f} GiB, "
                  "gpu_memory_utilization {} allows {:.1f} GiB ({})",
                  need.total_gib(), device.memory_gib, options.gpu_memory_utilization, usable, parts(need)),
      "raise gpu-memory-utilization or " + std::string(kMoreMemory));
}

core::Error cache_too_small(const Capacity& capacity, double token_gib, const SimOptions& options) {
  return out_of_memory(
      fmt::format(
          "The model's max seq len ({}) is larger than the maximum number of tokens that can be "
          "stored in KV cache ({}): {:.2f} GiB KV cache is needed, which is larger than the available "
          "KV cache memory ({:.2f} GiB)",
          options.max_model_len, capacity.kv_tokens, token_gib * static_cast<double>(options.max_model_len),
          capacity.kv_gib),
      "raise gpu-memory-utilization or tensor-parallel-size, or lower max-model-len");
}

}  // namespace

core::Result<Capacity> plan_capacity(const SimOptions& options) {
  if (auto error = check_names(options)) return *error;
  const Model& model = *find_model(options.model);
  const Device& device = *find_device(options.device);
  if (auto error = check_rules(options, model)) return *error;

  MemoryNeed need = memory_need(model, *find_quantization(options.quantization), options);
  if (faults_of(options).oom_at_launch) {
    need.injected_gib = std::max(0.0, kInjectedShare * device.memory_gib - need.total_gib());
  }
  if (auto error = check_weights_fit(need, device, options)) return *error;

  Capacity capacity;
  capacity.weights_gib = need.weights_gib;
  capacity.kv_gib = options.gpu_memory_utilization * device.memory_gib - need.total_gib();
  const double token_gib = kv_bytes_per_token(model, options) / kGib;
  const auto blocks = static_cast<std::int64_t>(std::floor(capacity.kv_gib / (token_gib * kBlockTokens)));
  capacity.kv_tokens = blocks * kBlockTokens;
  if (capacity.kv_tokens < options.max_model_len) return cache_too_small(capacity, token_gib, options);
  return capacity;
}

double start_seconds(const SimOptions& options) {
  const Model* model = find_model(options.model);
  const Quantization* quantization = find_quantization(options.quantization);
  if (model == nullptr || quantization == nullptr) return 0;
  constexpr double kProcessStartS = 4.0, kGroupStartS = 2.0, kCaptureSPerSequence = 0.02, kLoadGibPerS = 2.0;
  const double graphs =
      kCaptureSPerSequence * static_cast<double>(std::min<std::int64_t>(options.max_num_seqs, 512));
  const bool group = options.tensor_parallel_size * options.pipeline_parallel_size > 1;
  const double seconds = kProcessStartS + (group ? kGroupStartS : 0.0) + graphs +
                         weight_bytes_per_device(*model, *quantization, options) / kGib / kLoadGibPerS;
  return seconds * faults_of(options).start_factor;
}

}  // namespace paretune::sim
