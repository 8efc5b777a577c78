#include "paretune/cli/app.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/version.hpp"

namespace paretune::cli {
namespace {

constexpr const char* kFooter = R"(Start here:
  paretune init -o study.yaml        write a study for what is found on this machine
  paretune tune study.yaml           launch, measure, print the front
Exit codes: 0 done, 1 failed, 2 usage or bad file, 3 nothing meets the limits, 4 environment,
            5 regression, 6 inconclusive, 130 interrupted (results kept).
More: paretune COMMAND --help)";

void add_commands(CLI::App& app, Context& context) {
  add_init_command(app, context);
  add_tune_command(app, context);
  add_resume_command(app, context);
  add_plan_command(app, context);
  add_validate_command(app, context);
  add_doctor_command(app, context);
  add_bench_command(app, context);
  add_sim_command(app, context);
  add_front_command(app, context);
  add_report_command(app, context);
  add_engines_command(app, context);
  add_probe_command(app, context);
  add_ask_tell_command(app, context);
}

/// Names that could have been meant: commands, or options of the command that was chosen.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
    return words;
  }
  for (const CLI::Option* option : chosen.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

/// CLI11 lists what it did not expect after a colon; the option among it is what was misspelt.
std::string first_unknown_word(const std::string& message) {
  const auto colon = message.rfind(": ");
  if (colon == std::string::npos) return {};
  const auto words = core::split(message.substr(colon + 2), ' ');
  for (const std::string& word : words) {
    if (word.starts_with("-")) return word.substr(0, word.find('='));
  }
  return words.front();
}

ExitCode report_parse_error(const CLI::App& app, const CLI::ParseError& error, Io& io) {
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "paretune" : "paretune " + chosen.front()->get_name();
  std::string hint = "see '" + command + " --help'";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string guess = core::did_you_mean(first_unknown_word(error.what()), known_words(app));
    if (!guess.empty()) hint = guess + " " + hint;
  }
  return report_error(io, core::invalid_input(error.what(), hint));
}

ExitCode parse_and_run(int argc, const char* const* argv, Io& io) {
  CLI::App app{"Finds the serving configurations of LLM engines that nothing else beats, by measurement.",
               "paretune"};
  app.set_version_flag("--version", std::string("paretune ") + core::version());
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  Context context{io, {}};
  add_commands(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    app.exit(request, io.out, io.err);
    return ExitCode::Done;
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, io);
  }
  if (!context.action) {
    io.err << app.help();
    return ExitCode::Usage;
  }
  return context.action();
}

}  // namespace

int run_app(int argc, const char* const* argv, Io& io) {
  ExitCode code = ExitCode::Failed;
  try {
    code = parse_and_run(argc, argv, io);
  } catch (const std::exception& error) {
    report_error(io, {core::ErrorCode::Internal, std::string("internal error: ") + error.what(),
                      "please report this with the command line and the study file"});
  }
  io.out.flush();
  if (!io.out && code == ExitCode::Done) {
    report_error(io, core::io_error("standard output could not be written"));
    code = ExitCode::Environment;
  }
  return static_cast<int>(code);
}

}  // namespace paretune::cli
