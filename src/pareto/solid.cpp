#include "pareto/solid.hpp"

#include <algorithm>

namespace paretune::pareto {

void Solid::clear() {
  x_.clear();
  y_.clear();
  z_.clear();
}

/// The section at height z: the box [x, 0] x [y, 0] less what the members 0 … below-1 (all under z) cover of
/// it.
void Solid::start_section(double x, double y, std::size_t below) {
  double x_end = 0;
  double y_end = 0;
  for (std::size_t i = 0; i < below; ++i) {
    x_end = std::min(x_end, y_[i] <= y ? x_[i] : 0.0);
    y_end = std::min(y_end, x_[i] <= x ? y_[i] : 0.0);
  }
  section_.clear();
  area_ = 0;
  if (x_end <= x || y_end <= y) return;  // dominated
  inner_.clear();
  for (std::size_t i = 0; i < below; ++i) {
    if (x_[i] < x_end && y_[i] < y_end && x_[i] > x && y_[i] > y) inner_.push_back({x_[i], y_[i]});
  }
  std::sort(inner_.begin(), inner_.end(), [](const Step& a, const Step& b) { return a.x < b.x; });
  section_.push_back({x, y_end});
  for (const Step& step : inner_) {
    Step& last = section_.back();
    if (step.y >= last.y) continue;
    area_ += (step.x - last.x) * (last.y - y);
    if (step.x == last.x) {
      last.y = step.y;
    } else {
      section_.push_back(step);
    }
  }
  area_ += (x_end - section_.back().x) * (section_.back().y - y);
  section_.push_back({x_end, y});
}

/// Takes the quadrant right of x and above y out of the section.
void Solid::cut_section(double x, double y) {
  std::size_t left = 0;
  while (left + 1 < section_.size() && section_[left + 1].x <= x) ++left;
  if (section_[left].y <= y) return;
  double from = x;
  double height = section_[left].y;
  std::size_t right = left + 1;
  for (; right < section_.size() && section_[right].y >= y; ++right) {
    area_ -= (section_[right].x - from) * (height - y);
    from = section_[right].x;
    height = section_[right].y;
  }
  if (right < section_.size()) area_ -= (section_[right].x - from) * (height - y);

  const std::size_t begin = section_[left].x == x ? left : left + 1;
  const auto at = section_.begin() + static_cast<std::ptrdiff_t>(begin);
  if (begin == right) {
    section_.insert(at, {x, y});
  } else {
    *at = {x, y};
    section_.erase(at + 1, section_.begin() + static_cast<std::ptrdiff_t>(right));
  }
}

double Solid::add(double x, double y, double z) {
  const std::size_t below = static_cast<std::size_t>(std::lower_bound(z_.begin(), z_.end(), z) - z_.begin());
  start_section(x, y, below);
  if (section_.empty()) return 0;

  double volume = 0;
  double height = z;
  std::size_t kept = below;  // members covered by the new point are squeezed out on the way
  std::size_t i = below;
  for (; i < z_.size(); ++i) {
    const bool covered = x_[i] >= x && y_[i] >= y;
    if (x_[i] < section_.back().x && y_[i] < section_.front().y) {
      volume += area_ * (z_[i] - height);
      height = z_[i];
      if (x_[i] <= x && y_[i] <= y) break;  // from here up this member covers the whole section
      cut_section(std::max(x_[i], x), std::max(y_[i], y));
    }
    if (covered) continue;
    x_[kept] = x_[i];
    y_[kept] = y_[i];
    z_[kept] = z_[i];
    ++kept;
  }
  if (i == z_.size()) {
    volume += area_ * (0.0 - height);
  } else if (height == z && volume == 0) {
    return 0;  // a member of equal z covers it; nothing was squeezed out, since nothing can lie under both
  }
  const bool same_section = i < z_.size() && x_[i] == x && y_[i] == y;
  insert(x, y, z, kept, same_section ? i + 1 : i);
  return std::max(0.0, volume);
}

/// Puts the new member before the members of larger z: those squeezed out left room between `kept` and
/// `rest`.
void Solid::insert(double x, double y, double z, std::size_t kept, std::size_t rest) {
  const std::size_t below = static_cast<std::size_t>(
      std::lower_bound(z_.begin(), z_.begin() + static_cast<std::ptrdiff_t>(kept), z) - z_.begin());
  const auto place = [&](std::vector<double>& values, double value) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto tail = values.begin() + static_cast<std::ptrdiff_t>(rest);
    if (kept < rest) {
      std::move_backward(at, end, end + 1);
      *at = value;
      values.erase(end + 1, tail);
    } else {
      values.insert(at, value);
    }
  };
  place(x_, x);
  place(y_, y);
  place(z_, z);
}

}  // namespace paretune::pareto
