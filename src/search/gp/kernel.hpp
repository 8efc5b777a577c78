// The covariance of a metric over (configuration, live setting): a sum of additive and product parts, so that what a
// parameter does alone is learned from few launches. One output; inputs are rows of kernel coordinates.
//
//   k = 1 + 4 w0 sum_ordinal (x - 1/2)(x' - 1/2) + w1 V + w2 A + w3 P + w4 P V + w5 A V
//
// m_i = Matern-5/2 of d_i / l_i per axis, V = product over live axes, P = product and A = mean over restart axes.
// Source: search recipe of the project (docs/algorithms.md); Matern: Rasmussen & Williams 2006, Eq. 4.17.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <vector>

namespace paretune::search {

struct KernelAxis {
  bool ordinal = true;  ///< distance |x - x'|; else 0 or 1
  bool live = false;
};

/// Coordinates in [0, 1] (ordinal) or a level index (unordered); NaN = inactive (distance 1 to every active value).
using Rows = Eigen::MatrixXd;

inline constexpr std::size_t kKernelWeights = 6;

struct KernelParameters {
  Eigen::VectorXd log_length;                   ///< one per axis
  std::array<double, kKernelWeights> log_weight{};
};

/// Pairwise pieces for rows of two sets; each n1 x n2.
struct KernelParts {
  Eigen::MatrixXd linear, restart_product, restart_mean, live_product;
};

class Kernel {
 public:
  explicit Kernel(std::vector<KernelAxis> axes);

  std::size_t axes() const { return axes_.size(); }
  const std::vector<KernelAxis>& shape() const { return axes_; }
  KernelParameters prior_mode() const;

  /// Restart pieces from restart coordinates only, live pieces from live coordinates only: a grid of launches and
  /// levels needs each once. Columns of other axes are ignored.
  void restart_parts(const Rows& a, const Rows& b, const KernelParameters& parameters, KernelParts& parts) const;
  void live_parts(const Rows& a, const Rows& b, const KernelParameters& parameters, KernelParts& parts) const;

  /// n1 x n2 covariance.
  Eigen::MatrixXd covariance(const Rows& a, const Rows& b, const KernelParameters& parameters) const;
  /// Variance at each row.
  Eigen::VectorXd variance(const Rows& a, const KernelParameters& parameters) const;

  /// 1/2 tr(W dK/dtheta) for every log length and log weight in turn. @param W  symmetric n x n.
  Eigen::VectorXd weighted_gradient(const Rows& a, const KernelParameters& parameters, const Eigen::MatrixXd& W) const;

  /// Which weights have a meaning for these axes (without live axes V = 1 would repeat other terms).
  const std::array<bool, kKernelWeights>& used() const { return used_; }

 private:
  std::vector<KernelAxis> axes_;
  std::size_t restart_ = 0, live_ = 0;
  std::array<bool, kKernelWeights> used_{};
};

/// Distance of two coordinates of one axis.
double axis_distance(const KernelAxis& axis, double a, double b);

}  // namespace paretune::search
