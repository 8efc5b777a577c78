#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paretune/engine/failure.hpp"
#include "paretune/sim/server.hpp"
#include "paretune/sim/step_model.hpp"

namespace paretune::sim {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;

core::Error error_of(const SimOptions& options) {
  const auto capacity = plan_capacity(options);
  EXPECT_FALSE(capacity.ok());
  return capacity.ok() ? core::Error{} : capacity.error();
}

TEST(PlanCapacity, DividesWhatTheWeightsLeaveIntoTokens) {
  const auto capacity = plan_capacity(SimOptions{});
  ASSERT_TRUE(capacity.ok());
  EXPECT_NEAR(capacity->weights_gib, 15.0, 0.2);
  EXPECT_NEAR(static_cast<double>(capacity->kv_tokens), capacity->kv_gib * 1024 * 1024 * 1024 / 131072, 16);
  EXPECT_LT(capacity->weights_gib + capacity->kv_gib, 0.9 * 80);
}

TEST(PlanCapacity, NamesBothNumbersWhenTheWeightsDoNotFit) {
  SimOptions options;
  options.model = "sim-70b";
  const core::Error error = error_of(options);
  EXPECT_EQ(error.code, ErrorCode::OutOfMemory);
  EXPECT_THAT(error.message, HasSubstr("out of memory: needs 133.9 GiB of 80.0 GiB"));
  EXPECT_THAT(error.hint, HasSubstr("tensor-parallel-size"));
  options.tensor_parallel_size = 4;
  EXPECT_TRUE(plan_capacity(options).ok());
}

TEST(PlanCapacity, NamesTheShareWhenOnlyItIsTooSmall) {
  SimOptions options;
  options.gpu_memory_utilization = 0.2;
  const core::Error error = error_of(options);
  EXPECT_EQ(error.code, ErrorCode::OutOfMemory);
  EXPECT_THAT(error.message, HasSubstr("No available memory for the cache blocks"));
  EXPECT_THAT(error.message, HasSubstr("allows 16.0 GiB"));
}

TEST(PlanCapacity, RefusesAModelLengthThatNoCacheHolds) {
  SimOptions options;
  options.gpu_memory_utilization = 0.22;
  options.max_model_len = 32768;
  const core::Error error = error_of(options);
  EXPECT_EQ(error.code, ErrorCode::OutOfMemory);
  EXPECT_THAT(error.message,
              HasSubstr("max seq len (32768) is larger than the maximum number of tokens that can be "
                        "stored in KV cache ("));
}

TEST(PlanCapacity, LeavesLessCacheForLargerBatches) {
  SimOptions options;
  const std::int64_t before = plan_capacity(options)->kv_tokens;
  options.max_num_batched_tokens = 65536;
  const std::int64_t wide = plan_capacity(options)->kv_tokens;
  EXPECT_LT(wide, before);
  options.max_num_seqs = 4096;
  EXPECT_LT(plan_capacity(options)->kv_tokens, wide);
}

TEST(PlanCapacity, DoublesTheTokensOfAnEightBitCache) {
  SimOptions options;
  const std::int64_t before = plan_capacity(options)->kv_tokens;
  options.kv_cache_dtype = "fp8";
  EXPECT_NEAR(static_cast<double>(plan_capacity(options)->kv_tokens), 2.0 * static_cast<double>(before), 32);
}

TEST(PlanCapacity, ChecksTheRulesOfTheEngineFirst) {
  const auto refusal = [](auto change) {
    SimOptions options;
    change(options);
    const core::Error error = error_of(options);
    EXPECT_EQ(error.code, ErrorCode::InvalidInput) << error.message;
    return error.message;
  };
  EXPECT_THAT(refusal([](SimOptions& o) { o.max_num_batched_tokens = 32; }),
              HasSubstr("max_num_batched_tokens (32) must be greater than or equal to max_num_seqs (256)"));
  EXPECT_THAT(refusal([](SimOptions& o) {
                o.enable_chunked_prefill = false;
                o.max_num_batched_tokens = 4096;
              }),
              HasSubstr("is smaller than max_model_len (8192)"));
  EXPECT_THAT(refusal([](SimOptions& o) { o.max_model_len = 200'000; }),
              HasSubstr("is greater than the derived max_model_len (131072)"));
  EXPECT_THAT(refusal([](SimOptions& o) { o.tensor_parallel_size = 3; }),
              HasSubstr("must be divisible by tensor parallel size (3)"));
  EXPECT_THAT(refusal([](SimOptions& o) { o.model = "llama"; }), HasSubstr("unknown model 'llama'"));
}

/// A launcher that reads the log must come to the same class as the twin, which sees the error itself.
TEST(PlanCapacity, WordsItsRefusalsSoThatLaunchersUnderstandThem) {
  const auto class_of = [](auto change) {
    SimOptions options;
    change(options);
    const core::Error error = error_of(options);
    const auto failure = engine::classify_failure(engine::Phase::Start, {.exit_code = 1, .signal = {}},
                                                  "ERROR " + error.message + "\n");
    const bool memory = failure.cls == engine::FailureClass::OutOfMemory;
    EXPECT_EQ(memory, error.code == ErrorCode::OutOfMemory) << error.message;
    return failure.cls;
  };
  using Class = engine::FailureClass;
  EXPECT_EQ(class_of([](SimOptions& o) { o.model = "sim-70b"; }), Class::OutOfMemory);
  EXPECT_EQ(class_of([](SimOptions& o) { o.fault = "oom-at-launch"; }), Class::OutOfMemory);
  EXPECT_EQ(class_of([](SimOptions& o) { o.gpu_memory_utilization = 0.2; }), Class::OutOfMemory);
  EXPECT_EQ(class_of([](SimOptions& o) {
              o.gpu_memory_utilization = 0.22;
              o.max_model_len = 32768;
            }),
            Class::OutOfMemory);
  EXPECT_EQ(class_of([](SimOptions& o) { o.max_num_batched_tokens = 32; }), Class::BadConfiguration);
  EXPECT_EQ(class_of([](SimOptions& o) { o.tensor_parallel_size = 3; }), Class::BadConfiguration);
  EXPECT_EQ(class_of([](SimOptions& o) { o.max_model_len = 200'000; }), Class::BadConfiguration);
  EXPECT_EQ(class_of([](SimOptions& o) {
              o.enable_chunked_prefill = false;
              o.max_num_batched_tokens = 4096;
            }),
            Class::BadConfiguration);
}

TEST(PlanCapacity, InjectsAnOutOfMemoryThatSaysSo) {
  SimOptions options;
  options.fault = "oom-at-launch";
  const core::Error error = error_of(options);
  EXPECT_EQ(error.code, ErrorCode::OutOfMemory);
  EXPECT_THAT(error.message, HasSubstr("out of memory: needs 88.0 GiB of 80.0 GiB"));
  EXPECT_THAT(error.message, HasSubstr("fault oom-at-launch"));
}

TEST(StartSeconds, GrowsWithWeightsAndTheSlowStartFault) {
  SimOptions options;
  const double eight = start_seconds(options);
  EXPECT_GT(eight, 5);
  options.model = "sim-70b";
  EXPECT_GT(start_seconds(options), eight);
  const double seventy = start_seconds(options);
  options.fault = "slow-start";
  EXPECT_DOUBLE_EQ(start_seconds(options), 10 * seventy);
}

}  // namespace
}  // namespace paretune::sim
