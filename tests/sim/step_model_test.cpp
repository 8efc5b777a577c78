#include "paretune/sim/step_model.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace paretune::sim {
namespace {

StepLoad decode(std::int64_t sequences, std::int64_t context_each) {
  StepLoad load;
  load.decode_sequences = sequences;
  load.decode_context_tokens = sequences * context_each;
  return load;
}

StepLoad prefill(std::int64_t tokens) {
  StepLoad load;
  load.prefill_sequences = 1;
  load.prefill_tokens = tokens;
  load.prefill_attention_pairs = static_cast<double>(tokens) * static_cast<double>(tokens) / 2;
  return load;
}

SimOptions with(std::string model, std::int64_t tensor, std::string quantization = "none") {
  SimOptions options;
  options.model = std::move(model);
  options.tensor_parallel_size = tensor;
  options.quantization = std::move(quantization);
  return options;
}

TEST(StepModel, AddsTheTermsOfASmallDecodeByHand) {
  // sim-8b on sim-80g: 8.03e9 weights, 7.5e9 of them read per step, 16 bits, 3e12 B/s at 90 %.
  const Model& model = *find_model("sim-8b");
  const StepTime time = StepModel(SimOptions{}).terms(decode(1, 1000));
  EXPECT_NEAR(time.weights_s, model.matmul_parameters * 2 / (0.9 * 3.0e12), 1e-9);
  EXPECT_NEAR(time.kv_s, 1000 * 131072.0 / (0.8 * 3.0e12), 1e-9);  // 2 * 8 heads * 128 * 32 layers * 2 bytes
  EXPECT_NEAR(time.overhead_s, 0.5e-3 + 32 * 60e-6 + 4e-6, 1e-9);
  EXPECT_EQ(time.communication_s, 0);
  EXPECT_NEAR(time.total_s(), 8.1e-3, 0.3e-3);
}

TEST(StepModel, SizesModelsNearTheirNames) {
  EXPECT_NEAR(find_model("sim-1b")->parameters, 1.1e9, 0.15e9);
  EXPECT_NEAR(find_model("sim-8b")->parameters, 8.0e9, 0.2e9);
  EXPECT_NEAR(find_model("sim-32b")->parameters, 32e9, 1.5e9);
  EXPECT_NEAR(find_model("sim-70b")->parameters, 70e9, 1.5e9);
}

TEST(StepModel, GrowsWithBatchContextAndPrompt) {
  const StepModel model{SimOptions{}};
  EXPECT_LT(model.seconds(decode(1, 500)), model.seconds(decode(2, 500)));
  EXPECT_LT(model.seconds(decode(8, 500)), model.seconds(decode(8, 5000)));
  EXPECT_LT(model.seconds(prefill(100)), model.seconds(prefill(200)));
}

TEST(StepModel, MoreTensorParallelIsFasterButLessThanLinear) {
  const StepLoad load = decode(32, 1000);
  const double one = StepModel(with("sim-70b", 1)).seconds(load);
  const double two = StepModel(with("sim-70b", 2)).seconds(load);
  const double eight = StepModel(with("sim-70b", 8)).seconds(load);
  EXPECT_LT(two, one);
  EXPECT_LT(eight, two);
  EXPECT_GT(two, one / 2);
  EXPECT_GT(eight, one / 8);
}

TEST(StepModel, FourBitWeightsHelpSmallBatchesAndHurtLargeOnes) {
  const StepModel plain(with("sim-8b", 1));
  const StepModel int4(with("sim-8b", 1, "int4"));
  EXPECT_LT(int4.seconds(decode(1, 500)), 0.6 * plain.seconds(decode(1, 500)));
  EXPECT_GT(int4.seconds(decode(256, 500)), plain.seconds(decode(256, 500)));
  EXPECT_GT(int4.seconds(prefill(4096)), plain.seconds(prefill(4096)));
}

TEST(StepModel, EightBitMathNeedsADeviceThatHasIt) {
  SimOptions options = with("sim-8b", 1);
  options.device = "sim-40g";
  const double plain = StepModel(options).seconds(prefill(4096));
  options.quantization = "fp8";
  EXPECT_GT(StepModel(options).seconds(prefill(4096)), plain);  // unpacked to 16 bits first
  options.device = "sim-80g";
  const double fp8 = StepModel(options).seconds(prefill(4096));
  options.quantization = "none";
  EXPECT_LT(fp8, StepModel(options).seconds(prefill(4096)));
}

TEST(StepModel, PipelineStagesDoNotShortenOneSequence) {
  SimOptions options = with("sim-70b", 1);
  const double one = StepModel(options).seconds(decode(1, 1000));
  options.pipeline_parallel_size = 4;
  const StepModel four(options);
  EXPECT_GE(four.seconds(decode(1, 1000)), one);
  // Many sequences overlap over the stages: more tokens per second than one stage.
  options.pipeline_parallel_size = 1;
  EXPECT_LT(four.seconds(decode(256, 1000)), StepModel(options).seconds(decode(256, 1000)));
}

TEST(StepModel, RepeatsKvHeadsBeyondTheirNumber) {
  const Model& model = *find_model("sim-8b");  // 8 KV heads
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model, with("sim-8b", 8)),
                   kv_bytes_per_token(model, with("sim-8b", 16)));
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model, with("sim-8b", 4)) * 4,
                   kv_bytes_per_token(model, with("sim-8b", 1)));
}

TEST(StepModel, RefusesUnknownNames) {
  EXPECT_THROW(StepModel(with("sim-9b", 1)), std::invalid_argument);
  EXPECT_THROW(StepModel(with("sim-8b", 0)), std::invalid_argument);
}

}  // namespace
}  // namespace paretune::sim
