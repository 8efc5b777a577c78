// Settings of the simulated server: the knobs of vLLM that have an effect, device and model sizes, seed,
// speed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/engine/engine_spec.hpp"
#include "paretune/space/space.hpp"

namespace paretune::sim {

struct SimOptions {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0 = a free one, printed on the first line of stdout
  std::string model = "sim-8b";
  std::string device = "sim-80g";
  std::uint64_t seed = 1;
  double speed = 1;   ///< divides every simulated duration
  std::string fault;  ///< empty or none, oom-at-launch, crash-after=N, stall[=TOKENS], http-500=P, slow-start
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 8192;
  std::int64_t max_model_len = 8192;
  double gpu_memory_utilization = 0.9;
  std::int64_t tensor_parallel_size = 1;
  std::int64_t pipeline_parallel_size = 1;
  std::string quantization = "none";
  std::string kv_cache_dtype = "auto";
  bool enable_chunked_prefill = true;
  bool enable_prefix_caching = true;
};

struct SimFlag {
  std::string name;  ///< without dashes
  std::string doc;
  std::string default_text;
  bool is_switch = false;  ///< true/false: --name and --no-name on a command line
  bool has_effect = true;  ///< false: accepted, said so in the help
};
const std::vector<SimFlag>& sim_flags();

/// Sets one flag. Switches also take an empty text (on) and the name "no-…" with an empty text (off). @return
/// Error{InvalidInput}: unknown (did you mean), bad value with its range.
core::Result<void> set_flag(SimOptions& options, std::string_view name, const std::string& text);

/// Options of the in-process twin for a configuration of a `kind: sim` study (fixed args, then parameters).
core::Result<SimOptions> options_for(const engine::EngineSpec& spec, const space::Space& space,
                                     const space::Configuration& configuration);

}  // namespace paretune::sim
