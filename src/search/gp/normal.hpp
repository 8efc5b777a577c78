// The standard normal distribution: exact functions and a table for inner loops.
#pragma once

#include <array>
#include <cmath>

namespace paretune::search {

inline double normal_cdf(double z) { return 0.5 * std::erfc(-z * 0.70710678118654752440); }

inline double log_normal_pdf(double z) { return -0.5 * z * z - 0.91893853320467274178; }

/// log of the lower tail without underflow: asymptotic series of Mills' ratio below -12.
inline double log_normal_cdf(double z) {
  if (z > -12) return std::log(normal_cdf(z));
  const double s = 1 / (z * z);
  return log_normal_pdf(z) - std::log(-z) + std::log1p(-s * (1 - 3 * s * (1 - 5 * s)));
}

/// Phi by linear interpolation in [-6, 6], 0 or 1 beyond; absolute error below 4e-7.
class NormalTable {
 public:
  NormalTable() {
    for (int i = 0; i <= kSteps; ++i) values_[static_cast<std::size_t>(i)] = normal_cdf(-6 + 12.0 * i / kSteps);
    values_.back() = 1;
  }
  double operator()(double z) const {
    const double at = (z + 6) * (kSteps / 12.0);
    if (!(at > 0)) return 0;
    if (at >= kSteps) return 1;
    const auto index = static_cast<std::size_t>(at);
    const double low = values_[index];
    return low + (at - static_cast<double>(index)) * (values_[index + 1] - low);
  }

 private:
  static constexpr int kSteps = 4096;
  std::array<double, kSteps + 2> values_{};
};

const NormalTable& normal_table();

/// Quantile of the standard normal, p in (0, 1).
double normal_quantile(double p);

}  // namespace paretune::search
