#include "paretune/sim/options.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/sim/catalog.hpp"
#include "sim/fault.hpp"

namespace paretune::sim {

namespace {

using Fault = std::optional<core::Error>;
/// Reads the text into the options. @return the fault.
using Setter = std::function<Fault(SimOptions&, const std::string&)>;

struct FlagRule {
  SimFlag flag;
  Setter set;
};

core::Error bad_value(std::string_view flag, const std::string& text, const std::string& expected) {
  return core::invalid_input(fmt::format("--{}: '{}' is not {}", flag, text, expected));
}

template <class Integer>
Setter integer(std::string name, Integer SimOptions::*field, std::int64_t low, std::int64_t high) {
  return [=](SimOptions& options, const std::string& text) -> Fault {
    const auto value = core::parse_integer(text);
    if (!value.ok() || *value < low || *value > high) {
      return bad_value(name, text, fmt::format("a whole number from {} to {}", low, high));
    }
    options.*field = static_cast<Integer>(*value);
    return std::nullopt;
  };
}

Setter number(std::string name, double SimOptions::*field, double low, double high) {
  return [=](SimOptions& options, const std::string& text) -> Fault {
    const auto value = core::parse_number(text);
    if (!value.ok() || *value < low || *value > high) {
      return bad_value(
          name, text,
          fmt::format("a number from {} to {}", core::format_number(low), core::format_number(high)));
    }
    options.*field = *value;
    return std::nullopt;
  };
}

Setter boolean(std::string name, bool SimOptions::*field) {
  return [=](SimOptions& options, const std::string& text) -> Fault {
    const std::string word = core::to_lower(text);
    const bool yes = word.empty() || word == "true" || word == "on" || word == "1";
    if (!yes && word != "false" && word != "off" && word != "0")
      return bad_value(name, text, "true or false");
    options.*field = yes;
    return std::nullopt;
  };
}

Setter choice(std::string name, std::string SimOptions::*field, std::vector<std::string> choices) {
  return [=](SimOptions& options, const std::string& text) -> Fault {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      core::Error error = bad_value(name, text, "one of " + core::join(choices, ", "));
      error.hint = core::did_you_mean(text, choices);
      return error;
    }
    options.*field = text;
    return std::nullopt;
  };
}

template <class T>
std::vector<std::string> names(const std::vector<T>& items, std::vector<std::string> more = {}) {
  std::vector<std::string> result;
  for (const T& item : items) result.push_back(item.name);
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

Fault set_fault(SimOptions& options, const std::string& text) {
  const auto faults = parse_faults(text);
  if (!faults.ok()) return faults.error();
  options.fault = text;
  return std::nullopt;
}

Fault set_host(SimOptions& options, const std::string& text) {
  if (text.empty()) return bad_value("host", text, "an address");
  options.host = text;
  return std::nullopt;
}

std::vector<FlagRule> make_rules() {
  constexpr std::int64_t kMaxCount = 1 << 20;
  const std::string models_text = core::join(names(models()), ", ");
  const std::string devices_text = core::join(names(devices()), ", ");
  std::vector<FlagRule> rules;
  const auto add = [&](std::string name, std::string doc, std::string fallback, Setter set,
                       bool is_boolean = false) {
    rules.push_back(
        {{std::move(name), std::move(doc), std::move(fallback), is_boolean, true}, std::move(set)});
  };
  add("host", "address to listen on", "127.0.0.1", set_host);
  add("port", "port to listen on; 0 = a free one, printed on the first line", "0",
      integer("port", &SimOptions::port, 0, 65535));
  add("model", "made-up model: " + models_text, "sim-8b",
      choice("model", &SimOptions::model, names(models())));
  add("device", "made-up device: " + devices_text, "sim-80g",
      choice("device", &SimOptions::device, names(devices())));
  add("seed", "of step jitter, answer lengths and injected errors", "1",
      integer("seed", &SimOptions::seed, 0, std::numeric_limits<std::int64_t>::max()));
  add("speed", "divides every simulated duration, start-up included", "1",
      number("speed", &SimOptions::speed, 0.001, 1e6));
  add("fault", "oom-at-launch, crash-after=N, stall[=TOKENS], http-500=P, slow-start", "none", set_fault);
  add("max-num-seqs", "most sequences in one step; more wait", "256",
      integer("max-num-seqs", &SimOptions::max_num_seqs, 1, kMaxCount));
  add("max-num-batched-tokens", "token budget of one step: large for short TTFT, small for even TPOT", "8192",
      integer("max-num-batched-tokens", &SimOptions::max_num_batched_tokens, 1, kMaxCount));
  add("max-model-len", "longest prompt plus answer, tokens", "8192",
      integer("max-model-len", &SimOptions::max_model_len, 1, kMaxCount));
  add("gpu-memory-utilization", "share of the device memory that may be used", "0.9",
      number("gpu-memory-utilization", &SimOptions::gpu_memory_utilization, 0.01, 1));
  add("tensor-parallel-size", "devices that share every layer", "1",
      integer("tensor-parallel-size", &SimOptions::tensor_parallel_size, 1, 64));
  add("pipeline-parallel-size", "groups of layers on devices of their own", "1",
      integer("pipeline-parallel-size", &SimOptions::pipeline_parallel_size, 1, 64));
  add("quantization", "weights: none (16 bits), fp8, int8, int4 (also awq, gptq)", "none",
      choice("quantization", &SimOptions::quantization, names(quantizations(), {"awq", "gptq"})));
  add("kv-cache-dtype", "auto (16 bits) or fp8", "auto",
      choice("kv-cache-dtype", &SimOptions::kv_cache_dtype, {"auto", "fp8"}));
  add("enable-chunked-prefill", "mix parts of prompts with decoding; off: prompts alone, whole", "true",
      boolean("enable-chunked-prefill", &SimOptions::enable_chunked_prefill), true);
  add("enable-prefix-caching", "reuse the KV cache of equal beginnings of prompts", "true",
      boolean("enable-prefix-caching", &SimOptions::enable_prefix_caching), true);
  return rules;
}

const std::vector<FlagRule>& rules() {
  static const std::vector<FlagRule> table = make_rules();
  return table;
}

const FlagRule* find_rule(std::string_view name) {
  const auto found = std::find_if(rules().begin(), rules().end(),
                                  [&](const FlagRule& rule) { return rule.flag.name == name; });
  return found == rules().end() ? nullptr : &*found;
}

core::Error unknown_flag(std::string_view name) {
  std::vector<std::string> known;
  for (const SimFlag& flag : sim_flags()) known.push_back(flag.name);
  return core::invalid_input(fmt::format("unknown flag '--{}'", name), core::did_you_mean(name, known));
}

}  // namespace

const std::vector<SimFlag>& sim_flags() {
  static const std::vector<SimFlag> flags = [] {
    std::vector<SimFlag> list;
    for (const FlagRule& rule : rules()) list.push_back(rule.flag);
    return list;
  }();
  return flags;
}

core::Result<void> set_flag(SimOptions& options, std::string_view name, const std::string& text) {
  const FlagRule* rule = find_rule(name);
  constexpr std::string_view kNo = "no-";
  if (rule == nullptr && name.starts_with(kNo) && text.empty()) {
    const FlagRule* positive = find_rule(name.substr(kNo.size()));
    if (positive != nullptr && positive->flag.is_switch) {
      positive->set(options, "false");
      return {};
    }
  }
  if (rule == nullptr) return unknown_flag(name);
  if (auto fault = rule->set(options, text)) return *fault;
  return {};
}

core::Result<SimOptions> options_for(const engine::EngineSpec& spec, const space::Space& space,
                                     const space::Configuration& configuration) {
  SimOptions options;
  if (!spec.model.empty()) {
    if (auto set = set_flag(options, "model", spec.model); !set.ok()) return set.error();
  }
  for (const engine::FixedArgument& argument : spec.args) {
    const std::string text =
        argument.level.text.empty() ? space::to_text(argument.level.value) : argument.level.text;
    if (auto set = set_flag(options, argument.name, text); !set.ok()) return set.error();
  }
  for (const auto& [name, value] : configuration) {
    if (auto set = set_flag(options, name, space.text(name, value)); !set.ok()) return set.error();
  }
  return options;
}

}  // namespace paretune::sim
