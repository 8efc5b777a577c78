// What the machine and the installed engine say: device memory (case 11), flags of help texts, versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paretune/engine/catalog.hpp"
#include "paretune/engine/memory_gate.hpp"
#include "support.hpp"

namespace paretune::engine {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct Gate {
  explicit Gate(const char* sequence) {
    const std::string directory = PARETUNE_TEST_DATA "/cases/";
    const core::Json data = core::Json::parse(*core::read_file(directory + "11-gpu-memory.json"));
    rule.used_below = data["start_when_used_fraction_below"];
    rule.limit_s = data["limit_s"];
    rule.every_s = data["probe_every_s"];
    const core::Json& used = data[sequence];
    const MemoryProbe probe = [&, index = std::size_t{0}]() mutable -> std::optional<DeviceMemory> {
      const std::size_t at = std::min(index++, used.size() - 1);
      return DeviceMemory{used[at].get<double>(), data["total_mib"].get<double>()};
    };
    result = wait_for_device_memory(probe, rule, clock, {});
    expected = core::Json::parse(*core::read_file(directory + "11-gpu-memory.expected.json"));
  }
  GateRule rule;
  core::ManualClock clock;
  GateResult result;
  core::Json expected;
};

TEST(MemoryGate, Case11OpensAtTheFourthProbe) {
  const Gate gate("used_mib_sequence_ok");
  EXPECT_FALSE(gate.result.failure);
  EXPECT_EQ(gate.result.probes, gate.expected["ok"]["start_after_probe_index"].get<int>() + 1);
  EXPECT_DOUBLE_EQ(gate.result.waited_s, gate.expected["ok"]["waited_s"].get<double>());
}

TEST(MemoryGate, Case11GivesUpWithoutBlamingTheConfiguration) {
  const Gate gate("used_mib_sequence_stuck");
  ASSERT_TRUE(gate.result.failure);
  EXPECT_EQ(gate.result.failure->cls, FailureClass::DeviceBusy);
  EXPECT_THAT(gate.result.failure->cause, HasSubstr(gate.expected["stuck"]["reason"].get<std::string>()));
  EXPECT_EQ(gate.result.failure->deterministic(),
            gate.expected["stuck"]["counted_as_bad_config"].get<bool>());
  EXPECT_DOUBLE_EQ(gate.result.waited_s, 60);
}

TEST(MemoryGate, IsOpenWithoutAProbeOrAnAnswer) {
  core::ManualClock clock;
  EXPECT_EQ(wait_for_device_memory({}, {}, clock, {}).probes, 0);
  EXPECT_EQ(wait_for_device_memory([] { return std::nullopt; }, {}, clock, {}).probes, 1);
}

TEST(MemoryGate, StopsWhenAsked) {
  core::SteadyClock clock;
  std::stop_source stop;
  stop.request_stop();
  const auto result = wait_for_device_memory(
      [] {
        return DeviceMemory{50, 100};
      },
      {}, clock, stop.get_token());
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->cls, FailureClass::Interrupted);
}

TEST(MemoryGate, TakesTheFullestDeviceOfNvidiaSmi) {
  const auto memory = parse_nvidia_smi("512, 81559\n40000, 81559\nfoo\n[N/A], [N/A]\n");
  ASSERT_TRUE(memory);
  EXPECT_DOUBLE_EQ(memory->used_mib, 40000);
  EXPECT_FALSE(parse_nvidia_smi("No devices were found\n"));
}

TEST(MemoryGate, ABusyDeviceFailsTheLaunchBeforeAnythingStarts) {
  const testing::ScratchDirectory scratch;
  LaunchOptions options;
  options.log_file = scratch.file("server.log");
  options.device_memory = [] { return DeviceMemory{90, 100}; };
  bool spawned = false;
  options.on_spawn = [&](const auto&, const auto&) { spawned = true; };
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto outcome = launch(testing::fake_spec(), {}, {}, options, stop.get_token());
  ASSERT_TRUE(outcome.failure);
  EXPECT_FALSE(spawned);
}

TEST(InstalledFlags, ReadsVllmsHelp) {
  const std::string help = *core::read_file(PARETUNE_TEST_DATA "/logs/vllm-0.32-cpu/serve_help.txt");
  const auto flags = flags_in_help(help, engine_kind(Kind::Vllm));
  EXPECT_GT(flags.size(), 250u);
  for (const Knob& knob : engine_kind(Kind::Vllm).knobs) {
    EXPECT_THAT(flags, Contains(knob.name.substr(0, knob.name.find('.'))))
        << "the catalogue names a flag vLLM lacks";
  }
  EXPECT_THAT(flags, Contains("no-enable-prefix-caching"));
  EXPECT_THAT(flags, Not(Contains("max-num-sequences")));
}

TEST(InstalledFlags, ReadsTheStylesOfHelpTexts) {
  const char* help =
      "-h,    --help, --usage                  print usage and exit\n"
      "-ngl,  --gpu-layers, --n-gpu-layers N   layers (default: -1)\n"
      "  --flag TEXT:{a,b} REQUIRED  text-with-dashes and a--b\n"
      "      --max-batch <MAX>  [env: X=]\n"
      "  [--quiet|--no-quiet]\n"
      "  --- heading ---\n";
  const auto flags = flags_in_help(help, engine_kind(Kind::LlamaCpp));
  EXPECT_THAT(flags, ::testing::ElementsAre("flag", "gpu-layers", "help", "max-batch", "n-gpu-layers", "ngl",
                                            "no-quiet", "quiet", "usage"));
}

/// A script that prints its arguments and answers --help and --version.
std::string script(const testing::ScratchDirectory& scratch, const std::string& body) {
  const std::string path = scratch.file("program");
  EXPECT_TRUE(core::write_file_atomically(path, "#!/bin/sh\n" + body).ok());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(InstalledFlags, AsksTheProgramItself) {
  const testing::ScratchDirectory scratch;
  EngineSpec spec;
  spec.kind = Kind::LlamaCpp;
  spec.command = {
      script(scratch,
             "case $1 in --help) echo '  --ctx-size N  size';; --version) echo; echo 'version: 7';; esac\n")};
  const auto flags = installed_flags(spec, 5);
  ASSERT_TRUE(flags.ok());
  EXPECT_THAT(*flags, ::testing::ElementsAre("ctx-size"));
  EXPECT_EQ(installed_version(spec, 5), "version: 7");
}

TEST(InstalledFlags, AsksForTheVersionWithoutTheSubcommand) {
  const testing::ScratchDirectory scratch;
  EngineSpec spec;
  spec.kind = Kind::Vllm;
  spec.command = {script(scratch, "echo \"$@\"\n"), "serve"};
  EXPECT_EQ(installed_version(spec, 5), "--version");
}

TEST(InstalledFlags, FailsWithAReasonWhenTheProgramIsMissingSilentOrHangs) {
  EngineSpec spec;
  spec.kind = Kind::LlamaCpp;
  spec.command = {"no-such-program-anywhere"};
  EXPECT_EQ(installed_flags(spec, 5).error().code, core::ErrorCode::Environment);
  EXPECT_EQ(installed_version(spec, 5), "");
  const testing::ScratchDirectory scratch;
  spec.command = {script(scratch, "exit 1\n")};
  EXPECT_EQ(installed_flags(spec, 5).error().code, core::ErrorCode::Environment);
  spec.command = {script(scratch, "sleep 100\n")};
  EXPECT_EQ(installed_flags(spec, 0.2).error().code, core::ErrorCode::Timeout);
}

}  // namespace
}  // namespace paretune::engine
