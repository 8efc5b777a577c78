// Verdicts about a window: can its numbers be trusted, and what to change if not.
#pragma once

#include <vector>

#include "paretune/load/measure.hpp"

namespace paretune::load {

/// Reads counts and metrics of `measurement`; its findings are not looked at.
std::vector<core::Finding> judge(const Window& window, const Workload& workload, const LoadLevel& level,
                                 const Measurement& measurement);

}  // namespace paretune::load
