// The `engine` section: every key, every fault, and back to JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "paretune/engine/catalog.hpp"
#include "support.hpp"

namespace paretune::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  EngineSpec spec;
  core::Diagnostics diagnostics;
};

Read read(const std::string& yaml) {
  Read result;
  const core::Node node = testing::parse(yaml);
  result.spec = read_engine(&node, result.diagnostics);
  return result;
}

EngineSpec good(const std::string& yaml) {
  Read result = read(yaml);
  EXPECT_TRUE(result.diagnostics.ok()) << result.diagnostics.to_error("f").message;
  return result.spec;
}

/// The faults, one line each.
std::vector<std::string> faults(const std::string& yaml) {
  std::vector<std::string> lines;
  const Read result = read(yaml);
  for (const core::Fault& fault : result.diagnostics.faults()) {
    lines.push_back(std::to_string(fault.position.line) + ": " + core::format_fault(fault, "f"));
  }
  return lines;
}

TEST(ReadEngine, ReadsEveryKey) {
  setenv("PARETUNE_TEST_KEY", "secret", 1);
  const EngineSpec spec = good(
      "kind: vllm\n"
      "command: [vllm, serve]\n"
      "model: org/m\n"
      "args: {a: 1, b: {value: true, style: presence}, c: {x: [1, 2]}}\n"
      "env: {X: 1, Y: text}\n"
      "gpus: tensor-parallel-size * 2\n"
      "ready: {path: ready, timeout: 10m}\n"
      "stop: {grace: 500ms}\n"
      "api: completions\n"
      "host: 0.0.0.0\n"
      "port: 8000\n"
      "headers: {X-Team: perf}\n"
      "api_key_env: PARETUNE_TEST_KEY\n"
      "insecure: true\n"
      "device: h100\n"
      "device_count: 2\n");
  EXPECT_EQ(spec.kind, Kind::Vllm);
  EXPECT_THAT(spec.command, ElementsAre("vllm", "serve"));
  EXPECT_EQ(spec.model, "org/m");
  ASSERT_EQ(spec.args.size(), 3u);
  EXPECT_EQ(spec.args[1].style, space::Style::Presence);
  EXPECT_EQ(space::to_text(spec.args[2].level.value), R"({"x":[1,2]})");
  EXPECT_EQ(spec.env.at("X"), "1");
  EXPECT_EQ(spec.gpus_text, "tensor-parallel-size * 2");
  EXPECT_EQ(spec.ready_path, "/ready");
  EXPECT_EQ(spec.ready_timeout_s, 600);
  EXPECT_EQ(spec.stop_grace_s, 0.5);
  EXPECT_EQ(spec.api, load::Api::Completions);
  EXPECT_EQ(spec.host, "0.0.0.0");
  EXPECT_EQ(spec.port, 8000);
  EXPECT_EQ(spec.headers.at("X-Team"), "perf");
  EXPECT_EQ(spec.api_key_env, "PARETUNE_TEST_KEY");
  EXPECT_TRUE(spec.insecure);
  EXPECT_EQ(spec.device, "h100");
  EXPECT_EQ(spec.device_count, 2);
  EXPECT_EQ(spec.fixed().at("a"), space::Value(std::int64_t{1}));
}

TEST(ReadEngine, FillsDefaultsOfTheKind) {
  const EngineSpec vllm = good("{kind: vllm, model: m}");
  EXPECT_THAT(vllm.command, ElementsAre("vllm", "serve"));
  EXPECT_EQ(vllm.ready_timeout_s, 900);
  EXPECT_EQ(vllm.stop_grace_s, 30);
  EXPECT_EQ(vllm.api, load::Api::Chat);
  EXPECT_EQ(vllm.host, "127.0.0.1");
  EXPECT_FALSE(vllm.port);
  EXPECT_EQ(good("{kind: endpoint, url: \"http://127.0.0.1:1\"}").ready_timeout_s, 10);
}

TEST(ReadEngine, LoadsBackFromItsOwnJson) {
  for (const char* yaml :
       {"{kind: vllm, model: m, args: {a: 1, b: {value: true, style: presence}}, env: {X: \"1\"}}",
        "{kind: endpoint, url: \"http://h:1\", api: completions, headers: {A: b}, insecure: true}",
        "{kind: sim, model: sim-8b, gpus: 2, ready: {timeout: 5}}",
        "{kind: command, command: [s, \"{port}\"], port: 8000, device: x, device_count: 3}"}) {
    const core::Json json = to_json(good(yaml));
    core::Diagnostics diagnostics;
    const core::Node node = core::from_json(json);
    const EngineSpec again = read_engine(&node, diagnostics);
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.to_error("f").message;
    EXPECT_EQ(to_json(again).dump(), json.dump());
  }
  EXPECT_FALSE(to_json(good("{kind: sim}")).contains("command"))
      << "the path of this program is no part of a study";
}

