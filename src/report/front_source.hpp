// Reads the inputs of a `front` request: files, standard input, study directories.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/report/front_input.hpp"
#include "paretune/report/table.hpp"

namespace paretune::report {

struct FrontSource {
  Table table;
  bool paretune = false;                ///< every input is a result of paretune: names of metrics are known
  std::vector<std::string> objectives;  ///< of the inputs, where they say so: "ttft:p95:min"
  std::vector<std::string> limits;
  std::shared_ptr<const ReportData> study;  ///< if the only input is a study directory
};

/// @return Error{NotFound} or Error{InvalidInput} naming the input; different objectives in two inputs are
/// only an error where the request has none of its own.
core::Result<FrontSource> read_sources(const FrontRequest& request);

}  // namespace paretune::report
