#include "pareto/limit_set.hpp"

#include <algorithm>

namespace paretune::pareto {

bool LimitSet::assign(const std::vector<double>& points, const double* corner) {
  const std::size_t count = points.size() / m_;
  cut_.resize(points.size());
  chosen_.resize(points.size());
  box_.resize(count);
  size_ = 0;
  // The length of the inner loops known at compile time makes the common cases three times as fast.
  const bool free = m_ == 4   ? assign_as<4>(points.data(), count, corner)
                    : m_ == 5 ? assign_as<5>(points.data(), count, corner)
                              : assign_as<0>(points.data(), count, corner);
  if (free) sort_by_last_cost();
  return free;
}

/// The row with the largest box is dominated by no other: choose it, drop what it dominates, repeat.
template <std::size_t M>
bool LimitSet::assign_as(const double* points, std::size_t count, const double* corner) {
  const std::size_t m = M == 0 ? m_ : M;
  double corner_box = 1;
  for (std::size_t j = 0; j < m; ++j) corner_box *= -corner[j];
  double largest_box = -1;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double box = 1;
    for (std::size_t j = 0; j < m; ++j) {
      const double cut = std::max(points[i * m + j], corner[j]);
      cut_[i * m + j] = cut;
      box *= -cut;
    }
    box_[i] = box;
    if (box > largest_box) {
      largest_box = box;
      largest = i;
    }
  }
  // The same product of the same factors: equal exactly if nothing was cut off the corner's box.
  if (count > 0 && largest_box >= corner_box) return false;
  while (count > 0) {
    std::copy_n(cut_.data() + largest * m, m, chosen_.data() + size_ * m);
    ++size_;
    const double* pivot = chosen_.data() + (size_ - 1) * m;
    std::size_t kept = 0;
    largest_box = -1;
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = cut_.data() + i * m;
      unsigned dominated = 1;
      for (std::size_t j = 0; j < m; ++j) dominated &= static_cast<unsigned>(row[j] >= pivot[j]);
      for (std::size_t j = 0; j < m; ++j) cut_[kept * m + j] = row[j];
      const double box = box_[i];
      box_[kept] = box;
      if (dominated == 0 && box > largest_box) {
        largest_box = box;
        largest = kept;
      }
      kept += 1 - dominated;
    }
    count = kept;
  }
  return true;
}

void LimitSet::sort_by_last_cost() {
  order_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) order_[i] = chosen_.data() + i * m_;
  std::sort(order_.begin(), order_.end(),
            [this](const double* a, const double* b) { return a[m_ - 1] < b[m_ - 1]; });
  sorted_.resize(size_ * m_);
  for (std::size_t i = 0; i < size_; ++i) std::copy_n(order_[i], m_, sorted_.data() + i * m_);
  chosen_.swap(sorted_);
}

}  // namespace paretune::pareto
