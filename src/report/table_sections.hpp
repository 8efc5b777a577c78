// The parts of the terminal summary; render_table() puts them together. Each ends with LF or is empty.
#pragma once

#include <string>

#include "paretune/report/report_data.hpp"

namespace paretune::report {

struct TextStyle {
  bool color = false;
  int width = 0;  ///< columns of the terminal; 0 = unlimited (a pipe)
};

std::string front_section(const ReportData& data, const TextStyle& style);
std::string picks_section(const ReportData& data, const TextStyle& style);
/// When nothing meets the limits: the nearest point and by how much it misses each.
std::string nearest_section(const ReportData& data, const TextStyle& style);
std::string findings_section(const ReportData& data, const TextStyle& style);
std::string failures_section(const ReportData& data, const TextStyle& style);

/// Active restart parameters that take more than one value in the study, in the order of the space.
std::vector<std::string> varying_parameters(const ReportData& data);
/// "parallel=2 threads=1", only the named ones; all if `names` is empty.
std::string configuration_text(const space::Configuration& configuration,
                               const std::vector<std::string>& names);
/// "concurrency 8".
std::string live_text(const space::LiveSetting& live);
/// "812.3 tok/s".
std::string value_text(double value, const std::string& unit);

}  // namespace paretune::report
