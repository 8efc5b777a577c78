#pragma once

namespace paretune::core {

/// "0.1.0"
const char* version();

}  // namespace paretune::core
