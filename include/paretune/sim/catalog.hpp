// The made-up machines and models of the simulated server: plain constants, plausible but of no real product.
// They are named sim-* so that nobody takes their numbers for those of a real GPU or checkpoint. Immutable,
// safe from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paretune::sim {

/// One accelerator. Rates are peaks; the step model applies efficiencies.
struct Device {
  std::string name;
  double memory_gib = 0;
  double bandwidth_bytes_s = 0;  ///< device memory
  double flops_16 = 0;           ///< dense 16-bit, per second
  double flops_8 = 0;  ///< dense 8-bit, per second; equal to flops_16 where the device has no 8-bit units
  double link_bytes_s = 0;        ///< one way, between the devices of one server
  double collective_floor_s = 0;  ///< least time of one all-reduce
};

/// One dense decoder-only transformer with grouped-query attention.
struct Model {
  std::string name;
  double parameters = 0;         ///< all weights, embeddings included
  double matmul_parameters = 0;  ///< those multiplied for every token (input embedding left out)
  double plain_parameters =
      0;  ///< part of `parameters` that stays 16-bit when quantized (embedding, output head)
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int vocabulary = 0;
  std::int64_t max_positions = 0;  ///< the longest max-model-len the model allows
};

const std::vector<Device>& devices();
const std::vector<Model>& models();
/// @return nullptr if unknown.
const Device* find_device(std::string_view name);
const Model* find_model(std::string_view name);

/// How weights are stored and multiplied.
struct Quantization {
  std::string name;
  double bytes_per_parameter = 2;
  bool eight_bit_math = false;  ///< multiplies with 8-bit units (W8A8)
  double math_efficiency = 1;   ///< < 1: weights are unpacked to 16 bits before each product
};
const std::vector<Quantization>& quantizations();
const Quantization* find_quantization(std::string_view name);

}  // namespace paretune::sim
