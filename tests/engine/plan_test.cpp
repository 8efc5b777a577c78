// Golden argv: what a study's engine and one configuration become on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine_command.hpp"
#include "engine/template_text.hpp"
#include "paretune/engine/catalog.hpp"
#include "support.hpp"

namespace paretune::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Study {
  EngineSpec engine;
  space::Space space;
};

/// Reads `engine` and `space` of a YAML text as spec does.
Study study(const std::string& yaml) {
  const core::Node root = testing::parse(yaml);
  core::Diagnostics diagnostics;
  Study result;
  result.engine = read_engine(root.find("engine"), diagnostics);
  space::SpaceSection section = space::read_space(root.find("space"), diagnostics);
  if (!diagnostics.ok()) throw std::runtime_error(diagnostics.to_error("study.yaml").message);
  auto made = space::Space::create(section.parameters, section.links, {}, result.engine.fixed());
  if (!made) throw std::runtime_error(made.error().message);
  result.space = std::move(*made);
  return result;
}

/// The plan of the first configuration of the space.
LaunchPlan first_plan(const std::string& yaml, int port = 8123) {
  const Study made = study(yaml);
  space::Configuration configuration;
  made.space.for_each_configuration([&](const space::Code& code) {
    configuration = made.space.decode(code).configuration;
    return false;
  });
  auto plan = plan_launch(made.engine, made.space, configuration, port);
  if (!plan) throw std::runtime_error(plan.error().message);
  return *plan;
}

TEST(PlanLaunch, WritesLlamaServer) {
  const testing::ScratchDirectory scratch;
  const std::string model = scratch.file("m.gguf");
  ASSERT_TRUE(core::write_file_atomically(model, "GGUF").ok());
  const LaunchPlan plan =
      first_plan("engine: {kind: llama.cpp, model: " + model +
                 ", args: {ctx-size: 4096, kv-unified: true, cont-batching: false}}\n"
                 "space: {parallel: [2, 4], flash-attn: [\"on\"], ngl: [99], swa-full: [false]}");
  EXPECT_THAT(plan.argv,
              ElementsAre("llama-server", "-m", model, "--ctx-size", "4096", "--kv-unified",
                          "--no-cont-batching", "--parallel", "2", "--flash-attn", "on", "-ngl", "99",
                          "--no-swa-full", "--host", "127.0.0.1", "--port", "8123", "--metrics"));
  EXPECT_EQ(plan.ready_path, "/health");
  EXPECT_EQ(plan.port, 8123);
}

TEST(PlanLaunch, AddsMetricsToLlamaServerOnlyIfTheStudySaysNothingAboutIt) {
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(core::write_file_atomically(scratch.file("m.gguf"), "GGUF").ok());
  const std::string model = scratch.file("m.gguf");
  EXPECT_THAT(first_plan("engine: {kind: llama.cpp, model: " + model + ", args: {metrics: true}}").argv,
              ElementsAre("llama-server", "-m", model, "--metrics", "--host", "127.0.0.1", "--port", "8123"));
}

TEST(PlanLaunch, WritesVllm) {
  const LaunchPlan plan = first_plan(
      "engine:\n"
      "  kind: vllm\n"
      "  model: org/model\n"
      "  args: {enforce-eager: true, enable-prefix-caching: false}\n"
      "  env: {VLLM_LOGGING_LEVEL: INFO}\n"
      "  host: 0.0.0.0\n"
      "  port: 9000\n"
      "space:\n"
      "  max-num-seqs: [64]\n"
      "  gpu-memory-utilization: {min: 0.9, max: 0.95, step: 0.05}\n"
      "  speculative-config: [{method: ngram, num_speculative_tokens: 3}]\n"
      "  dtype: {values: [half], style: equals}\n"
      "  enable-chunked-prefill: [true, false]\n");
  EXPECT_THAT(plan.argv,
              ElementsAre("vllm", "serve", "org/model", "--enforce-eager", "--no-enable-prefix-caching",
                          "--max-num-seqs", "64", "--gpu-memory-utilization", "0.9", "--speculative-config",
                          R"({"method":"ngram","num_speculative_tokens":3})", "--dtype=half",
                          "--enable-chunked-prefill", "--host", "0.0.0.0", "--port", "9000"));
  EXPECT_EQ(plan.env.at("VLLM_LOGGING_LEVEL"), "INFO");
  EXPECT_EQ(plan.host, "0.0.0.0");
  EXPECT_EQ(plan.port, 9000);
}

TEST(PlanLaunch, WritesValuesAsTheyStandInTheFile) {
  const LaunchPlan plan =
      first_plan("engine: {kind: vllm, model: m, args: {swap: 1.10, seed: 1e-3}}\nspace: {x: [0.50]}");
  EXPECT_THAT(plan.argv, ElementsAre("vllm", "serve", "m", "--swap", "1.10", "--seed", "1e-3", "--x", "0.50",
                                     "--host", "127.0.0.1", "--port", "8123"));
}

