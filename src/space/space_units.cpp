#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "paretune/space/space.hpp"

namespace paretune::space {

namespace {

/// The logarithmic axis over whole numbers: level n covers [n - 1/2, n + 1/2], so that no level is a mere
/// point.
class LogCells {
 public:
  explicit LogCells(const SteppedRange& range)
      : range_(range),
        low_(std::log(range.min - range.step / 2)),
        high_(std::log(range.min + (static_cast<double>(range.count) - 0.5) * range.step)) {}

  double to_unit(double level) const {
    return (std::log(range_.min + level * range_.step) - low_) / (high_ - low_);
  }
  double from_unit(double unit) const {
    const double value = std::exp(low_ + unit * (high_ - low_));
    return std::clamp(std::round((value - range_.min) / range_.step), 0.0,
                      static_cast<double>(range_.count) - 1);
  }

 private:
  const SteppedRange& range_;
  double low_, high_;
};

const SteppedRange* log_range(const Axis& axis, const Parameter& parameter) {
  if (axis.scale == Scale::Linear || axis.parameters.size() != 1) return nullptr;
  return std::get_if<SteppedRange>(&parameter.domain);
}

double real_to_unit(const RealRange& range, double value) {
  if (range.max <= range.min) return 0.5;
  // An inactive axis is coded as 0, which need not lie in the range.
  value = std::clamp(value, range.min, range.max);
  if (range.scale == Scale::Linear) return (value - range.min) / (range.max - range.min);
  return std::log(value / range.min) / std::log(range.max / range.min);
}

double real_from_unit(const RealRange& range, double unit) {
  const double value = range.scale == Scale::Linear ? range.min + unit * (range.max - range.min)
                                                    : range.min * std::pow(range.max / range.min, unit);
  return std::clamp(value, range.min, range.max);
}

void require_size(std::size_t given, std::size_t wanted) {
  if (given == wanted) return;
  throw std::invalid_argument("Space: " + std::to_string(given) + " coordinates for " +
                              std::to_string(wanted) + " axes");
}

}  // namespace

Code Space::from_unit(std::span<const double> unit) const {
  require_size(unit.size(), axes_.size());
  Code code(axes_.size(), 0.0);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Parameter& parameter = parameters_[axes_[a].parameters.front()];
    const double u = unit[a] > 0 ? std::min(unit[a], 1.0) : 0.0;  // also turns a NaN into 0
    if (!axes_[a].levels) {
      code[a] = real_from_unit(std::get<RealRange>(parameter.domain), u);
    } else if (const SteppedRange* range = log_range(axes_[a], parameter)) {
      code[a] = LogCells(*range).from_unit(u);
    } else {
      // to_unit gives index / levels for unordered axes; the product may fall just short of the index again.
      const auto levels = static_cast<double>(*axes_[a].levels);
      code[a] = std::clamp(std::floor(u * levels + 1e-9), 0.0, levels - 1);
    }
  }
  return code;
}

std::vector<double> Space::to_unit(const Code& code) const {
  require_size(code.size(), axes_.size());
  std::vector<double> unit(axes_.size(), 0.0);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Parameter& parameter = parameters_[axes_[a].parameters.front()];
    if (!axes_[a].levels) {
      unit[a] = real_to_unit(std::get<RealRange>(parameter.domain), code[a]);
    } else if (const SteppedRange* range = log_range(axes_[a], parameter)) {
      unit[a] = LogCells(*range).to_unit(code[a]);
    } else {
      unit[a] = (code[a] + (axes_[a].ordered ? 0.5 : 0.0)) / static_cast<double>(*axes_[a].levels);
    }
  }
  return unit;
}

}  // namespace paretune::space
