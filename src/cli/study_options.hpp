// Options of every command that reads a study file, and the clean-up that `tune` and `resume` begin with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "paretune/cli/app.hpp"
#include "paretune/core/result.hpp"
#include "paretune/spec/study_spec.hpp"

namespace CLI {
class App;
}

namespace paretune::cli {

struct StudyOptions {
  std::string file;
  std::vector<std::string> sets;
  std::string method, time;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> launches, points;
};

/// STUDY, --set, --method, --seed, --launches, --points, --time.
void add_study_options(CLI::App& command, StudyOptions& options);

/// Reads the file with the overrides of the command line; prints warnings.
core::Result<spec::StudySpec> load_study(const StudyOptions& options, Io& io);

/// Stops and names servers whose paretune died (kill -9, power of a container); only what is provably ours.
void stop_orphans(Io& io);

}  // namespace paretune::cli
