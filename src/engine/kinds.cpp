#include "engine/words.hpp"
#include "paretune/engine/engine_spec.hpp"

namespace paretune::engine {
namespace {

constexpr WordTable<Kind, 9> kKinds{{{Kind::LlamaCpp, "llama.cpp"},
                                     {Kind::Vllm, "vllm"},
                                     {Kind::Sglang, "sglang"},
                                     {Kind::TensorRtLlm, "tensorrt-llm"},
                                     {Kind::Tgi, "tgi"},
                                     {Kind::Lmdeploy, "lmdeploy"},
                                     {Kind::Sim, "sim"},
                                     {Kind::Command, "command"},
                                     {Kind::Endpoint, "endpoint"}}};

}  // namespace

const char* to_string(Kind kind) {
  return word_of(kKinds, kind);
}

std::optional<Kind> kind_from(std::string_view word) {
  return value_of(kKinds, word);
}

const std::vector<std::string>& kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> words;
    for (const auto& [kind, word] : kKinds) words.emplace_back(word);
    return words;
  }();
  return names;
}

}  // namespace paretune::engine
