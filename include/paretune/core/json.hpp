// The JSON type of the program: members keep their order of insertion, so that written files read well.
// This header only declares it; a source file that builds or reads JSON includes <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace paretune::core {

using Json = nlohmann::ordered_json;

}  // namespace paretune::core
