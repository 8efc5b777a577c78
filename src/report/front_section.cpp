#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "report/picks.hpp"
#include "report/table_sections.hpp"
#include "report/text_table.hpp"

namespace paretune::report {

namespace {

constexpr std::size_t kMinConfigurationWidth = 16, kLeastConfigurationWidth = 10;

struct MetricColumn {
  std::string name, unit;
};

/// Objectives, then limited metrics that are no objective.
std::vector<MetricColumn> metric_columns(const spec::StudySpec& spec) {
  std::vector<MetricColumn> columns;
  const auto add = [&](const load::Metric& metric) {
    const bool there = std::any_of(columns.begin(), columns.end(),
                                   [&](const MetricColumn& c) { return c.name == metric.name; });
    if (!there) columns.push_back({metric.name, metric.unit});
  };
  for (const spec::ObjectiveSpec& objective : spec.objectives) add(objective.metric);
  for (const load::Bound& bound : spec.limits) add(bound.metric);
  return columns;
}

/// "120.5 ±3.2"; unknown = "–".
std::string metric_cell(const ReportPoint& point, const std::string& name, bool with_interval) {
  const auto value = point.metrics.find(name);
  if (value == point.metrics.end()) return "–";
  std::string text = core::format_short(value->second);
  const auto interval = point.ci95.find(name);
  if (with_interval && interval != point.ci95.end()) {
    const double half =
        std::max(value->second - interval->second.first, interval->second.second - value->second);
    text += " ±" + fmt::format("{:.2g}", half);
  }
  return text;
}

std::string pick_names(const Picks& picks, const ReportPoint& point) {
  std::vector<std::string> names;
  if (picks.throughput == point.id) names.emplace_back("throughput");
  if (picks.latency == point.id) names.emplace_back("latency");
  if (picks.knee == point.id) names.emplace_back("knee");
  if (point.baseline) names.emplace_back("baseline");
  return core::join(names, ", ");
}

std::string value_or_empty(const std::map<std::string, space::Value>& values, const std::string& name) {
  const auto value = values.find(name);
  return value == values.end() ? "" : space::to_text(value->second);
}

std::vector<std::string> live_names(const ReportData& data) {
  std::set<std::string> names;
  for (const ReportPoint& point : data.points) {
    for (const auto& [name, value] : point.point.live) names.insert(name);
  }
  return {names.begin(), names.end()};
}

class FrontTable {
 public:
  FrontTable(const ReportData& data, const TextStyle& style) : data_(data), style_(style) {
    metrics_ = metric_columns(data.spec);
    live_ = live_names(data);
    parameters_ = varying_parameters(data);
    for (const ReportPoint& point : data.points) {
      probability_ = probability_ || (point.on_front && point.probability_on_front);
    }
  }

  /// One column per parameter where that fits, else one for all of them, then without what is said elsewhere
  /// too.
  std::string render() const {
    static constexpr Shape kNarrower[]{{false, true, true, true}, {false, false, true, true}, {false, false, false, true}};
    static constexpr Shape kNarrowest{false, false, false, false};
    const std::string widest = draw({true, true, true, true}, 0);
    if (fits(widest)) return widest;
    for (const Shape& shape : kNarrower) {
      if (fits(draw(shape, kMinConfigurationWidth))) return draw(shape, configuration_room(shape));
    }
    return draw(kNarrowest, fits(draw(kNarrowest, kMinConfigurationWidth)) ? configuration_room(kNarrowest)
                                                                           : kLeastConfigurationWidth);
  }

 private:
  /// Which columns a version of the table has besides id, objectives, live setting and pick.
  struct Shape {
    bool parameter_columns;  ///< else one column "configuration"
    bool chances;            ///< P(front)
    bool limits;             ///< metrics that are limited but no objective
    bool intervals;          ///< " ±half"
  };

  std::string draw(const Shape& shape, std::size_t configuration_width) const {
    return make(shape, configuration_width).render(style_.color);
  }

  bool fits(const std::string& text) const {
    return style_.width <= 0 || longest_line(text) <= static_cast<std::size_t>(style_.width);
  }

  std::size_t configuration_room(const Shape& shape) const {
    const std::size_t used = longest_line(draw(shape, kMinConfigurationWidth));
    const auto room = static_cast<std::size_t>(style_.width);
    return kMinConfigurationWidth + (room > used ? room - used : 0);
  }

  static std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    for (std::string line : core::split(text, '\n')) {
      for (std::size_t escape = line.find('\x1b'); escape != std::string::npos; escape = line.find('\x1b')) {
        line.erase(escape, line.find('m', escape) - escape + 1);
      }
      longest = std::max(longest, display_width(line));
    }
    return longest;
  }

