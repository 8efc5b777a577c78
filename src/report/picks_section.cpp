#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "report/launch_command.hpp"
#include "report/merge.hpp"
#include "report/picks.hpp"
#include "report/table_sections.hpp"
#include "report/text_table.hpp"

namespace paretune::report {

namespace {

std::string colored(const Change& change, bool color) {
  const std::string text = to_text(change);
  if (change.better) return green(text, color);
  return change.worse ? red(text, color) : text;
}

std::string change_text(const PickedPoint& entry, const spec::ObjectiveSpec& objective, double value,
                        const TextStyle& style) {
  if (entry.baseline == nullptr || entry.baseline == entry.point) return "";
  const auto before = entry.baseline->metrics.find(objective.metric.name);
  if (before == entry.baseline->metrics.end()) return "  (baseline unknown)";
  return fmt::format("  {} (baseline {})",
                     colored(change_of(before->second, value, objective.maximize), style.color),
                     value_text(before->second, objective.metric.unit));
}

std::string objective_lines(const ReportData& data, const PickedPoint& entry, const TextStyle& style) {
  struct Line {
    std::string name, value, change;
  };
  std::vector<Line> lines;
  std::size_t name_width = 0, value_width = 0;
  for (const spec::ObjectiveSpec& objective : data.spec.objectives) {
    const auto value = entry.point->metrics.find(objective.metric.name);
    if (value == entry.point->metrics.end()) continue;
    lines.push_back({objective.metric.name, value_text(value->second, objective.metric.unit),
                     change_text(entry, objective, value->second, style)});
    name_width = std::max(name_width, display_width(lines.back().name));
    value_width = std::max(value_width, display_width(lines.back().value));
  }
  std::string text;
  for (const Line& line : lines) {
    const std::string gap(line.change.empty() ? 0 : value_width - display_width(line.value), ' ');
    text += fmt::format("    {:<{}}  {}{}{}\n", line.name, name_width, line.value, gap, line.change);
  }
  return text;
}

std::string compared_with(const PickedPoint& entry) {
  if (entry.baseline == nullptr) return "";
  if (entry.baseline == entry.point) return "    the baseline itself is the best\n";
  const bool broken = entry.baseline->status == trial::PointStatus::Infeasible;
  return "    against the baseline at " + live_text(entry.baseline->point.live) +
         (broken ? ", which breaks the limits\n" : "\n");
}

}  // namespace

std::string picks_section(const ReportData& data, const TextStyle& style) {
  const std::vector<PickedPoint> entries = picked_points(data);
  if (entries.empty()) return "";
  std::string text = bold("Picks", style.color);
  if (data.spec.baseline && !data.baseline_points.empty()) {
    text += " against the baseline " + configuration_text(*data.spec.baseline, {});
  }
  text += "\n";
  const std::vector<std::string> varying = varying_parameters(data);
  std::vector<const ReportPoint*> shown;
  for (const PickedPoint& entry : entries) {
    std::string where = live_text(entry.point->point.live);
    if (!varying.empty()) where += "  " + configuration_text(entry.point->point.configuration, varying);
    text += fmt::format("  {}: {}  {}\n", bold(core::join(entry.names, ", "), style.color), entry.point->id,
                        where);
    text += objective_lines(data, entry, style) + compared_with(entry);
    const bool repeated = std::find(shown.begin(), shown.end(), entry.point) != shown.end();
    const std::string command =
        paste_command(data.spec, entry.point->point.configuration, entry.point->launch_command);
    if (!repeated && !command.empty()) text += "    " + command + "\n";
    shown.push_back(entry.point);
  }
  return text;
}

std::string nearest_section(const ReportData& data, const TextStyle& style) {
  if (!data.front.empty()) return "";
  if (!data.nearest) return bold("No point could be measured.", style.color) + "\n";
  const ReportPoint& point = *find_point(data, *data.nearest);
  std::string text = bold("No measured point meets the limits.", style.color) + "\n";
  text += fmt::format(
      "  nearest: {}  {}  {}  (off by {:.3g} % in sum)\n", point.id, live_text(point.point.live),
      configuration_text(point.point.configuration, varying_parameters(data)), point.violation * 100);
  for (const load::Bound& bound : data.spec.limits) {
    const auto value = point.metrics.find(bound.metric.name);
    if (value == point.metrics.end()) {
      text += "    " + load::to_text(bound) + ": not known\n";
      continue;
    }
    const double missed = limit_violation(bound, value->second);
    const std::string verdict =
        missed > 0 ? red(fmt::format("missed by {:.3g} %", missed * 100), style.color) : "met";
    text += fmt::format("    {}: {} ({})\n", load::to_text(bound),
                        value_text(value->second, bound.metric.unit), verdict);
  }
  return text;
}

}  // namespace paretune::report
