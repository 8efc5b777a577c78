// paretune validate, paretune doctor: check a study file and this machine, start nothing.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/environment_check.hpp"
#include "cli/study_options.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/engine/catalog.hpp"
#include "paretune/probe/environment.hpp"

namespace paretune::cli {
namespace {

void print_checks(const std::vector<Check>& checks, Io& io) {
  for (const Check& check : checks) {
    const char* mark = check.state == Check::State::Ok        ? "ok   "
                       : check.state == Check::State::Warning ? "warn "
                                                              : "FAULT";
    io.out << mark << "  " << check.name << ": " << check.detail << '\n';
    if (check.state == Check::State::Fault && !check.error.hint.empty()) {
      io.out << "       hint: " << check.error.hint << '\n';
    }
  }
}

/// A fault of the file is an error like any other; what the machine lacks is shown among what it has.
ExitCode run_validate(const StudyOptions& options, Io& io) {
  const auto spec = load_study(options, io);
  if (!spec) return report_error(io, spec.error());
  const auto checks = check_study_environment(*spec);
  const auto fine = first_fault(checks);
  if (!fine && fine.error().code == core::ErrorCode::InvalidInput) return report_error(io, fine.error());
  const auto count = spec->space.count_configurations();
  io.out << "ok     study file: '" << spec->name << "', "
         << (count ? count->to_string() + " configurations" : std::string("a continuous space")) << " x "
         << spec->workload.levels().size() << " load levels\n";
  print_checks(checks, io);
  return fine ? ExitCode::Done : ExitCode::Environment;
}

std::vector<Check> check_machine() {
  std::vector<Check> checks;
  const probe::Environment machine = probe::describe_environment();
  checks.push_back({"machine",
                    Check::State::Ok,
                    std::to_string(machine.cpus) + " CPUs (" + machine.cpu_model + "), " +
                        core::format_short(machine.memory_gib) + " GiB, " + machine.kernel,
                    {}});
  std::string gpus = machine.gpus.empty() ? "none found (nvidia-smi)" : "";
  for (const auto& gpu : machine.gpus) gpus += gpu.name + " " + core::format_short(gpu.memory_gib) + " GiB  ";
  checks.push_back({"GPUs", Check::State::Ok, gpus, {}});
  for (const auto& finding : machine.findings) {
    checks.push_back(
        {finding.code, Check::State::Warning, finding.message + " (" + finding.recommendation + ")", {}});
  }
  for (const std::string& name : engine::kind_names()) {
    const auto kind = engine::kind_from(name);
    if (!kind) continue;
    const auto& known = engine::engine_kind(*kind);
    if (known.command.empty() || *kind == engine::Kind::Sim) continue;
    const std::string path = find_program(known.command.front());
    checks.push_back({"engine " + name,
                      Check::State::Ok,
                      path.empty() ? "'" + known.command.front() + "' is not on PATH" : path,
                      {}});
  }
  return checks;
}

ExitCode run_doctor(const StudyOptions& options, Io& io) {
  print_checks(check_machine(), io);
  if (options.file.empty()) return ExitCode::Done;
  return run_validate(options, io);
}

}  // namespace

void add_validate_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Check a study file and its environment, start no server");
  add_study_options(*command, *options);
  command->footer("Example:\n  paretune validate study.yaml");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_validate(*options, context.io); };
  });
}

void add_doctor_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* command = app.add_subcommand("doctor", "What this machine has, and what a study is missing");
  command->add_option("study", options->file, "Study file (optional)")->type_name("STUDY");
  command->footer("Example:\n  paretune doctor study.yaml");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_doctor(*options, context.io); };
  });
}

}  // namespace paretune::cli
