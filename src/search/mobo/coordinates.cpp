#include "search/mobo/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace paretune::search {
namespace {

/// [0, 1] positions of ordered numeric levels; equally spaced where the levels are no numbers.
std::vector<double> ordered_table(const space::Domain& domain, std::size_t levels) {
  std::vector<double> table(levels);
  bool numbers = true, positive = true;
  for (std::size_t i = 0; i < levels; ++i) {
    const space::Value value = space::level_at(domain, i).value;
    numbers = numbers && space::is_number(value);
    table[i] = numbers ? space::as_number(value) : 0;
    positive = positive && table[i] > 0;
  }
  for (std::size_t i = 0; i < levels; ++i) {
    if (!numbers) {
      table[i] = static_cast<double>(i);
    } else if (positive) {
      table[i] = std::log2(table[i]);
    }
  }
  const auto [low, high] = std::minmax_element(table.begin(), table.end());
  const double from = *low, width = *high - *low;
  for (double& value : table) value = width > 0 ? (value - from) / width : 0.5;
  return table;
}

double continuous_coordinate(const space::RealRange& range, double value) {
  if (range.max <= range.min) return 0.5;
  if (range.scale == space::Scale::Linear || range.min <= 0) return (value - range.min) / (range.max - range.min);
  return std::log(value / range.min) / std::log(range.max / range.min);
}

}  // namespace

Coordinates::Coordinates(const space::Space& space) : space_(space) {
  for (const space::Axis& axis : space.axes()) {
    axes_.push_back({.ordinal = axis.ordered, .live = axis.live});
    std::vector<double> table;
    if (axis.levels && axis.ordered && axis.parameters.size() == 1) {
      table = ordered_table(space.parameters()[axis.parameters.front()].domain, *axis.levels);
    } else if (axis.levels) {
      for (std::size_t i = 0; i < *axis.levels; ++i) table.push_back(static_cast<double>(i));
    }
    table_.push_back(std::move(table));
  }
  for (const space::Parameter& parameter : space.parameters()) conditional_ = conditional_ || parameter.when.has_value();
}

Eigen::RowVectorXd Coordinates::row(const space::Code& code) const {
  Eigen::RowVectorXd row(static_cast<Eigen::Index>(axes_.size()));
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (!table_[i].empty()) {
      row[column] = table_[i][static_cast<std::size_t>(code[i])];
    } else {
      const auto& parameter = space_.parameters()[space_.axes()[i].parameters.front()];
      row[column] = continuous_coordinate(std::get<space::RealRange>(parameter.domain), code[i]);
    }
  }
  if (!conditional_) return row;
  const space::Point point = space_.decode(code);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const space::Axis& axis = space_.axes()[i];
    const std::string& name = space_.parameters()[axis.parameters.front()].name;
    const bool active = axis.live ? point.live.contains(name) : point.configuration.contains(name);
    if (!active) row[static_cast<Eigen::Index>(i)] = std::numeric_limits<double>::quiet_NaN();
  }
  return row;
}

Rows Coordinates::rows(const std::vector<space::Code>& codes) const {
  Rows rows(static_cast<Eigen::Index>(codes.size()), static_cast<Eigen::Index>(axes_.size()));
  for (std::size_t i = 0; i < codes.size(); ++i) rows.row(static_cast<Eigen::Index>(i)) = row(codes[i]);
  return rows;
}

space::Code restart_part(const space::Space& space, space::Code code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (space.axes()[i].live) code[i] = 0;
  }
  return code;
}

}  // namespace paretune::search
