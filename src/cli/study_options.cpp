#include "cli/study_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::cli {

void add_study_options(CLI::App& command, StudyOptions& options) {
  command.add_option("study", options.file, "Study file (YAML or JSON)")->required()->type_name("STUDY");
  command
      .add_option("--set", options.sets,
                  "Override any key of the file: --set workload.duration=20s (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->expected(1)
      ->take_all();
  command.add_option("--method", options.method, "search.method: grid, random, sobol or nsga2")
      ->type_name("M");
  command.add_option("--seed", options.seed, "search.seed")->type_name("N");
  command.add_option("--launches", options.launches, "budget.launches")->type_name("N");
  command.add_option("--points", options.points, "budget.points")->type_name("N");
  command.add_option("--time", options.time, "budget.time, e.g. 20m")->type_name("T");
}

core::Result<spec::StudySpec> load_study(const StudyOptions& options, Io& io) {
  std::vector<std::string> sets = options.sets;
  if (!options.method.empty()) sets.push_back("search.method=" + options.method);
  if (options.seed) sets.push_back("search.seed=" + std::to_string(*options.seed));
  if (options.launches) sets.push_back("budget.launches=" + std::to_string(*options.launches));
  if (options.points) sets.push_back("budget.points=" + std::to_string(*options.points));
  if (!options.time.empty()) sets.push_back("budget.time=" + options.time);
  auto spec = spec::load_study(options.file, sets);
  if (!spec) return spec;
  for (const auto& warning : spec->warnings) print_warning(io, core::format_fault(warning, options.file));
  return spec;
}

void stop_orphans(Io& io) {
  for (const engine::Orphan& orphan : engine::stop_orphans()) {
    const std::string what =
        "server of a paretune that died (pid " + std::to_string(orphan.pid) + ", " + orphan.command + ")";
    if (orphan.stopped) {
      io.err << "stopped a " << what << '\n';
    } else {
      print_warning(io, "could not stop a " + what);
    }
  }
}

}  // namespace paretune::cli
