// What the HTML report knows: the study as one JSON object, in a compact form (docs/results.md says what
// files hold).
#pragma once

#include "paretune/core/json.hpp"
#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// Numbers have 6 significant digits; metrics of a point are a list in the order of `metrics`.
core::Json html_data(const ReportData& data);

/// JSON text that may stand inside a <script> element: no `<`, `>`, `&`, U+2028 or U+2029 appear as such.
std::string script_safe(const core::Json& json);

/// Text for HTML content and quoted attributes.
std::string html_escape(std::string_view text);

}  // namespace paretune::report
