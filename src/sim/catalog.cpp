#include "paretune/sim/catalog.hpp"

#include <algorithm>

namespace paretune::sim {

namespace {

/// Sizes follow from the shape: attention 2*h*(n+g)*d, gated feed-forward 3*h*f, embedding and output head
/// v*h each.
Model make_model(std::string name, int layers, int hidden, int heads, int kv_heads, int head_dim,
                 int feed_forward, int vocabulary, std::int64_t max_positions) {
  const double h = hidden;
  const double attention = 2.0 * h * (heads + kv_heads) * head_dim;
  const double blocks = layers * (attention + 3.0 * h * feed_forward);
  const double table = static_cast<double>(vocabulary) * h;
  Model model;
  model.name = std::move(name);
  model.parameters = blocks + 2 * table;
  model.matmul_parameters = blocks + table;
  model.plain_parameters = 2 * table;
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.head_dim = head_dim;
  model.vocabulary = vocabulary;
  model.max_positions = max_positions;
  return model;
}

template <class T>
const T* find(const std::vector<T>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Device>& devices() {
  static const std::vector<Device> table = {
      {"sim-80g", 80, 3.0e12, 8.0e14, 1.6e15, 4.0e11, 8e-6},
      {"sim-40g", 40, 1.5e12, 3.0e14, 3.0e14, 2.5e11, 8e-6},
      {"sim-24g", 24, 0.9e12, 1.6e14, 3.2e14, 2.5e10, 25e-6},
      {"sim-16g", 16, 0.3e12, 6.0e13, 6.0e13, 1.2e10, 25e-6},
  };
  return table;
}

const std::vector<Model>& models() {
  static const std::vector<Model> table = {
      make_model("sim-1b", 20, 2048, 32, 8, 64, 6144, 32000, 32768),
      make_model("sim-8b", 32, 4096, 32, 8, 128, 14336, 128000, 131072),
      make_model("sim-32b", 64, 5120, 40, 8, 128, 27648, 128000, 131072),
      make_model("sim-70b", 80, 8192, 64, 8, 128, 28672, 128000, 131072),
  };
  return table;
}

const std::vector<Quantization>& quantizations() {
  static const std::vector<Quantization> table = {
      {"none", 2.0, false, 1.0},
      {"fp8", 1.0, true, 1.0},
      {"int8", 1.0, true, 0.9},
      // 4 bits, one 16-bit scale and a 4-bit zero for each group of 128; unpacking costs most at large
      // batches.
      {"int4", 0.52, false, 0.55},
  };
  return table;
}

const Device* find_device(std::string_view name) {
  return find(devices(), name);
}
const Model* find_model(std::string_view name) {
  return find(models(), name);
}

const Quantization* find_quantization(std::string_view name) {
  if (name == "awq" || name == "gptq") return find(quantizations(), "int4");
  return find(quantizations(), name);
}

}  // namespace paretune::sim
