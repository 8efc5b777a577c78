// From measurements to what a searcher is told, and to the status of a point. Pure.
#pragma once

#include <vector>

#include "paretune/search/searcher.hpp"
#include "paretune/spec/study_spec.hpp"
#include "paretune/trial/record.hpp"

namespace paretune::study {

/// The searcher's view of a study: space, objectives, limits, seed, budgets.
search::Problem problem_of(const spec::StudySpec& spec);

/// Summed relative violation of the limits; a limit on a metric that is unknown counts as violated by 1.
double violation_of(const spec::StudySpec& spec, const load::MetricValues& metrics);

/// Ok, Infeasible, or Invalid when a finding invalidates the measurement or an objective is unknown.
trial::PointStatus status_of(const spec::StudySpec& spec, const load::Measurement& measurement);

/// @param id  of the proposal; 0 for stored points and the baseline.
search::Observation observe(const spec::StudySpec& spec, const trial::PointRecord& point, std::uint64_t id);

/// Does this failure of a point mean that the server is over (design §7: everything but time-outs and
/// errors)?
search::FailureScope scope_of(const engine::Failure& failure);

/// Live settings of the workload in file order.
std::vector<space::LiveSetting> live_settings(const load::Workload& workload);

}  // namespace paretune::study
