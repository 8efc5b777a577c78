// Gaussian-process regression of one standardised output: MAP fit, posterior on rows or on a grid of launches x levels.
// Source: Rasmussen & Williams 2006, Alg. 2.1 and Eq. 5.9; priors after Hvarfner et al., ICML 2024.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "search/gp/kernel.hpp"

namespace paretune::search {

struct GpParameters {
  KernelParameters kernel;
  double log_noise = -6;  ///< log variance of the noise common to all points (standardised output)
};

struct Posterior {
  Eigen::VectorXd mean, variance;  ///< of the noise-free function; variance >= 0
};

/// Posterior at every (launch, level): C x L.
struct GridPosterior {
  Eigen::MatrixXd mean, variance;
};

/// One thread. Values are standardised by the caller (mean 0, sd about 1).
class GpRegression {
 public:
  explicit GpRegression(Kernel kernel);

  /// @param X  n x d; @param y  n values; @param known_noise  n variances on top of the common noise (empty = none).
  void set_data(Rows X, Eigen::VectorXd y, Eigen::VectorXd known_noise);
  /// MAP from the present parameters, or from the prior's mode if `restart`. Keeps the old ones if the optimiser fails.
  void fit(bool restart, int iterations = 25);

  /// Negative log posterior density of the parameters (up to a constant) and its gradient in
  /// (log lengths, log weights, log noise). Infinite where the covariance cannot be factorised.
  double objective(const GpParameters& parameters, Eigen::VectorXd* gradient) const;
  double log_marginal_likelihood() const;

  Posterior predict(const Rows& X) const;
  /// @param launches  C x d with live columns ignored; @param levels  L x d with restart columns ignored.
  GridPosterior predict_grid(const Rows& launches, const Rows& levels) const;
  /// Joint covariance of the function at rows of X (small sets).
  Eigen::MatrixXd covariance(const Rows& X) const;

  const GpParameters& parameters() const { return parameters_; }
  void set_parameters(GpParameters parameters);
  const Kernel& kernel() const { return kernel_; }
  Eigen::Index size() const { return y_.size(); }

 private:
  void factorise();

  Kernel kernel_;
  GpParameters parameters_;
  Rows X_;
  Eigen::VectorXd y_, known_noise_;
  Eigen::MatrixXd L_;      ///< lower Cholesky factor of K + noise
  Eigen::VectorXd alpha_;  ///< (K + noise)^-1 y
};

}  // namespace paretune::search
