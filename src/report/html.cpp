#include <nlohmann/json.hpp>
#include <stdexcept>

#include "paretune/report/report_data.hpp"
#include "report/html_assets.hpp"
#include "report/html_data.hpp"

namespace paretune::report {

namespace {

struct Part {
  std::string_view name;
  std::string text;
};

/// Fills {{name}} marks of the page. What is filled in is never searched for marks, so values cannot bring
/// their own.
std::string fill(std::string_view page, const std::vector<Part>& parts) {
  std::string html;
  for (std::size_t at = page.find("{{"); at != std::string_view::npos; at = page.find("{{")) {
    const std::size_t end = page.find("}}", at);
    const std::string_view name = page.substr(at + 2, end - at - 2);
    html += page.substr(0, at);
    bool found = false;
    for (const Part& part : parts) {
      if (part.name != name) continue;
      html += part.text;
      found = true;
    }
    if (!found) throw std::logic_error("the page asks for an unknown part: " + std::string(name));
    page.remove_prefix(end + 2);
  }
  return html.append(page);
}

std::string scripts() {
  std::string all;
  for (const std::string_view script : {assets::script_values, assets::script_chart, assets::script_details,
                                        assets::script_table, assets::script_page}) {
    all.append(script).append("\n");
  }
  return all;
}

}  // namespace

std::string render_html(const ReportData& data) {
  return fill(assets::page, {{"title", html_escape(data.spec.name)},
                             {"style", std::string(assets::style)},
                             {"chart_library", std::string(assets::chart_library)},
                             {"data", script_safe(html_data(data))},
                             {"scripts", scripts()}});
}

}  // namespace paretune::report
