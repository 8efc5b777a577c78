// From what a window brought back to the failure of a point (design §6): pure, no I/O.
#pragma once

#include <optional>

#include "paretune/core/error.hpp"
#include "paretune/engine/engine_spec.hpp"
#include "paretune/engine/failure.hpp"
#include "paretune/load/measure.hpp"

namespace paretune::trial {

/// A window whose server still lives. @return nullopt if the point counts: it was not cut short by errors and
/// at least one request succeeded. Time-outs in the majority: timeout_measure; HTTP 5xx only: unhealthy; else
/// too_many_errors.
std::optional<engine::Failure> failure_of_window(const load::Window& window,
                                                 const load::Measurement& measurement);

/// The window could not even begin.
engine::Failure failure_of_error(const core::Error& error);

/// Number of GPUs that a configuration uses; nullopt if the study does not say.
std::optional<double> gpus_of(const engine::EngineSpec& spec, const space::Configuration& configuration);

}  // namespace paretune::trial