  std::size_t metric_count(const Shape& shape) const {
    return shape.limits ? metrics_.size() : data_.spec.objectives.size();
  }

  TextTable make(const Shape& shape, std::size_t configuration_width) const {
    std::vector<TextColumn> columns{{"id", "", false, 0}};
    for (std::size_t i = 0; i < metric_count(shape); ++i)
      columns.push_back({metrics_[i].name, metrics_[i].unit, true, 0});
    for (const std::string& name : live_) columns.push_back({name, "", true, 0});
    if (shape.parameter_columns) {
      for (const std::string& name : parameters_) columns.push_back({name, "", true, 24});
    } else {
      columns.push_back({"configuration", "", false, configuration_width});
    }
    if (probability_ && shape.chances) columns.push_back({"P(front)", "", true, 0});
    columns.push_back({"pick", "", false, 0});
    TextTable table(std::move(columns));
    for (const std::string& id : data_.front) table.add_row(cells(*find_point(data_, id), shape));
    return table;
  }

  std::vector<std::string> cells(const ReportPoint& point, const Shape& shape) const {
    std::vector<std::string> row{point.id};
    for (std::size_t i = 0; i < metric_count(shape); ++i) row.push_back(metric_cell(point, metrics_[i].name, shape.intervals));
    for (const std::string& name : live_) row.push_back(value_or_empty(point.point.live, name));
    if (shape.parameter_columns) {
      for (const std::string& name : parameters_)
        row.push_back(value_or_empty(point.point.configuration, name));
    } else {
      row.push_back(configuration_text(point.point.configuration, parameters_));
    }
    if (probability_ && shape.chances) {
      row.push_back(point.probability_on_front ? fmt::format("{:.2f}", *point.probability_on_front) : "");
    }
    row.push_back(pick_names(data_.picks, point));
    return row;
  }

  const ReportData& data_;
  TextStyle style_;
  std::vector<MetricColumn> metrics_;
  std::vector<std::string> live_, parameters_;
  bool probability_ = false;
};

std::size_t measured_points(const ReportData& data) {
  return static_cast<std::size_t>(
      std::count_if(data.points.begin(), data.points.end(),
                    [](const ReportPoint& point) { return point.status != trial::PointStatus::Failed; }));
}

std::string reference_text(const ReportData& data) {
  std::vector<std::string> parts;
  for (const spec::ObjectiveSpec& objective : data.spec.objectives) {
    const auto value = data.reference_point.find(objective.metric.name);
    if (value == data.reference_point.end()) continue;
    parts.push_back(objective.metric.name + " " + value_text(value->second, objective.metric.unit));
  }
  return core::join(parts, ", ");
}

}  // namespace

std::string front_section(const ReportData& data, const TextStyle& style) {
  if (data.front.empty()) return "";
  const std::string title =
      fmt::format("Front: {} of {} measured points", data.front.size(), measured_points(data));
  std::string text = bold(title, style.color) + "\n" + FrontTable(data, style).render();
  text += faint(fmt::format("  hypervolume {} to the reference point {}",
                            core::format_short(data.hypervolume), reference_text(data)),
                style.color);
  return text + "\n";
}

std::vector<std::string> varying_parameters(const ReportData& data) {
  std::map<std::string, std::set<std::string>> seen;  // name -> texts, "" for inactive
  std::vector<std::string> order;
  for (const space::Parameter& parameter : data.spec.space.parameters()) {
    if (!parameter.live) order.push_back(parameter.name);
  }
  for (const ReportPoint& point : data.points) {
    for (const auto& [name, value] : point.point.configuration) {
      if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
    }
  }
  for (const ReportPoint& point : data.points) {
    for (const std::string& name : order) seen[name].insert(value_or_empty(point.point.configuration, name));
  }
  std::erase_if(order, [&](const std::string& name) { return seen[name].size() < 2; });
  return order;
}

std::string configuration_text(const space::Configuration& configuration,
                               const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : configuration) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    if (wanted) parts.push_back(name + "=" + space::to_text(value));
  }
  return parts.empty() ? "(defaults)" : core::join(parts, " ");
}

std::string live_text(const space::LiveSetting& live) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : live) parts.push_back(name + " " + space::to_text(value));
  return core::join(parts, ", ");
}

std::string value_text(double value, const std::string& unit) {
  return core::format_short(value) + (unit.empty() ? "" : " " + unit);
}

}  // namespace paretune::report
