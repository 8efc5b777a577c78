// The way to study.json and back: equal specs, numbers as written, and no secret on the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "spec/support.hpp"

namespace paretune::spec {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::read;
using testing::study_with;
using testing::Variable;
using testing::warnings_of;

constexpr const char* kWhole = R"(
name: whole
engine:
  kind: vllm
  command: [/opt/vllm, serve]
  model: some/model
  args: {max-model-len: 4096, ver: 1.10, rope: {base: 1.50}, trust: {value: true, style: presence}, text: "010"}
  env: {A: "1", B: "$${literal}"}
  gpus: tensor-parallel-size * pipeline-parallel-size
  ready: {timeout: 5m}
space:
  list: [1.10, 2.0, 1e-3]
  words: {values: ["on", "off", b], ordered: true, style: equals}
  flag: {values: [true, false], style: no-prefix}
  nested: [{a: 1}, {a: 2, b: [x]}]
  stepped: {min: 0.9, max: 0.95, step: 0.01}
  whole-steps: {min: 8, max: 64, step: 8}
  log: {min: 1, max: 64, scale: log}
  doubled: {min: 64, max: 2048, scale: log2}
  real: {min: 0.5, max: 2, scale: log, when: "flag == true", doc: a real}
  parallel: {link: [tensor-parallel-size, pipeline-parallel-size], values: [[1, 8], [2, 4]]}
constraints: ["whole-steps <= doubled", "log < 64 or flag"]
workload:
  prompt_tokens: {mean: 128, stdev: 32}
  output_tokens: 64
  rate: [0.5, 1, 2.25]
  duration: 20s
  slo: ["ttft <= 200ms"]
objectives: [{metric: goodput}, {metric: "ttft:p95", direction: min}, cost]
limits: ["tpot:p95 <= 80.5ms", "error_rate <= 1%"]
baseline: {list: 1.1, words: b}
search: {method: random, seed: 9007199254740993}
budget: {launches: 12, time: 90m}
price: {gpu_hour: 2.5}
reference_point: {"ttft:p95": 1500.5}
)";

core::Result<StudySpec> reload(const StudySpec& spec) {
  return read(study_text(spec), {}, "study.json");
}

TEST(StudyJson, LoadsBackToAnEqualStudy) {
  const auto spec = read(kWhole);
  ASSERT_TRUE(spec) << spec.error().message;
  const auto again = reload(*spec);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(study_text(*again), study_text(*spec));
  EXPECT_EQ(again->search.seed, 9007199254740993U);
  EXPECT_EQ(again->engine.env, spec->engine.env);
  EXPECT_EQ(again->engine.env.at("B"), "${literal}");
  EXPECT_EQ(again->space.fixed(), spec->space.fixed());
  EXPECT_EQ(*again->baseline, *spec->baseline);
  EXPECT_EQ(again->reference_point, spec->reference_point);
}

TEST(StudyJson, KeepsTheSameSpacePointByPoint) {
  const auto spec = read(kWhole);
  ASSERT_TRUE(spec) << spec.error().message;
  const auto again = reload(*spec);
  ASSERT_TRUE(again) << again.error().message;
  const space::Space& a = spec->space;
  const space::Space& b = again->space;
  ASSERT_EQ(a.axes().size(), b.axes().size());
  for (std::size_t i = 0; i < a.axes().size(); ++i) {
    EXPECT_EQ(a.axes()[i].name, b.axes()[i].name);
    EXPECT_EQ(a.axes()[i].levels, b.axes()[i].levels) << a.axes()[i].name;
    EXPECT_EQ(a.axes()[i].ordered, b.axes()[i].ordered) << a.axes()[i].name;
    EXPECT_EQ(a.axes()[i].scale, b.axes()[i].scale) << a.axes()[i].name;
  }
  core::Random random(1);
  for (int i = 0; i < 500; ++i) {
    const auto code = a.sample(random);
    ASSERT_TRUE(code);
    const space::Point point = a.decode(*code);
    EXPECT_EQ(point, b.decode(*code));
    EXPECT_TRUE(b.valid(*code));
    for (const auto& [name, value] : point.configuration) {
      EXPECT_EQ(a.text(name, value), b.text(name, value));
      EXPECT_EQ(a.find(name)->style, b.find(name)->style);
    }
  }
}

TEST(StudyJson, KeepsNumbersAsTheyWereWritten) {
  const auto spec = read(kWhole);
  ASSERT_TRUE(spec) << spec.error().message;
  for (const auto& loaded : {*spec, *reload(*spec)}) {
    const auto& levels = std::get<space::LevelList>(loaded.space.find("list")->domain).levels;
    EXPECT_EQ(levels[0].text, "1.10");
    EXPECT_EQ(levels[1].text, "2.0");
    EXPECT_EQ(levels[2].text, "1e-3");
    EXPECT_EQ(loaded.engine.args[1].level.text, "1.10");
  }
  const core::Json json = to_json(*spec);
  EXPECT_EQ(json.at("as_written").at("space.list.values[0]"), "1.10");
  EXPECT_FALSE(json.at("as_written").contains("space.list.values[1]")) << "JSON writes 2.0 itself";
}

TEST(StudyJson, DropsASpellingThatASetHasOverruled) {
  const auto spec = read(kWhole);
  ASSERT_TRUE(spec);
  const auto changed = read(study_text(*spec), {"engine.args.ver=2.50"}, "study.json");
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(changed->engine.args[1].level.text, "2.50");
}