TEST(PlanLaunch, WritesEachStyleOfABoolean) {
  const char* engine = "engine: {kind: command, command: [s, \"{port}\"]}\n";
  const auto words = [&](const std::string& parameter) {
    auto argv = first_plan(engine + std::string("space: {x: ") + parameter + "}").argv;
    argv.erase(argv.begin(), argv.begin() + 2);
    return argv;
  };
  EXPECT_THAT(words("[true]"), ElementsAre("--x", "true"));
  EXPECT_THAT(words("[false]"), ElementsAre("--x", "false"));
  EXPECT_THAT(words("{values: [true], style: equals}"), ElementsAre("--x=true"));
  EXPECT_THAT(words("{values: [true], style: presence}"), ElementsAre("--x"));
  EXPECT_THAT(words("{values: [false], style: presence}"), ElementsAre());
  EXPECT_THAT(words("{values: [true], style: no-prefix}"), ElementsAre("--x"));
  EXPECT_THAT(words("{values: [false], style: no-prefix}"), ElementsAre("--no-x"));
  EXPECT_THAT(words("{values: [false], style: json}"), ElementsAre("--x", "false"));
  EXPECT_THAT(words("{values: [abc], style: json}"), ElementsAre("--x", "\"abc\""));
}

TEST(PlanLaunch, WritesBooleansTheWayEachEngineReadsThem) {
  const auto argv = [&](const std::string& kind) {
    return core::join(
        first_plan("engine: {kind: " + kind + ", model: m}\nspace: {unknown-switch: [false], other: [true]}")
            .argv,
        " ");
  };
  EXPECT_THAT(argv("vllm"), HasSubstr(" --no-unknown-switch --other "));
  EXPECT_THAT(argv("sglang"), HasSubstr("--model-path m --other --host"));
  EXPECT_THAT(argv("lmdeploy"), HasSubstr("api_server m --other --server-name"));
}

TEST(PlanLaunch, LeavesInactiveParametersOut) {
  const LaunchPlan plan = first_plan(
      "engine: {kind: vllm, model: m}\nspace: {a: [\"off\", \"on\"], b: {values: [1, 2], when: \"a == "
      "on\"}}");
  EXPECT_THAT(plan.argv,
              ElementsAre("vllm", "serve", "m", "--a", "off", "--host", "127.0.0.1", "--port", "8123"));
}

TEST(PlanLaunch, WritesTheOtherEngines) {
  const auto argv = [](const std::string& kind) {
    return core::join(first_plan("engine: {kind: " + kind + ", model: org/m}").argv, " ");
  };
  EXPECT_EQ(
      argv("sglang"),
      "python3 -m sglang.launch_server --model-path org/m --host 127.0.0.1 --port 8123 --enable-metrics");
  EXPECT_EQ(argv("tensorrt-llm"), "trtllm-serve org/m --host 127.0.0.1 --port 8123 --backend pytorch");
  EXPECT_EQ(argv("tgi"), "text-generation-launcher --model-id org/m --hostname 127.0.0.1 --port 8123");
  EXPECT_EQ(argv("lmdeploy"), "lmdeploy serve api_server org/m --server-name 127.0.0.1 --server-port 8123");
}

TEST(PlanLaunch, StartsTheRunningProgramAsTheSimulatedServer) {
  const LaunchPlan plan = first_plan("engine: {kind: sim, model: sim-8b}\nspace: {max-num-seqs: [8]}");
  ASSERT_GE(plan.argv.size(), 2u);
  EXPECT_THAT(plan.argv[0], HasSubstr("engine_test"));
  EXPECT_EQ(plan.argv[1], "sim");
  EXPECT_EQ(plan.argv[2], "--model");
}

TEST(PlanLaunch, KeepsPrefixesLikeDockerAndSshAsPlainWords) {
  const LaunchPlan plan = first_plan(
      "engine: {kind: vllm, model: org/m, command: [docker, run, --rm, --network, host, vllm/vllm-openai]}");
  EXPECT_THAT(plan.argv, ElementsAre("docker", "run", "--rm", "--network", "host", "vllm/vllm-openai",
                                     "org/m", "--host", "127.0.0.1", "--port", "8123"));
}

TEST(PlanLaunch, AddsTheSubcommandWhereOnlyTheProgramIsNamed) {
  EXPECT_THAT(completed_command(Kind::Vllm, {"/opt/venv/bin/vllm"}),
              ElementsAre("/opt/venv/bin/vllm", "serve"));
  EXPECT_THAT(completed_command(Kind::Vllm, {"vllm", "serve"}), ElementsAre("vllm", "serve"));
  EXPECT_THAT(completed_command(Kind::Sglang, {"/v/bin/python"}),
              ElementsAre("/v/bin/python", "-m", "sglang.launch_server"));
  EXPECT_THAT(completed_command(Kind::Sim, {"/usr/bin/paretune"}), ElementsAre("/usr/bin/paretune", "sim"));
  EXPECT_THAT(completed_command(Kind::LlamaCpp, {"llama-server"}), ElementsAre("llama-server"));
}

