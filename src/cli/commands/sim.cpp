// paretune sim: the simulated OpenAI-compatible server.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/command.hpp"
#include "cli/signals.hpp"
#include "paretune/sim/options.hpp"
#include "paretune/sim/server.hpp"

namespace paretune::cli {
namespace {

using FlagTexts = std::map<std::string, std::string>;

ExitCode run_sim(const FlagTexts& texts, Io& io) {
  sim::SimOptions options;
  for (const auto& [name, text] : texts) {
    if (auto set = sim::set_flag(options, name, text); !set) return report_error(io, set.error());
  }
  StopOnSignal signals;
  if (auto served = sim::serve(options, io.out, io.err, signals.token()); !served) {
    report_error(io, served.error());
    // A launcher reads the exit code as it reads vLLM's: 1 for anything that kept the server from running.
    return served.error().code == core::ErrorCode::InvalidInput ? ExitCode::Usage : ExitCode::Failed;
  }
  return ExitCode::Done;
}

}  // namespace

void add_sim_command(CLI::App& app, Context& context) {
  auto texts = std::make_shared<FlagTexts>();
  CLI::App* command =
      app.add_subcommand("sim", "A simulated OpenAI-compatible server to rehearse studies without a GPU");
  for (const sim::SimFlag& flag : sim::sim_flags()) {
    std::string doc = flag.doc;
    if (!flag.default_text.empty()) doc += " (default " + flag.default_text + ")";
    if (!flag.has_effect) doc += " [accepted, no effect yet]";
    const std::string name = flag.name;
    if (flag.is_switch) {
      command->add_flag_function(
          "--" + name + ",!--no-" + name,
          [texts, name](std::int64_t count) { (*texts)[name] = count > 0 ? "true" : "false"; }, doc);
      continue;
    }
    command->add_option_function<std::string>(
        "--" + name, [texts, name](const std::string& text) { (*texts)[name] = text; }, doc);
  }
  command->footer("Example:\n  paretune sim --port 8000 --max-num-seqs 64 --speed 10");
  command->callback(
      [texts, &context] { context.action = [texts, &context] { return run_sim(*texts, context.io); }; });
}

}  // namespace paretune::cli
