// paretune tune: the main job.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "cli/command.hpp"
#include "cli/environment_check.hpp"
#include "cli/study_options.hpp"
#include "cli/study_run.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/json.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/server.hpp"
#include "paretune/search/searcher.hpp"
#include "paretune/study/observation.hpp"

#include <nlohmann/json.hpp>

namespace paretune::cli {
namespace {

struct TuneOptions {
  StudyOptions study;
  std::string directory;
  bool dry_run = false;
  bool virtual_time = false;
  bool verbose = false;
};

constexpr std::size_t kDryRunConfigurations = 5;
constexpr int kDryRunPort = 8000;

/// The first configurations that the searcher would ask for, baseline first.
core::Result<std::vector<space::Configuration>> first_configurations(const spec::StudySpec& spec) {
  auto searcher = search::make_searcher(spec.search.method, study::problem_of(spec));
  if (!searcher) return searcher.error();
  std::vector<space::Configuration> first;
  std::set<space::Configuration> seen;
  const auto add = [&](const space::Configuration& configuration) {
    if (seen.insert(configuration).second) first.push_back(configuration);
  };
  if (spec.baseline) add(*spec.baseline);
  const std::size_t asks = kDryRunConfigurations * std::max<std::size_t>(1, spec.workload.levels().size());
  for (std::size_t i = 0; i < asks && first.size() < kDryRunConfigurations; ++i) {
    const auto proposals = (*searcher)->ask({});
    if (proposals.empty()) break;
    add(proposals.front().point.configuration);
  }
  return first;
}

ExitCode dry_run(const spec::StudySpec& spec, Io& io) {
  const auto configurations = first_configurations(spec);
  if (!configurations) return report_error(io, configurations.error());
  io.out << fmt::format("# first {} configurations; nothing was started (the port is chosen at launch)\n",
                        configurations->size());
  for (const auto& configuration : *configurations) {
    io.out << "# " << space::describe(configuration) << '\n';
    if (spec.engine.kind == engine::Kind::Endpoint) {
      io.out << "# no launch: " << spec.engine.url << " is running already\n";
      continue;
    }
    const auto plan = engine::plan_launch(spec.engine, spec.space, configuration, kDryRunPort);
    if (!plan) return report_error(io, plan.error());
    io.out << core::shell_join(core::mask_secrets(plan->argv)) << '\n';
  }
  return ExitCode::Done;
}

core::Result<StudyRun> prepare(const TuneOptions& options, spec::StudySpec spec) {
  StudyRun run;
  run.virtual_time = options.virtual_time;
  run.verbose = options.verbose;
  run.directory = options.directory.empty() ? store::free_directory("results", spec.name) : options.directory;
  const std::string study_json = spec::to_json(spec).dump(2);
  auto created = store::Store::create(run.directory, study_json);
  if (!created) return created.error();
  run.store = std::move(*created);
  run.spec = std::move(spec);
  if (auto put = run.store->put_fact("virtual", options.virtual_time ? "1" : "0"); !put) return put.error();
  if (auto written = core::write_file_atomically(run.directory + "/study.json", study_json + "\n");
      !written) {
    return written.error();
  }
  return run;
}

ExitCode run_tune(const TuneOptions& options, Io& io) {
  auto spec = load_study(options.study, io);
  if (!spec) return report_error(io, spec.error());
  if (options.dry_run) return dry_run(*spec, io);
  if (options.virtual_time && spec->engine.kind != engine::Kind::Sim) {
    return report_error(io, core::invalid_input("--virtual needs engine.kind: sim", "leave --virtual out"));
  }
  const auto checks = check_study_environment(*spec);
  if (auto fine = first_fault(checks); !fine) return report_error(io, fine.error());
  for (const Check& check : checks) {
    if (check.state == Check::State::Warning) print_warning(io, check.name + ": " + check.detail);
  }
  stop_orphans(io);
  auto run = prepare(options, std::move(*spec));
  if (!run) return report_error(io, run.error());
  return run_study_and_report(*run, io);
}

}  // namespace

void add_tune_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand("tune", "Launch, measure and print the front (the main job)");
  add_study_options(*command, options->study);
  command
      ->add_option("--out", options->directory,
                   "Directory of the results (default: results/NAME, then NAME-2 …)")
      ->type_name("DIR");
  command->add_flag("--dry-run", options->dry_run, "Print the first launch commands and start nothing");
  command->add_flag("--virtual", options->virtual_time,
                    "kind sim only: in-process, virtual time, no sockets");
  command->add_flag("-v,--verbose", options->verbose, "Say why each point was asked for, and every finding");
  command->footer("Example:\n  paretune tune study.yaml --launches 12 --set workload.duration=20s");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_tune(*options, context.io); };
  });
}

}  // namespace paretune::cli
