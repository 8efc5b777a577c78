// Small studies for the tests of this module, built in memory, and golden files.
#pragma once

#include <string>
#include <vector>

#include "paretune/report/report_data.hpp"

namespace paretune::report::testing {

/// Objectives output_throughput:max and ttft:p95:min, no limits, sim engine, live axis concurrency.
spec::StudySpec two_objectives();

/// A measured point of launch `launch` with parallel=`parallel` at `concurrency`.
trial::PointRecord measured(int launch, int parallel, int concurrency, load::MetricValues metrics);
trial::LaunchRecord launched(int number, int parallel);
engine::Failure failure(engine::FailureClass cls, engine::Phase phase, std::string cause);

/// Three launches (one fails to start), a baseline, a front of three points, an infeasible and an invalid
/// point.
ReportData example_report();

/// Compares with tests/data/golden/NAME. With PARETUNE_UPDATE_GOLDEN=1 in the environment the file is written
/// instead.
void expect_golden(const std::string& name, const std::string& text);

std::string read_data(const std::string& name);

}  // namespace paretune::report::testing
