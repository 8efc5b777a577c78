#include "report/json_text.hpp"

#include <nlohmann/json.hpp>

namespace paretune::report {

std::string json_text(const core::Json& json, int indent) {
  return json.dump(indent, ' ', false, core::Json::error_handler_t::replace);
}

}  // namespace paretune::report
