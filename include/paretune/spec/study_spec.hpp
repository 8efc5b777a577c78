// The whole study file, typed and checked together: the only way in for `tune`, `plan`, `validate` and the rest.
#pragma once

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

/// Absent = no bound from this side. At least one of the three, or the space is finite and small enough for the method.
struct BudgetSpec {
  std::optional<std::int64_t> launches;
  std::optional<std::int64_t> points;
  std::optional<double> time_s;
};

struct PriceSpec {
  double gpu_hour = 0;
  std::string currency = "USD";
};

struct StudySpec {
  std::string name;
  engine::EngineSpec engine;
  space::Space space;          ///< restart parameters and, as live axis, concurrency or rate
  load::Workload workload;
  std::vector<ObjectiveSpec> objectives;
  std::vector<load::Bound> limits;
  std::optional<space::Configuration> baseline;  ///< completed with nothing: exactly what the file says
  SearchSpec search;
  BudgetSpec budget;
  std::optional<PriceSpec> price;
  load::MetricValues reference_point;  ///< may be empty
  std::vector<core::Fault> warnings;
};

/// @param sets  `--set key.path=value` in order.
/// @return all faults in one Error{InvalidInput}.
core::Result<StudySpec> load_study(const std::string& path, const std::vector<std::string>& sets = {});
core::Result<StudySpec> read_study(core::Document document, const std::vector<std::string>& sets = {});

/// The normalised study (study.json): loads back to an equal spec.
core::Json to_json(const StudySpec& spec);

/// Faults of flags that the installed engine does not list in its own help; needs the program, so it is a separate step.
core::Result<void> check_flags(const StudySpec& spec, const std::vector<std::string>& installed_flags);

}  // namespace paretune::spec