TEST(StudyJson, MatchesTheGoldenFile) {
  const std::string data = PARETUNE_TEST_DATA;
  const auto spec = load_study(data + "/spec/whole.yaml");
  ASSERT_TRUE(spec) << spec.error().message;
  const std::string path = data + "/golden/whole-study.json";
  if (std::getenv("PARETUNE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << study_text(*spec);
  std::ifstream file(path);
  const std::string golden((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(study_text(*spec), golden) << "if the change is meant, run with PARETUNE_UPDATE_GOLDEN=1";
}

TEST(Secrets, NeverReachTheStoredStudy) {
  const Variable token("PT_HF_TOKEN", "hf_0123456789");
  const Variable pin("PT_API_KEY", "00123456");
  const Variable other("PT_PLAIN", "/models/a.gguf");
  const auto spec = read(R"(
engine:
  kind: command
  command: [srv, --port, "{port}", "--api-key=${PT_API_KEY}", --hf-token, "${PT_HF_TOKEN}"]
  model: ${PT_PLAIN}
  args: {api-key: "${PT_API_KEY}", ssl-key: {value: "x-${PT_HF_TOKEN}", style: equals}, admin-token: "${PT_API_KEY}"}
  env: {HF_TOKEN: "${PT_HF_TOKEN}", MIXED_SECRET: "a ${PT_PLAIN}", PLAIN: "${PT_PLAIN}"}
workload: {concurrency: 1, duration: 1s}
objectives: [tps]
)");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->engine.env.at("HF_TOKEN"), "hf_0123456789") << "the server gets the real one";
  EXPECT_EQ(spec->engine.args[2].level.text, "00123456") << "a secret of digits stays as it is";
  const std::string text = study_text(*spec);
  EXPECT_THAT(text, Not(HasSubstr("hf_0123456789")));
  EXPECT_THAT(text, Not(HasSubstr("123456")));
  EXPECT_THAT(text, HasSubstr("--api-key=${PT_API_KEY}"));
  EXPECT_THAT(text, HasSubstr("a ${PT_PLAIN}"));
  EXPECT_THAT(text, HasSubstr("\"PLAIN\": \"/models/a.gguf\"")) << "what is no secret is stored as it was";
  const auto again = reload(*spec);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->engine.env, spec->engine.env);
  EXPECT_EQ(again->engine.command, spec->engine.command);
  EXPECT_EQ(again->engine.args[1].level.text, "x-hf_0123456789");
  EXPECT_EQ(study_text(*again), text);
}

TEST(Secrets, WrittenOutInTheFileAreReplacedWithAWarning) {
  const auto spec = read(R"(
engine:
  kind: command
  command: [srv, --port, "{port}", --password, hunter2, "HF_TOKEN=tok123"]
  args: {api-key: sk-abcdef, max-num-batched-tokens: 2048}
  env: {OPENAI_API_KEY: sk-ghijkl, TOKENIZERS_PARALLELISM: "false"}
workload: {concurrency: 1, duration: 1s}
objectives: [tps]
)");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->engine.command[4], "hunter2");
  const std::string text = study_text(*spec);
  for (const char* secret : {"hunter2", "tok123", "sk-abcdef", "sk-ghijkl"})
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  for (const char* kept :
       {"${PASSWORD}", "HF_TOKEN=${HF_TOKEN}", "${API_KEY}", "${OPENAI_API_KEY}", "2048", "false"}) {
    EXPECT_THAT(text, HasSubstr(kept));
  }
  EXPECT_THAT(warnings_of(spec), HasSubstr("environment variable OPENAI_API_KEY"));
  const auto resumed = reload(*spec);
  ASSERT_FALSE(resumed);
  EXPECT_THAT(resumed.error().message, HasSubstr("OPENAI_API_KEY is not set"));
}

TEST(Secrets, DefaultsOfSecretVariablesAreNotStoredEither) {
  const auto spec = read(study_with(""), {"engine.env={HF_TOKEN: \"${PT_TOKEN:-tok987}\"}"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->engine.env.at("HF_TOKEN"), "tok987");
  EXPECT_THAT(study_text(*spec), Not(HasSubstr("tok987")));
}

TEST(StoredStudy, CanBeReadWhereTheModelAndTheKeysAreMissing) {
  const std::string model = ::testing::TempDir() + "paretune-model.gguf";
  std::ofstream(model) << "x";
  std::string text;
  {
    const Variable key("PT_API_KEY", "secret-0");
    const auto spec = read("engine: {kind: llama.cpp, model: " + model +
                           ", env: {API_KEY: \"${PT_API_KEY}\"}, api_key_env: PT_API_KEY}\n"
                           "workload: {concurrency: 1, duration: 1s}\nobjectives: [tps]\n");
    ASSERT_TRUE(spec) << spec.error().message;
    text = study_text(*spec);
  }
  std::remove(model.c_str());
  EXPECT_FALSE(read(text, {}, "study.json")) << "it cannot run here";
  const auto stored = read_stored_study(text);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->engine.env.at("API_KEY"), "${PT_API_KEY}");
  EXPECT_EQ(study_text(*stored), text);
  EXPECT_FALSE(read_stored_study("{}"));
}

}  // namespace
}  // namespace paretune::spec
