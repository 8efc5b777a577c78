// The part that `tune` and `resume` share: run the loop under signals, write the result files, print the end.
#pragma once

#include <memory>
#include <string>

#include "paretune/cli/app.hpp"
#include "paretune/spec/study_spec.hpp"
#include "paretune/store/store.hpp"

namespace paretune::cli {

struct StudyRun {
  spec::StudySpec spec;
  std::unique_ptr<store::Store> store;
  std::string directory;
  bool virtual_time = false;
  bool verbose = false;
};

/// Runs until the study ends. @return 0, 3, 130, or the code of an error; whatever happens, what is stored is
/// shown.
ExitCode run_study_and_report(StudyRun& run, Io& io);

/// Writes front.json, points.csv, report.html and prints front, picks and failures. @return 0 or 3, or an
/// error's code.
ExitCode show_results(const StudyRun& run, Io& io);

/// "paretune resume DIR", ready to paste.
std::string resume_line(const std::string& directory);

}  // namespace paretune::cli
