// Parts of front.json that other outputs share.
#pragma once

#include "paretune/core/json.hpp"
#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// One point in the form of front.json.
core::Json point_json(const ReportPoint& point);
core::Json objectives_json(const spec::StudySpec& spec);
core::Json limits_json(const spec::StudySpec& spec);
core::Json failure_json(const FailureRow& failure);
core::Json environment_json(const ReportData& data);
core::Json budget_json(const ReportData& data);
/// A number, or null if it is not finite.
core::Json finite_or_null(double value);
/// 1 rather than 1.0, for counts that may be fractions.
core::Json whole_or_real(double value);

}  // namespace paretune::report
