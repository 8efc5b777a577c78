#include "cli/study_run.hpp"

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/console_observer.hpp"
#include "cli/signals.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/probe/environment.hpp"
#include "paretune/report/report_data.hpp"
#include "paretune/study/study.hpp"

namespace paretune::cli {
namespace {

double elapsed_s(const store::Store& store) {
  const auto text = store.fact("elapsed_s");
  if (!text) return 0;
  const auto seconds = core::parse_number(*text);
  return seconds ? *seconds : 0;
}

core::Result<report::ReportData> report_of(const StudyRun& run) {
  auto data = run.store->load();
  if (!data) return data.error();
  return report::build_report(run.spec, *data, elapsed_s(*run.store),
                              run.store->fact("environment").value_or(""));
}

core::Result<void> write_result_files(const StudyRun& run, const report::ReportData& data) {
  const auto write = [&](const char* name, const std::string& text) {
    return core::write_file_atomically(run.directory + "/" + name, text);
  };
  if (auto done = write("front.json", report::render_front_json(data)); !done) return done;
  if (auto done = write("points.csv", report::render_points_csv(data)); !done) return done;
  return write("report.html", report::render_html(data));
}

/// Terminals get the plot too; a pipe gets the table only.
void print_results(const StudyRun& run, const report::ReportData& data, Io& io) {
  io.out << report::render_table(data, io.color, io.width);
  if (io.out_tty) io.out << '\n' << report::render_plot(data, io.color, std::min(io.width, 100), 20);
  io.out << "\nresults: " << run.directory << "/front.json, points.csv, report.html\n";
  io.out.flush();
}

void store_environment(StudyRun& run, Io& io) {
  const probe::Environment environment = probe::describe_environment();
  for (const auto& finding : environment.findings) {
    print_warning(io, finding.message + " (" + finding.recommendation + ")");
  }
  if (auto put = run.store->put_fact("environment", probe::to_json(environment).dump()); !put) {
    print_warning(io, put.error().message);
  }
}

}  // namespace

std::string resume_line(const std::string& directory) {
  return "paretune resume " + core::shell_quote(directory);
}

ExitCode show_results(const StudyRun& run, Io& io) {
  auto data = report_of(run);
  if (!data) return report_error(io, data.error());
  const auto written = write_result_files(run, *data);
  print_results(run, *data, io);
  if (!written) return report_error(io, written.error());
  return data->front.empty() ? ExitCode::NothingFeasible : ExitCode::Done;
}

ExitCode run_study_and_report(StudyRun& run, Io& io) {
  // Signals first: threads made later inherit the blocked mask.
  StopOnSignal signals([] {
    constexpr char kText[] =
        "\nstopping: the open window is dropped, everything else is kept (again: quit now)\n";
    [[maybe_unused]] const auto written = ::write(2, kText, sizeof kText - 1);
  });
  auto target = study::make_target(run.spec, run.directory, run.virtual_time);
  if (!target) return report_error(io, target.error());
  store_environment(run, io);
  auto stored = run.store->load();
  if (!stored) return report_error(io, stored.error());

  core::Result<study::Summary> summary = core::Error{};
  {
    ConsoleObserver observer(io, run.spec, std::move(*stored), run.verbose);
    summary = study::run_study(run.spec, **target, *run.store, observer, signals.token());
  }
  if (!summary) {
    const ExitCode failed = report_error(io, summary.error());
    if (auto stopped = (*target)->stop(); !stopped) print_warning(io, stopped.error().message);
    show_results(run, io);
    io.err << "what was stored is kept; continue with: " << resume_line(run.directory) << '\n';
    return failed;
  }
  io.err << fmt::format("{}: {} launches, {} points, {}\n", summary->explanation, summary->launches,
                        summary->points, core::format_duration(summary->seconds));
  const ExitCode shown = show_results(run, io);
  if (summary->end == study::End::Interrupted) {
    io.err << "interrupted; continue with: " << resume_line(run.directory) << '\n';
    return ExitCode::Interrupted;
  }
  return shown;
}

}  // namespace paretune::cli
