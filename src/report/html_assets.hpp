// The files of src/report/html and the chart library, embedded at build time (cmake/ParetuneEmbed.cmake).
#pragma once

#include <string_view>

namespace paretune::report::assets {

extern const std::string_view page;
extern const std::string_view style;
extern const std::string_view chart_library;
extern const std::string_view script_values;
extern const std::string_view script_chart;
extern const std::string_view script_details;
extern const std::string_view script_table;
extern const std::string_view script_page;

}  // namespace paretune::report::assets
