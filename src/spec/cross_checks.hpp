// Checks that need more than one section of a study.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/spec/study_spec.hpp"
#include "spec/sections.hpp"

namespace paretune::spec {

/// Faults for metrics that this study has no means to compute, with what to add.
void check_metrics(const StudySpec& spec, const std::vector<MetricUse>& uses, core::Diagnostics& diagnostics);

/// Faults for names that two sections claim: a parameter that is also a fixed argument or the load level. A
/// parameter that is marked live, and any parameter of an endpoint, is a fault too: nothing could set it.
void check_parameters(const core::Node& root, const StudySpec& spec, const space::SpaceSection& section,
                      core::Diagnostics& diagnostics);

/// Parses `engine.gpus` over the parameters and fixed arguments.
void resolve_gpus(const core::Node& root, const std::vector<std::string>& known, StudySpec& spec,
                  core::Diagnostics& diagnostics);

/// The configuration that is measured first. A value outside the space is a warning (the user's present
/// server may well lie outside), an unknown name a fault. Values come back in the kind that the space uses.
std::optional<space::Configuration> read_baseline(const core::Node* node, const StudySpec& spec,
                                                  const std::vector<space::Parameter>& parameters,
                                                  core::Diagnostics& diagnostics);

/// Once the space stands: something to measure, an end to it, a baseline that meets the constraints.
void check_space(const core::Node& root, const StudySpec& spec, core::Diagnostics& diagnostics);

/// The load level as a live parameter.
space::Parameter live_parameter(const load::Workload& workload);

}  // namespace paretune::spec
