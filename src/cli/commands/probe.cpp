// paretune probe: this machine, as far as results depend on it.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "paretune/core/units.hpp"
#include "paretune/probe/environment.hpp"

namespace paretune::cli {
namespace {

ExitCode run_probe(bool json, Io& io) {
  const probe::Environment machine = probe::describe_environment();
  if (json) {
    io.out << probe::to_json(machine).dump(2) << '\n';
    return ExitCode::Done;
  }
  io.out << fmt::format("host    {}\nkernel  {}\nCPUs    {} x {}\nmemory  {} GiB\nload    {}\n", machine.host,
                        machine.kernel, machine.cpus, machine.cpu_model,
                        core::format_short(machine.memory_gib), core::format_short(machine.load_average));
  if (machine.gpus.empty()) io.out << "GPUs    none found (nvidia-smi)\n";
  for (const auto& gpu : machine.gpus) {
    io.out << fmt::format("GPU     {}, {} GiB, driver {}\n", gpu.name, core::format_short(gpu.memory_gib),
                          gpu.driver);
  }
  for (const auto& finding : machine.findings) {
    io.out << fmt::format("note    {} ({})\n", finding.message, finding.recommendation);
  }
  return ExitCode::Done;
}

}  // namespace

void add_probe_command(CLI::App& app, Context& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("probe", "This machine: CPUs, memory, GPUs, sources of noise");
  command->add_flag("--json", *json, "One JSON object on stdout");
  command->footer("Example:\n  paretune probe --json");
  command->callback(
      [json, &context] { context.action = [json, &context] { return run_probe(*json, context.io); }; });
}

}  // namespace paretune::cli
