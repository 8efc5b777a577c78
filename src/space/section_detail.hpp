// Parts of the `space` section reader that are shared by its files.
#pragma once

#include <optional>
#include <string>

#include "paretune/core/diagnostics.hpp"
#include "paretune/space/parameter.hpp"

namespace paretune::space::detail {

struct RangeResult {
  Domain domain;
  Scale scale = Scale::Linear;
};

/// Reads `{min, max, step | scale, type}`. @return nullopt after recording the faults.
std::optional<RangeResult> read_range(core::MappingReader& reader, const core::Node& node,
                                      const std::string& path);

}  // namespace paretune::space::detail
