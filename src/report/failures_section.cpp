#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

#include "paretune/core/text.hpp"
#include "report/failures.hpp"
#include "report/table_sections.hpp"
#include "report/text_table.hpp"

namespace paretune::report {

namespace {

constexpr std::size_t kShownLaunches = 6;
constexpr std::size_t kDefaultWidth = 110;

std::size_t text_width(const TextStyle& style) {
  return style.width > 0 ? static_cast<std::size_t>(style.width) : kDefaultWidth;
}

std::string launches_text(const FailureGroup& group) {
  std::set<int> numbers;
  for (const FailureRow* row : group.rows) numbers.insert(row->launch);
  std::vector<std::string> shown;
  for (const int number : numbers) {
    if (shown.size() < kShownLaunches) shown.push_back(std::to_string(number));
  }
  std::string text = (numbers.size() == 1 ? "launch " : "launches ") + core::join(shown, ", ");
  if (numbers.size() > shown.size()) text += fmt::format(" and {} more", numbers.size() - shown.size());
  return text;
}

/// The first row that has something to say.
std::string first_text(const FailureGroup& group, std::string engine::Failure::*field) {
  for (const FailureRow* row : group.rows) {
    if (!(row->failure.*field).empty()) return row->failure.*field;
  }
  return "";
}

std::string labelled(const char* label, const std::string& text, const TextStyle& style) {
  if (text.empty()) return "";
  const std::string lead = "    " + std::string(label) + ": ";
  return lead + wrap(text, text_width(style), lead.size()) + "\n";
}

std::string exit_text(const engine::Failure& failure) {
  if (failure.signal) return fmt::format(", signal {}", *failure.signal);
  if (failure.exit_code) return fmt::format(", exit code {}", *failure.exit_code);
  return "";
}

}  // namespace

std::string failures_section(const ReportData& data, const TextStyle& style) {
  if (data.failures.empty()) return "";
  std::string text = bold(fmt::format("Failures: {}", data.failures.size()), style.color) + "\n";
  for (const FailureGroup& group : group_failures(data.failures)) {
    const engine::Failure& first = group.rows.front()->failure;
    const bool flaky = std::all_of(group.rows.begin(), group.rows.end(),
                                   [](const FailureRow* row) { return row->failure.flaky; });
    text += fmt::format("  {} at {} ×{} ({}{}){}\n", red(engine::to_string(group.cls), style.color),
                        engine::to_string(group.phase), group.rows.size(), launches_text(group),
                        exit_text(first), flaky ? ", worked at another try" : "");
    text += labelled("cause", first_text(group, &engine::Failure::cause), style);
    text += labelled("advice", first_text(group, &engine::Failure::advice), style);
    text += labelled("log", first_text(group, &engine::Failure::log), style);
  }
  return text;
}

std::string findings_section(const ReportData& data, const TextStyle& style) {
  std::string text;
  for (const FindingGroup& group : group_findings(data.points)) {
    const std::string points = fmt::format("{} point{}", group.points, group.points == 1 ? "" : "s");
    const std::string weight = group.finding.invalidates ? ", left out of the front" : "";
    text += fmt::format("  {} ({}{})\n", yellow(group.finding.code, style.color), points, weight);
    text += labelled("what", group.finding.message, style);
    text += labelled("advice", group.finding.recommendation, style);
  }
  return text.empty() ? "" : bold("Findings", style.color) + "\n" + text;
}

std::string render_table(const ReportData& data, bool color, int width) {
  const TextStyle style{color, width};
  std::string text;
  for (const auto section :
       {front_section, nearest_section, picks_section, findings_section, failures_section}) {
    const std::string part = section(data, style);
    if (!part.empty() && !text.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace paretune::report
