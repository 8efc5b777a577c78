// The whole study file, typed and checked together: the only way in for `tune`, `plan`, `validate` and the
// rest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/core/document.hpp"
#include "paretune/engine/engine_spec.hpp"
#include "paretune/load/metric.hpp"
#include "paretune/load/workload.hpp"
#include "paretune/space/space.hpp"

namespace paretune::spec {

struct ObjectiveSpec {
  load::Metric metric;
  bool maximize = false;
};

struct SearchSpec {
  std::string method = "nsga2";
  std::uint64_t seed = 1;
};

/// Absent = no bound from this side. At least one of the three, or the space is finite and small enough for
/// the method.
struct BudgetSpec {
  std::optional<std::int64_t> launches;
  std::optional<std::int64_t> points;
  std::optional<double> time_s;
};

struct PriceSpec {
  double gpu_hour = 0;
  std::string currency = "USD";
};

/// A text of the file that must not be written to the disk, and the ${NAME} that stands for it there.
struct SecretText {
  std::string path;       ///< in the study file: "engine.env.HF_TOKEN"
  std::string reference;  ///< "${HF_TOKEN}", "Bearer ${KEY}"
  std::string value;      ///< expanded
};

struct StudySpec {
  std::string name;
  engine::EngineSpec engine;
  space::Space space;  ///< restart parameters and, as live axis, concurrency or rate
  load::Workload workload;
  std::vector<ObjectiveSpec> objectives;
  std::vector<load::Bound> limits;
  std::optional<space::Configuration> baseline;  ///< completed with nothing: exactly what the file says
  SearchSpec search;
  BudgetSpec budget;
  std::optional<PriceSpec> price;
  load::MetricValues reference_point;  ///< may be empty
  std::vector<core::Fault> warnings;
  std::string file;                                 ///< as the user named it
  std::map<std::string, core::Position> positions;  ///< of every parameter and fixed argument in the file
  std::vector<SecretText> secrets;                  ///< of secret-looking names; to_json() leaves them out
};

/// The keys of a study file, for help and "did you mean".
const std::vector<std::string>& study_keys();

/// Reads every section with its own module's reader and checks them together. The live axis (concurrency or
/// rate) of the workload is added to the space.
/// @param sets  `--set key.path=value` in order, applied before ${NAME} is replaced.
/// @return all faults of all sections in one Error{InvalidInput}, by line; Error{NotFound}, Error{Io} for the
/// file.
core::Result<StudySpec> load_study(const std::string& path, const std::vector<std::string>& sets = {});
core::Result<StudySpec> read_study(core::Document document, const std::vector<std::string>& sets = {});

/// A study as stored in study.db, for those who only look at it (report, front, export): what the environment
/// lacks now (unset variables, a model file on another machine) is a warning. Texts that need an unset
/// variable keep their ${NAME}.
core::Result<StudySpec> read_stored_study(const std::string& study_json);

/// The normalised study (study.json): every default is spelled out, and it loads back to an equal spec.
/// Values of secret-looking names (core::is_secret_name) are written as the ${NAME} they came from, so that
/// no secret reaches the disk and `resume` reads it from the environment again.
core::Json to_json(const StudySpec& spec);
/// The same as text with a final newline: the content of study.json and of the store.
std::string study_text(const StudySpec& spec);

/// Faults of flags that the installed engine does not list in its own help; needs the program, so it is a
/// separate step.
/// @param installed_flags  without dashes; empty = unknown, nothing is checked. Kinds `command` and
/// `endpoint` have no
///                         flags of their own and pass.
core::Result<void> check_flags(const StudySpec& spec, const std::vector<std::string>& installed_flags);

}  // namespace paretune::spec
