#include "paretune/load/prompts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "load/prompt_words.hpp"

namespace paretune::load {

namespace {

constexpr auto kWords = split_prompt_words();
constexpr int kBitsPerWord = 9;
constexpr int kWordsPerDraw = 64 / kBitsPerWord;
// Beyond this many tries the bounds lie so far out that the nearer one is as good a draw as any.
constexpr int kTruncationTries = 64;

double draw_normal(const LengthModel& model, core::Random& random) {
  const double low = static_cast<double>(model.min);
  const double high = static_cast<double>(model.max);
  double value = model.mean;
  for (int i = 0; i < kTruncationTries; ++i) {
    value = std::round(model.mean + model.stdev * random.normal());
    if (value >= low && value <= high) return value;
  }
  return std::clamp(value, low, high);
}

}  // namespace

std::uint32_t draw_length(const LengthModel& model, core::Random& random) {
  if (model.min > model.max) throw std::invalid_argument("draw_length: min is greater than max");
  double value = std::round(model.mean);
  if (model.kind == LengthModel::Kind::Normal) value = draw_normal(model, random);
  if (model.kind == LengthModel::Kind::Uniform)
    value = static_cast<double>(random.integer(model.min, model.max));
  return static_cast<std::uint32_t>(std::clamp(value, 1.0, 4e9));
}

std::string make_prompt(std::uint64_t seed, std::uint64_t index, std::uint32_t words) {
  core::Random random(core::derive_seed(seed + index * 0x9E3779B97F4A7C15ULL, "prompt"));
  std::string text;
  text.reserve(std::size_t{words} * 6);
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < words; ++i) {
    if (i % kWordsPerDraw == 0) bits = random.next();
    if (i > 0) text += ' ';
    text += kWords[bits & (kPromptWords - 1)];
    bits >>= kBitsPerWord;
  }
  return text;
}

std::string make_body(Api api, const std::string& model, const std::string& prompt,
                      std::uint32_t max_output_tokens, const Workload& workload) {
  nlohmann::ordered_json body;
  if (!model.empty()) body["model"] = model;
  if (api == Api::Chat) {
    body["messages"] = nlohmann::ordered_json::array({{{"role", "user"}, {"content", prompt}}});
  } else {
    body["prompt"] = prompt;
  }
  body["max_tokens"] = max_output_tokens;
  body["temperature"] = workload.temperature;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  if (workload.ignore_eos) body["ignore_eos"] = true;
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace paretune::load
