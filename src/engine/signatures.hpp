// What the logs of known engines say when they fail. Sources: the failure signatures of the engine survey
// (vLLM, SGLang, TensorRT-LLM, llama.cpp, TGI, LMDeploy), recorded vLLM 0.32 starts, and generic texts of
// libraries they use.
#pragma once

#include <span>
#include <string_view>

#include "paretune/engine/failure.hpp"

namespace paretune::engine {

/// Lower rank = nearer to the cause.
enum class Rank {
  Cause,        ///< says what is wrong
  General,      ///< an error of a telling kind, but general
  Consequence,  ///< says that something else went wrong before
  Echo,         ///< the last word of the outermost layer
};

enum class Advice {
  OfClass,     ///< the general one for the class
  KvTooSmall,  ///< memory is there, but too little of it goes to the KV cache
  HostMemory,
  Model,     ///< model missing, gated or broken
  Parallel,  ///< does not divide over the devices
  FlashAttention,
  AsyncScheduling,
  MissingEngine,
  Device,
  ReadyTimeout,
};

struct Signature {
  const char* pattern;  ///< lower case; parts separated by '*' must occur in this order
  FailureClass cls;
  Rank rank = Rank::Cause;
  Advice advice = Advice::OfClass;
};

std::span<const Signature> signatures();
/// @param line  lower case
bool matches(std::string_view pattern, std::string_view line);
const char* advice_text(FailureClass cls, Advice advice);

}  // namespace paretune::engine