TEST(ReadEngine, RefusesACommandThatAShellWouldHaveToSplit) {
  const auto lines = faults("kind: command\ncommand: my-server --port  {port}\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("2: "));
  EXPECT_THAT(lines[0], HasSubstr("[my-server, --port, {port}]"));
}

TEST(ReadEngine, TakesACommandOfOneWord) {
  EXPECT_THAT(good("{kind: command, command: my-server, port: 80}").command, ElementsAre("my-server"));
}

TEST(ReadEngine, CollectsAllFaultsWithTheirLines) {
  const auto lines = faults(
      "kind: vllm\n"
      "modle: m\n"
      "args: {--max-num-seqs: 4, port: 1}\n"
      "api: chatt\n"
      "port: 70000\n"
      "ready: {timout: 5}\n"
      "env: {1X: a, PARETUNE_LAUNCH: b}\n"
      "url: http://x\n"
      "ca_file: /does/not/exist\n"
      "api_key_env: PARETUNE_TEST_UNSET\n");
  const std::string all = core::join(lines, "\n");
  EXPECT_THAT(all, HasSubstr("2: "));
  EXPECT_THAT(all, HasSubstr("did you mean 'model'?"));
  EXPECT_THAT(all, HasSubstr("engine.model: is missing"));
  EXPECT_THAT(all, HasSubstr("write max-num-seqs"));
  EXPECT_THAT(all, HasSubstr("use engine.port"));
  EXPECT_THAT(all, HasSubstr("unknown API 'chatt'"));
  EXPECT_THAT(all, HasSubstr("70000"));
  EXPECT_THAT(all, HasSubstr("did you mean 'timeout'?"));
  EXPECT_THAT(all, HasSubstr("'1X' is no name"));
  EXPECT_THAT(all, HasSubstr("PARETUNE_LAUNCH is set by paretune itself"));
  EXPECT_THAT(all, HasSubstr("use kind endpoint"));
  EXPECT_THAT(all, HasSubstr("/does/not/exist"));
  EXPECT_THAT(all, HasSubstr("PARETUNE_TEST_UNSET is not set"));
}

TEST(ReadEngine, SuggestsTheNearestKind) {
  EXPECT_THAT(core::join(faults("{kind: vlm, model: m}"), "\n"), HasSubstr("did you mean 'vllm'?"));
  EXPECT_THAT(core::join(faults("{kind: something}"), "\n"), HasSubstr("kinds are llama.cpp, vllm"));
  EXPECT_THAT(core::join(faults("{model: m}"), "\n"), HasSubstr("engine.kind: is missing"));
}

TEST(ReadEngine, WantsAnAddressForAnEndpointAndNothingToStart) {
  EXPECT_THAT(core::join(faults("{kind: endpoint}"), "\n"), HasSubstr("engine.url: is missing"));
  EXPECT_EQ(faults("{kind: endpoint, url: 127.0.0.1}").size(), 1u);
  EXPECT_EQ(faults("{kind: endpoint, url: \"http://h\", command: [x], args: {a: 1}, port: 1}").size(), 3u);
}

TEST(ReadEngine, WantsAModelFileThatIsThere) {
  EXPECT_THAT(core::join(faults("{kind: llama.cpp, model: /no/such.gguf}"), "\n"),
              HasSubstr("no such file: /no/such.gguf"));
  EXPECT_THAT(core::join(faults("{kind: vllm, model: ~/models/x}"), "\n"), HasSubstr("use ${HOME}"));
  EXPECT_TRUE(faults("{kind: vllm, model: org/name}").empty());
  EXPECT_TRUE(faults("{kind: llama.cpp, model: /models/x.gguf, command: [docker, run, image]}").empty());
  EXPECT_EQ(faults("{kind: llama.cpp}").size(), 1u);
}

TEST(ReadEngine, WantsACommandThatSaysWhereToListen) {
  EXPECT_THAT(core::join(faults("{kind: command, command: [serve]}"), "\n"), HasSubstr("put {port} into it"));
  EXPECT_TRUE(faults("{kind: command, command: [serve], port: 8000}").empty());
  EXPECT_TRUE(faults("{kind: command, command: [serve], env: {PORT: \"{port}\"}}").empty());
  EXPECT_EQ(faults("{kind: command}").size(), 1u);
}

TEST(ReadEngine, ReportsAMissingSection) {
  core::Diagnostics diagnostics;
  read_engine(nullptr, diagnostics);
  EXPECT_FALSE(diagnostics.ok());
}

}  // namespace
}  // namespace paretune::engine
