// paretune plan: what a study would do, before anything starts.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/study_options.hpp"
#include "paretune/plan/plan.hpp"

namespace paretune::cli {
namespace {

struct PlanOptions {
  StudyOptions study;
  bool json = false;
};

ExitCode run_plan(const PlanOptions& options, Io& io) {
  const auto spec = load_study(options.study, io);
  if (!spec) return report_error(io, spec.error());
  const auto plan = plan::make_plan(*spec);
  if (!plan) return report_error(io, plan.error());
  if (options.json) {
    io.out << plan::to_json(*plan).dump(2) << '\n';
  } else {
    io.out << plan::render(*plan);
  }
  return ExitCode::Done;
}

}  // namespace

void add_plan_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand("plan", "Count configurations, launches, windows, time and money");
  add_study_options(*command, options->study);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->footer("Example:\n  paretune plan study.yaml --json");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_plan(*options, context.io); };
  });
}

}  // namespace paretune::cli