TEST(PlanCommand, FillsNamesInArgvAndEnvironmentAndAppendsTheRest) {
  const LaunchPlan plan = first_plan(
      "engine:\n"
      "  kind: command\n"
      "  command: [serve, \"{model}\", \"--bind={host}:{port}\", --slots, \"{slots}\", \"{{literal}}\"]\n"
      "  model: m\n"
      "  args: {quiet: true}\n"
      "  env: {OMP_NUM_THREADS: \"{threads}\", CONFIG: '{\"a\": {\"b\": 1}}'}\n"
      "space: {slots: [4], threads: [2], batch: [16]}\n");
  EXPECT_THAT(plan.argv, ElementsAre("serve", "m", "--bind=127.0.0.1:8123", "--slots", "4", "{literal}",
                                     "--quiet", "true", "--batch", "16"));
  EXPECT_EQ(plan.env.at("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(plan.env.at("CONFIG"), R"({"a": {"b": 1}})");
}

TEST(PlanCommand, RefusesAnUnknownNameAndSuggestsTheNearest) {
  const Study made =
      study("engine: {kind: command, command: [s, \"{port}\", \"{slot}\"]}\nspace: {slots: [1]}");
  const auto plan = plan_launch(made.engine, made.space, {{"slots", std::int64_t{1}}}, 1);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, core::ErrorCode::InvalidInput);
  EXPECT_THAT(plan.error().message, HasSubstr("{slot}"));
  EXPECT_THAT(plan.error().hint, HasSubstr("'slots'"));
}

TEST(PlanCommand, LeavesTheWordOfAnInactiveParameterOutAndTheFlagBeforeIt) {
  const LaunchPlan plan = first_plan(
      "engine: {kind: command, command: [s, \"{port}\", --draft, \"{draft}\", \"--k={draft}\", end], env: "
      "{D: \"{draft}\"}}\n"
      "space: {mode: [plain, spec], draft: {values: [3], when: \"mode == spec\"}}");
  EXPECT_THAT(plan.argv, ElementsAre("s", "8123", "end", "--mode", "plain"));
  EXPECT_EQ(plan.env.count("D"), 0u);
}

TEST(PlanLaunch, RefusesAnEndpoint) {
  EngineSpec spec;
  spec.kind = Kind::Endpoint;
  EXPECT_FALSE(plan_launch(spec, {}, {}, 1).ok());
}

TEST(Template, KeepsBracesThatAreNoNames) {
  const auto same = [](const std::string& text) {
    return fill(text, [](const std::string&) { return std::optional<std::string>("X"); }).value();
  };
  EXPECT_EQ(same("{a}"), "X");
  EXPECT_EQ(same("{{a}}"), "{a}");
  EXPECT_EQ(same("{{{a}}}"), "{X}");
  EXPECT_EQ(same("{\"a\": {\"b\": [1, {}]}}"), "{\"a\": {\"b\": [1, {}]}}");
  EXPECT_EQ(same("{{\"a\": {{\"b\": {n}}}}}"), "{\"a\": {\"b\": X}}");
  EXPECT_EQ(same("{1}{ a }{"), "{1}{ a }{");
  EXPECT_EQ(same("$HOME `x` $(y)"), "$HOME `x` $(y)");
  EXPECT_THAT(names_in("{a}-{b.c}-{a}"), ElementsAre("a", "b.c", "a"));
}

TEST(Catalog, KnowsEveryKind) {
  for (const std::string& word : kind_names()) {
    const auto kind = kind_from(word);
    ASSERT_TRUE(kind);
    const EngineKind& facts = engine_kind(*kind);
    EXPECT_EQ(facts.kind, *kind);
    EXPECT_FALSE(facts.title.empty());
    EXPECT_FALSE(facts.tested.empty());
    EXPECT_GT(facts.ready_timeout_s, 0);
    for (const Knob& knob : facts.knobs) {
      EXPECT_FALSE(knob.doc.empty()) << knob.name;
      EXPECT_LE(knob.doc.size(), 90u) << knob.name;
      EXPECT_FALSE(knob.default_text.empty()) << knob.name;
      EXPECT_EQ(knob.type == "choice", !knob.choices.empty()) << knob.name;
      EXPECT_FALSE(knob.name.starts_with("-"));
    }
  }
  EXPECT_FALSE(kind_from("llamacpp"));
  EXPECT_EQ(engine_kind(Kind::Vllm).knobs.front().name, "max-num-seqs");
}

}  // namespace
}  // namespace paretune::engine
