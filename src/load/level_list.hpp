// Reads the load levels of a workload: a number, a list, or a range {min, max, step | scale}.
#pragma once

#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"

namespace paretune::load {

struct LevelLimits {
  bool whole = false;  ///< only whole numbers
  double low = 0;      ///< smallest value; when not `whole`, itself excluded
  double high = 0;     ///< greatest value
};

/// In the order of the file; every fault is recorded, bad entries are left out.
std::vector<double> read_level_list(const core::Node& node, const std::string& path,
                                    const LevelLimits& limits, core::Diagnostics& diagnostics);

}  // namespace paretune::load
