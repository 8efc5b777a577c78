// Will a configuration come up? Gaussian-process classification with a probit likelihood by Laplace's approximation.
// Source: Rasmussen & Williams 2006, Alg. 3.1 and 3.2; the predictive probability of Eq. 3.82 is exact for the probit.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "search/gp/kernel.hpp"

namespace paretune::search {

/// One thread. Covariance amp * (1/2 + 1/2 linear + mean_i q_i + mean_{i<j} q_i q_j + exp(-r^2 / 2 l^2)),
/// q_i = exp(-d_i^2 / 2 l^2): single parameters and pairs explain most launch rules (backend x format, tp * pp > gpus).
class Viability {
 public:
  /// @param axes  which columns of the rows count (all of them).
  explicit Viability(std::vector<KernelAxis> axes);

  /// @param X  n x d; @param up  n labels; @param mean  n prior means of the latent (probit units), e.g. from a memory check.
  void fit(const Rows& X, const std::vector<bool>& up, const Eigen::VectorXd& mean);
  /// Probabilities in (0, 1). @param mean  prior means at the rows.
  Eigen::VectorXd probability(const Rows& X, const Eigen::VectorXd& mean) const;
  bool fitted() const { return X_.rows() > 0; }

  /// Latent prior mean when nothing is known: p about 0.69, since users list what they believe to work.
  static constexpr double kPriorMean = 0.5;

 private:
  struct Shape {
    double amplitude = 1, length = 1;
  };
  Eigen::MatrixXd covariance(const Rows& a, const Rows& b, Shape shape) const;
  double self_covariance(const Rows& a, Eigen::Index row, Shape shape) const;
  /// @return Laplace evidence; fills the latent mode's quantities.
  double approximate(const Eigen::MatrixXd& K, const Eigen::VectorXd& y, const Eigen::VectorXd& mean,
                     Eigen::VectorXd& gradient, Eigen::VectorXd& sqrt_w, Eigen::MatrixXd& L) const;

  std::vector<KernelAxis> axes_;
  Rows X_;
  Shape shape_;
  Eigen::VectorXd gradient_, sqrt_w_;
  Eigen::MatrixXd L_;
};

}  // namespace paretune::search
