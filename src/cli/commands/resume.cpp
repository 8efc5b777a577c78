// paretune resume: continue an interrupted study from its database.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/environment_check.hpp"
#include "cli/study_options.hpp"
#include "cli/study_run.hpp"
#include "paretune/core/document.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::cli {
namespace {

struct ResumeOptions {
  std::string directory;
  bool verbose = false;
};

core::Result<StudyRun> reopen(const ResumeOptions& options) {
  StudyRun run;
  run.directory = options.directory;
  run.verbose = options.verbose;
  auto opened = store::Store::open(options.directory);
  if (!opened) return opened.error();
  run.store = std::move(*opened);
  auto document = core::parse_document(run.store->study_json(), options.directory + "/study.json");
  if (!document) return document.error();
  auto spec = spec::read_study(std::move(*document));
  if (!spec) return spec.error();
  run.spec = std::move(*spec);
  run.virtual_time = run.store->fact("virtual") == "1";
  return run;
}

/// Launches that a killed paretune left open: their servers are stopped if provably ours, and the record is
/// closed.
core::Result<void> close_open_launches(StudyRun& run, Io& io) {
  auto data = run.store->load();
  if (!data) return data.error();
  for (trial::LaunchRecord& launch : data->launches) {
    if (launch.ended) continue;
    if (launch.process.pid > 0) {
      const auto stopped = engine::stop_leftover(launch.process, run.spec.engine.stop_grace_s);
      if (stopped && *stopped) {
        io.err << "stopped the server of launch " << launch.number << " (pid " << launch.process.pid
               << "), left by an interrupted run\n";
      } else if (!stopped) {
        print_warning(io, stopped.error().message);
      }
    }
    launch.ended = true;
    engine::Failure interrupted;
    interrupted.cls = engine::FailureClass::Interrupted;
    interrupted.phase = engine::Phase::Measure;
    interrupted.cause = "paretune ended while this server was up";
    interrupted.log = launch.log;
    launch.failure = interrupted;
    if (auto put = run.store->put_launch(launch); !put) return put;
  }
  return {};
}

ExitCode run_resume(const ResumeOptions& options, Io& io) {
  auto run = reopen(options);
  if (!run) return report_error(io, run.error());
  if (const std::string note = run->store->note(); !note.empty()) io.err << note << '\n';
  if (auto closed = close_open_launches(*run, io); !closed) return report_error(io, closed.error());
  stop_orphans(io);
  if (const auto finished = run->store->fact("finished")) {
    io.err << "nothing to do: " << *finished << '\n';
    const ExitCode shown = show_results(*run, io);
    return shown == ExitCode::NothingFeasible ? ExitCode::Done : shown;
  }
  const auto checks = check_study_environment(run->spec);
  if (auto fine = first_fault(checks); !fine) return report_error(io, fine.error());
  return run_study_and_report(*run, io);
}

}  // namespace

void add_resume_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command =
      app.add_subcommand("resume", "Continue an interrupted study; stored points are not repeated");
  command->add_option("directory", options->directory, "Directory of the study")
      ->required()
      ->type_name("DIR");
  command->add_flag("-v,--verbose", options->verbose, "Say why each point was asked for, and every finding");
  command->footer("Example:\n  paretune resume results/demo");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_resume(*options, context.io); };
  });
}

}  // namespace paretune::cli
