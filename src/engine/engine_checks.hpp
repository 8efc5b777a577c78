// What must hold between the keys of an `engine` section, and for the files and variables it names.
#pragma once

#include "paretune/engine/engine_spec.hpp"

namespace paretune::engine {

/// @param node  the section, for positions.
void check_engine(const EngineSpec& spec, const core::Node& node, core::Diagnostics& diagnostics);

}  // namespace paretune::engine
