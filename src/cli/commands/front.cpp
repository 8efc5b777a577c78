// paretune front, paretune report: the non-dominated set of any results; the HTML report of a study.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "paretune/core/file.hpp"
#include "paretune/report/front_input.hpp"
#include "paretune/report/study_report.hpp"

namespace paretune::cli {
namespace {

struct FrontOptions {
  report::FrontRequest request;
  bool json = false;
};

ExitCode run_front(const FrontOptions& options, Io& io) {
  const auto answer = report::evaluate_front(options.request);
  if (!answer) return report_error(io, answer.error());
  for (const std::string& message : answer->messages) print_warning(io, message);
  if (answer->study && options.json) {
    io.out << report::render_front_json(*answer->study);
  } else if (answer->study) {
    io.out << report::render_table(*answer->study, io.color, io.width);
  } else if (options.json) {
    io.out << report::render_front_answer_json(*answer);
  } else {
    io.out << report::render_front_answer_table(*answer, io.color, io.width);
  }
  return answer->any_point() ? ExitCode::Done : ExitCode::NothingFeasible;
}

struct ReportOptions {
  std::string directory;
  std::string output;
};

ExitCode run_report(const ReportOptions& options, Io& io) {
  const auto data = report::load_report(options.directory);
  if (!data) return report_error(io, data.error());
  const std::string file = options.output.empty() ? options.directory + "/report.html" : options.output;
  if (auto written = core::write_file_atomically(file, report::render_html(*data)); !written) {
    return report_error(io, written.error());
  }
  io.out << file << '\n';
  return ExitCode::Done;
}

}  // namespace

void add_front_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<FrontOptions>();
  auto& request = options->request;
  CLI::App* command =
      app.add_subcommand("front", "The non-dominated set of any results (CSV, JSON, JSON lines, DIR)");
  command->add_option("input", request.inputs, "Files, study directories, or - for standard input")
      ->required()
      ->type_name("INPUT");
  command->add_option("--objective", request.objectives, "A column and its direction (repeatable)")
      ->type_name("METRIC:max|min")
      ->allow_extra_args(false);
  command->add_option("--limit", request.limits, "A bound on a column: 'tpot_ms <= 5' (repeatable)")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  command->add_option("--group-by", request.group_by, "One front per value of this column (repeatable)")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command
      ->add_option("--id", request.id_column, "Column that names the rows (default: id, else the row number)")
      ->type_name("COLUMN");
  command->add_flag("--json", options->json, "One JSON object on stdout");
  command->footer(
      "Example:\n  paretune front sweep.csv --objective tput:max --objective tpot_ms:min --group-by "
      "workload");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_front(*options, context.io); };
  });
}

void add_report_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write the self-contained HTML report of a study");
  command->add_option("directory", options->directory, "Directory of the study")
      ->required()
      ->type_name("DIR");
  command->add_option("-o,--output", options->output, "File to write (default: DIR/report.html)")
      ->type_name("FILE");
  command->footer("Example:\n  paretune report results/demo -o demo.html");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_report(*options, context.io); };
  });
}

}  // namespace paretune::cli
