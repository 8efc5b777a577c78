// What every command file shares: registration on the parser, the chosen action, and error output.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "paretune/cli/app.hpp"
#include "paretune/core/error.hpp"

namespace CLI {
class App;
}

namespace paretune::cli {

/// Filled while parsing: the command that was named stores its action here.
struct Context {
  Io& io;
  std::function<ExitCode()> action;
};

// One per file in commands/. Each adds a subcommand with help, an example, and its action.
void add_ask_tell_command(CLI::App& app, Context& context);
void add_bench_command(CLI::App& app, Context& context);
void add_doctor_command(CLI::App& app, Context& context);
void add_engines_command(CLI::App& app, Context& context);
void add_front_command(CLI::App& app, Context& context);
void add_init_command(CLI::App& app, Context& context);
void add_plan_command(CLI::App& app, Context& context);
void add_probe_command(CLI::App& app, Context& context);
void add_report_command(CLI::App& app, Context& context);
void add_resume_command(CLI::App& app, Context& context);
void add_sim_command(CLI::App& app, Context& context);
void add_tune_command(CLI::App& app, Context& context);
void add_validate_command(CLI::App& app, Context& context);

/// "error: …" and "hint: …" on stderr. @return the exit code that the error's kind stands for.
ExitCode report_error(Io& io, const core::Error& error);
void print_warning(Io& io, const std::string& message);

}  // namespace paretune::cli
