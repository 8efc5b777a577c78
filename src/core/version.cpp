#include "paretune/core/version.hpp"

namespace paretune::core {

const char* version() {
  return PARETUNE_VERSION;
}

}  // namespace paretune::core
