#include "paretune/sim/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace paretune::sim {
namespace {

using ::testing::HasSubstr;

TEST(SimFlags, NamesEveryKnobOnceWithADocument) {
  std::set<std::string> names;
  for (const SimFlag& flag : sim_flags()) {
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_FALSE(flag.doc.empty()) << flag.name;
    EXPECT_LT(flag.doc.size(), 100U) << flag.name;
  }
  for (const char* name :
       {"host", "port", "model", "device", "seed", "speed", "fault", "max-num-seqs", "max-num-batched-tokens",
        "max-model-len", "gpu-memory-utilization", "tensor-parallel-size", "pipeline-parallel-size",
        "quantization", "kv-cache-dtype", "enable-chunked-prefill", "enable-prefix-caching"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(SimFlags, AcceptsItsOwnDefaultsAndChangesNothingByThem) {
  SimOptions options;
  for (const SimFlag& flag : sim_flags()) {
    EXPECT_TRUE(set_flag(options, flag.name, flag.default_text).ok()) << flag.name;
  }
  const SimOptions fresh;
  EXPECT_EQ(options.max_num_seqs, fresh.max_num_seqs);
  EXPECT_EQ(options.max_num_batched_tokens, fresh.max_num_batched_tokens);
  EXPECT_EQ(options.max_model_len, fresh.max_model_len);
  EXPECT_EQ(options.model, fresh.model);
  EXPECT_EQ(options.seed, fresh.seed);
  EXPECT_EQ(options.enable_chunked_prefill, fresh.enable_chunked_prefill);
  EXPECT_EQ(options.gpu_memory_utilization, fresh.gpu_memory_utilization);
}

TEST(SetFlag, ReadsSwitchesInEveryForm) {
  SimOptions options;
  for (const char* text : {"false", "False", "off", "0"}) {
    options.enable_prefix_caching = true;
    ASSERT_TRUE(set_flag(options, "enable-prefix-caching", text).ok());
    EXPECT_FALSE(options.enable_prefix_caching) << text;
  }
  ASSERT_TRUE(set_flag(options, "enable-prefix-caching", "").ok());
  EXPECT_TRUE(options.enable_prefix_caching);
  ASSERT_TRUE(set_flag(options, "no-enable-prefix-caching", "").ok());
  EXPECT_FALSE(options.enable_prefix_caching);
}

TEST(SetFlag, RefusesBadValuesWithTheRange) {
  const auto refusal = [](const char* name, const char* text) {
    SimOptions options;
    const auto set = set_flag(options, name, text);
    EXPECT_FALSE(set.ok()) << name << ' ' << text;
    return set.ok() ? std::string() : set.error().message + " | " + set.error().hint;
  };
  EXPECT_THAT(refusal("max-num-seqs", "0"), HasSubstr("'0' is not a whole number from 1 to"));
  EXPECT_THAT(refusal("max-num-seqs", "many"), HasSubstr("many"));
  EXPECT_THAT(refusal("gpu-memory-utilization", "1.5"), HasSubstr("from 0.01 to 1"));
  EXPECT_THAT(refusal("speed", "0"), HasSubstr("'0'"));
  EXPECT_THAT(refusal("speed", "nan"), HasSubstr("'nan'"));
  EXPECT_THAT(refusal("quantization", "fp9"), HasSubstr("did you mean 'fp8'?"));
  EXPECT_THAT(refusal("max-num-seq", "8"), HasSubstr("did you mean 'max-num-seqs'?"));
  EXPECT_THAT(refusal("no-max-num-seqs", ""), HasSubstr("unknown flag"));
  EXPECT_THAT(refusal("port", "65536"), HasSubstr("65535"));
  EXPECT_THAT(refusal("fault", "oom"), HasSubstr("bad fault 'oom'"));
  EXPECT_THAT(refusal("fault", "crash-after"), HasSubstr("bad fault"));
  EXPECT_THAT(refusal("fault", "http-500=2"), HasSubstr("bad fault"));
}

TEST(SetFlag, ReadsEveryFault) {
  SimOptions options;
  for (const char* text : {"", "none", "oom-at-launch", "crash-after=7", "stall", "stall=50", "http-500=0.1",
                           "http-500=10%", "slow-start"}) {
    EXPECT_TRUE(set_flag(options, "fault", text).ok()) << text;
  }
}

core::Result<space::Space> small_space() {
  space::Parameter seqs;
  seqs.name = "max-num-seqs";
  seqs.domain = space::LevelList{{{std::int64_t{8}, "8"}, {std::int64_t{16}, "16"}}};
  space::Parameter chunked;
  chunked.name = "enable-chunked-prefill";
  chunked.domain = space::LevelList{{{true, "true"}, {false, "false"}}};
  return space::Space::create({seqs, chunked}, {}, {});
}

TEST(OptionsFor, TakesModelFixedArgumentsThenParameters) {
  const auto space = small_space();
  ASSERT_TRUE(space.ok());
  engine::EngineSpec spec;
  spec.kind = engine::Kind::Sim;
  spec.model = "sim-70b";
  spec.args.push_back({"tensor-parallel-size", {std::int64_t{4}, "4"}, space::Style::Value});
  spec.args.push_back({"max-num-seqs", {std::int64_t{64}, "64"}, space::Style::Value});
  const auto options =
      options_for(spec, *space, {{"max-num-seqs", std::int64_t{16}}, {"enable-chunked-prefill", false}});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->model, "sim-70b");
  EXPECT_EQ(options->tensor_parallel_size, 4);
  EXPECT_EQ(options->max_num_seqs, 16);
  EXPECT_FALSE(options->enable_chunked_prefill);
}

TEST(OptionsFor, NamesAParameterThatTheSimulatorDoesNotHave) {
  const auto space = small_space();
  ASSERT_TRUE(space.ok());
  engine::EngineSpec spec;
  spec.args.push_back({"max-num-seq", {std::int64_t{64}, "64"}, space::Style::Value});
  const auto options = options_for(spec, *space, {});
  ASSERT_FALSE(options.ok());
  EXPECT_THAT(options.error().message, HasSubstr("--max-num-seq"));
}

}  // namespace
}  // namespace paretune::sim
