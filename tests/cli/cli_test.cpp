// The command line in process: usage, exit codes, what goes to which stream.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "paretune/cli/app.hpp"

namespace paretune::cli {
namespace {

struct Outcome {
  int code = -1;
  std::string out, err;
};

Outcome run(std::vector<std::string> words) {
  words.insert(words.begin(), "paretune");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out, err;
  Io io{out, err};
  Outcome result;
  result.code = run_app(static_cast<int>(argv.size()), argv.data(), io);
  result.out = out.str();
  result.err = err.str();
  return result;
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("paretune-cli-" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (directory_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  std::filesystem::path directory_;
};

constexpr const char* kStudy = R"(
name: small
engine: {kind: sim, model: sim-8b, args: {speed: 1000}}
space: {max-num-seqs: [4, 16], max-num-batched-tokens: [512, 2048]}
workload: {prompt_tokens: 32, output_tokens: 8, concurrency: [1, 4], requests: 8}
objectives: [{metric: output_throughput, direction: max}, {metric: "ttft:p95", direction: min}]
search: {method: grid}
)";

TEST_F(Cli, PrintsItsVersion) {
  const Outcome result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out.rfind("paretune ", 0), 0u);
}

TEST_F(Cli, WithoutACommandShowsHelpOnStderrAndExitsTwo) {
  const Outcome result = run({});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.out.empty());
  EXPECT_NE(result.err.find("tune"), std::string::npos);
}

TEST_F(Cli, SuggestsTheOptionThatWasMeant) {
  const Outcome result = run({"tune", "x.yaml", "--lauches", "3"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--launches"), std::string::npos) << result.err;
}

TEST_F(Cli, SuggestsTheCommandThatWasMeant) {
  const Outcome result = run({"tunee"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("tune"), std::string::npos) << result.err;
}

TEST_F(Cli, AMissingStudyFileIsABadFile) {
  const Outcome result = run({"tune", path("absent.yaml")});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("absent.yaml"), std::string::npos);
}

TEST_F(Cli, DryRunPrintsCommandsAndMakesNothing) {
  const std::string study = write("study.yaml", kStudy);
  const Outcome result = run({"tune", study, "--dry-run", "--out", path("out")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("--max-num-seqs 4"), std::string::npos) << result.out;
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(Cli, AnUnknownEngineFlagIsFoundBeforeAnythingStarts) {
  std::string text = kStudy;
  text.replace(text.find("max-num-seqs"), 12, "max-num-sqes");
  const Outcome result = run({"tune", write("study.yaml", text), "--out", path("out")});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("max-num-seqs"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(Cli, AMissingEngineProgramIsTheEnvironmentsFault) {
  std::string text = kStudy;
  text.replace(text.find("kind: sim"), 9, "kind: vllm, command: [no-such-program-here, serve]");
  const Outcome result = run({"tune", write("study.yaml", text), "--out", path("out")});
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_NE(result.err.find("no-such-program-here"), std::string::npos);
}

TEST_F(Cli, AVirtualStudyWritesEveryResultFileAndItsFrontIsReadBack) {
  const std::string study = write("study.yaml", kStudy);
  const Outcome tuned = run({"tune", study, "--virtual", "--out", path("out")});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  for (const char* name : {"study.db", "study.json", "front.json", "points.csv", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_ / "out" / name)) << name;
  }
  const Outcome front = run({"front", path("out"), "--json"});
  ASSERT_EQ(front.code, 0) << front.err;
  EXPECT_FALSE(nlohmann::json::parse(front.out)["points"].empty());
}

TEST_F(Cli, ResumeOfAFinishedStudyRunsNothing) {
  const std::string study = write("study.yaml", kStudy);
  ASSERT_EQ(run({"tune", study, "--virtual", "--out", path("out")}).code, 0);
  const Outcome resumed = run({"resume", path("out")});
  EXPECT_EQ(resumed.code, 0);
  EXPECT_NE(resumed.err.find("nothing to do"), std::string::npos) << resumed.err;
}

TEST_F(Cli, ADirectoryThatHoldsAStudyIsRefusedWithTheResumeLine) {
  const std::string study = write("study.yaml", kStudy);
  ASSERT_EQ(run({"tune", study, "--virtual", "--out", path("out")}).code, 0);
  const Outcome again = run({"tune", study, "--virtual", "--out", path("out")});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("paretune resume"), std::string::npos) << again.err;
}

TEST_F(Cli, PlanCountsAsJson) {
  const Outcome result = run({"plan", write("study.yaml", kStudy), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto plan = nlohmann::json::parse(result.out);
  EXPECT_EQ(plan["configurations"]["after"], 4);
  EXPECT_EQ(plan["windows"], 8);
}

TEST_F(Cli, LimitsThatNothingMeetsExitThree) {
  const std::string study =
      write("study.yaml", std::string(kStudy) + "limits: [\"ttft:p95 <= 0.000001ms\"]\n");
  EXPECT_EQ(run({"tune", study, "--virtual", "--out", path("out")}).code, 3);
}

class InitText : public Cli, public testing::WithParamInterface<const char*> {};

TEST_P(InitText, IsAStudyThatPlanReads) {
  const Outcome written =
      run({"init", "--engine", GetParam(), "--model", write("some-model.gguf", "x"), "-o", path("study.yaml")});
  ASSERT_EQ(written.code, 0) << written.err;
  const Outcome planned = run({"plan", path("study.yaml")});
  EXPECT_EQ(planned.code, 0) << planned.err;
}

INSTANTIATE_TEST_SUITE_P(Kinds, InitText,
                         testing::Values("llama.cpp", "vllm", "sglang", "tensorrt-llm", "tgi", "lmdeploy",
                                         "sim", "command", "endpoint"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::erase_if(name,
                                         [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name;
                         });

TEST_F(Cli, InitDoesNotReplaceAFile) {
  write("study.yaml", "mine");
  EXPECT_EQ(run({"init", "--engine", "sim", "-o", path("study.yaml")}).code, 2);
  EXPECT_EQ(run({"init", "--engine", "sim", "-o", path("study.yaml"), "--force"}).code, 0);
}

TEST_F(Cli, BenchNeedsAnEndToItsWindow) {
  const Outcome result = run({"bench", "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--duration"), std::string::npos);
}

TEST_F(Cli, BenchOfADeadEndpointIsTheEnvironmentsFault) {
  const Outcome result = run({"bench", "--url", "http://127.0.0.1:1", "--requests", "1"});
  EXPECT_EQ(result.code, 4) << result.err;
}

TEST_F(Cli, FrontWithoutObjectivesOnATableExitsTwo) {
  const Outcome result = run({"front", write("table.csv", "a,b\n1,2\n")});
  EXPECT_EQ(result.code, 2);
}

TEST_F(Cli, EnginesKnowsItsKinds) {
  EXPECT_EQ(run({"engines"}).code, 0);
  EXPECT_EQ(run({"engines", "llama.cpp"}).code, 0);
  const Outcome unknown = run({"engines", "vlm"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("vllm"), std::string::npos);
}

}  // namespace
}  // namespace paretune::cli
