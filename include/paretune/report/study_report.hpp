// The report data of a study directory, read without locking it: also while `tune` runs.
#pragma once

#include <string>

#include "paretune/core/result.hpp"
#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// @return Error{NotFound} if the directory holds no study, Error{InvalidInput} if its study.json cannot be
/// read.
core::Result<ReportData> load_report(const std::string& directory);

}  // namespace paretune::report
