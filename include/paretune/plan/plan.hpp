// What a study would do, before it does anything: configurations before and after the cuts, launches,
// windows, time, money.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paretune/core/count.hpp"
#include "paretune/core/json.hpp"
#include "paretune/core/result.hpp"
#include "paretune/spec/study_spec.hpp"

namespace paretune::plan {

/// Configurations that one rule removes, counted after the rules before it.
struct Cut {
  std::string reason;
  std::optional<core::Count> count;  ///< nullopt: too many to count exactly
  std::optional<space::Configuration> example;
};

struct Range {
  double low = 0, high = 0;
};

struct Plan {
  std::optional<core::Count>
      total;  ///< before constraints; nullopt: continuous, or too many to count exactly
  std::optional<core::Count> after;
  bool continuous = false;
  std::vector<Cut> cuts;
  std::optional<core::Count> launches;  ///< nullopt: no bound from budget or space
  std::optional<core::Count> windows;
  std::optional<Range> wall_s;  ///< unknown without a bound on launches or windows, and no time budget
  std::optional<Range> gpu_hours;
  std::optional<Range> money;
  std::string currency;
  std::vector<std::string> assumptions;  ///< what the time range rests on, one sentence each
};

/// Pure. The time range is a rough bracket (start-up by kind of engine, windows from the workload), said in
/// `assumptions`.
core::Result<Plan> make_plan(const spec::StudySpec& spec);
/// The object of `plan --json` (design §5): counts above 2^53 are strings.
core::Json to_json(const Plan& plan);
std::string render(const Plan& plan);

}  // namespace paretune::plan
