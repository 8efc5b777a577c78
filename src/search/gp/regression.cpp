#include "search/gp/regression.hpp"

#include <nlopt.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace paretune::search {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Priors and bounds (search recipe, steps 3 and 4). A length bound below about 10 would keep false variance on inert
// parameters, and their twins would be measured again.
constexpr double kLengthMu = 1.4142135623730951, kLengthSigma = 1.7320508075688772;
constexpr double kLengthLow = 0.05, kLengthHigh = 50;
constexpr std::array<double, kKernelWeights> kWeightMedian{0.5, 0.5, 0.4, 0.1, 0.05, 0.05};
constexpr double kWeightLow = 0.01, kWeightHigh = 20;
constexpr double kNoiseMu = -6, kNoiseSigma = 1.5;
constexpr double kNoiseLow = 1e-5, kNoiseHigh = 0.3;
constexpr double kJitter = 1e-8;

/// -log density of LogNormal(mu, sigma) at exp(u), as a density in exp(u); adds its slope in u.
double log_normal(double u, double mu, double sigma, double& slope) {
  const double z = (u - mu) / sigma;
  slope += 1 + z / sigma;
  return u + 0.5 * z * z;
}

/// The same as a density in u itself.
double normal(double u, double mu, double sigma, double& slope) {
  const double z = (u - mu) / sigma;
  slope += z / sigma;
  return 0.5 * z * z;
}

Eigen::VectorXd pack(const GpParameters& parameters) {
  const Eigen::Index d = parameters.kernel.log_length.size();
  Eigen::VectorXd packed(d + static_cast<Eigen::Index>(kKernelWeights) + 1);
  packed.head(d) = parameters.kernel.log_length;
  for (std::size_t j = 0; j < kKernelWeights; ++j) packed[d + static_cast<Eigen::Index>(j)] = parameters.kernel.log_weight[j];
  packed[packed.size() - 1] = parameters.log_noise;
  return packed;
}

GpParameters unpack(const double* packed, Eigen::Index d) {
  GpParameters parameters;
  parameters.kernel.log_length = Eigen::Map<const Eigen::VectorXd>(packed, d);
  for (std::size_t j = 0; j < kKernelWeights; ++j) parameters.kernel.log_weight[j] = packed[static_cast<std::size_t>(d) + j];
  parameters.log_noise = packed[static_cast<std::size_t>(d) + kKernelWeights];
  return parameters;
}

double nlopt_objective(unsigned size, const double* x, double* gradient, void* data) {
  const auto& gp = *static_cast<const GpRegression*>(data);
  const auto d = static_cast<Eigen::Index>(gp.kernel().axes());
  Eigen::VectorXd slope;
  const double value = gp.objective(unpack(x, d), gradient != nullptr ? &slope : nullptr);
  if (gradient != nullptr) std::copy_n(slope.data(), size, gradient);
  return std::isfinite(value) ? value : 1e10;
}

void set_bounds(nlopt_opt optimiser, std::size_t d) {
  std::vector<double> low(d + kKernelWeights + 1), high(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    const bool length = i < d, noise = i + 1 == low.size();
    low[i] = std::log(length ? kLengthLow : noise ? kNoiseLow : kWeightLow);
    high[i] = std::log(length ? kLengthHigh : noise ? kNoiseHigh : kWeightHigh);
  }
  nlopt_set_lower_bounds(optimiser, low.data());
  nlopt_set_upper_bounds(optimiser, high.data());
}

}  // namespace

GpRegression::GpRegression(Kernel kernel) : kernel_(std::move(kernel)) { parameters_.kernel = kernel_.prior_mode(); }

void GpRegression::set_data(Rows X, Eigen::VectorXd y, Eigen::VectorXd known_noise) {
  X_ = std::move(X);
  y_ = std::move(y);
  known_noise_ = known_noise.size() == y_.size() ? std::move(known_noise) : Eigen::VectorXd::Zero(y_.size());
  factorise();
}

void GpRegression::set_parameters(GpParameters parameters) {
  parameters_ = std::move(parameters);
  if (y_.size() > 0) factorise();
}

/// Raises the jitter until the factor exists: repeated or nearly equal rows must never stop a study.
void GpRegression::factorise() {
  Eigen::MatrixXd K = kernel_.covariance(X_, X_, parameters_.kernel);
  K.diagonal() += known_noise_;
  K.diagonal().array() += std::exp(parameters_.log_noise) + kJitter;
  double jitter = 1e-8 * K.diagonal().mean();
  Eigen::LLT<Eigen::MatrixXd> llt(K);
  while (llt.info() != Eigen::Success && jitter < 1.0) {
    K.diagonal().array() += jitter;
    jitter *= 10;
    llt.compute(K);
  }
  L_ = llt.matrixL();
  alpha_ = llt.solve(y_);
}

double GpRegression::log_marginal_likelihood() const {
  return -0.5 * y_.dot(alpha_) - L_.diagonal().array().log().sum() -
         0.5 * static_cast<double>(y_.size()) * std::log(2 * kPi);
}

double GpRegression::objective(const GpParameters& parameters, Eigen::VectorXd* gradient) const {
  const Eigen::Index n = y_.size(), d = static_cast<Eigen::Index>(kernel_.axes());
  if (gradient != nullptr) *gradient = Eigen::VectorXd::Zero(d + static_cast<Eigen::Index>(kKernelWeights) + 1);
  Eigen::MatrixXd K = kernel_.covariance(X_, X_, parameters.kernel);
  const double noise = std::exp(parameters.log_noise);
  K.diagonal() += known_noise_;
  K.diagonal().array() += noise + kJitter;
  const Eigen::LLT<Eigen::MatrixXd> llt(K);
  if (llt.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd alpha = llt.solve(y_);
  const Eigen::MatrixXd L = llt.matrixL();
  double value = 0.5 * y_.dot(alpha) + L.diagonal().array().log().sum();

  Eigen::VectorXd slope = Eigen::VectorXd::Zero(d + static_cast<Eigen::Index>(kKernelWeights) + 1);
  for (Eigen::Index i = 0; i < d; ++i) value += log_normal(parameters.kernel.log_length[i], kLengthMu, kLengthSigma, slope[i]);
  for (std::size_t j = 0; j < kKernelWeights; ++j) {
    value += normal(parameters.kernel.log_weight[j], std::log(kWeightMedian[j]), 1.0, slope[d + static_cast<Eigen::Index>(j)]);
  }
  value += log_normal(parameters.log_noise, kNoiseMu, kNoiseSigma, slope[slope.size() - 1]);
  if (gradient == nullptr) return value;

  Eigen::MatrixXd W = llt.solve(Eigen::MatrixXd::Identity(n, n));
  W.noalias() -= alpha * alpha.transpose();
  slope.head(slope.size() - 1) += kernel_.weighted_gradient(X_, parameters.kernel, W);
  slope[slope.size() - 1] += 0.5 * noise * W.trace();
  *gradient = std::move(slope);
  return value;
}

void GpRegression::fit(bool restart, int iterations) {
  if (y_.size() < 2) return;
  GpParameters start = parameters_;
  if (restart) start = {kernel_.prior_mode(), -6};
  Eigen::VectorXd x = pack(start);
  nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(x.size()));
  set_bounds(optimiser, kernel_.axes());
  nlopt_set_min_objective(optimiser, nlopt_objective, this);
  nlopt_set_maxeval(optimiser, iterations);
  nlopt_set_ftol_rel(optimiser, 1e-5);
  double best = 0;
  const double before = objective(start, nullptr);
  nlopt_optimize(optimiser, x.data(), &best);
  nlopt_destroy(optimiser);
  const GpParameters found = unpack(x.data(), static_cast<Eigen::Index>(kernel_.axes()));
  const double after = objective(found, nullptr);
  // Line searches may end above their start, or on a point that cannot be factorised.
  parameters_ = std::isfinite(after) && after <= before ? found : start;
  factorise();
}

Posterior GpRegression::predict(const Rows& X) const {
  Posterior posterior;
  posterior.variance = kernel_.variance(X, parameters_.kernel);
  if (y_.size() == 0) {
    posterior.mean = Eigen::VectorXd::Zero(X.rows());
    return posterior;
  }
  const Eigen::MatrixXd K = kernel_.covariance(X_, X, parameters_.kernel);  // n x N
  posterior.mean = K.transpose() * alpha_;
  const Eigen::MatrixXd half = L_.triangularView<Eigen::Lower>().solve(K);
  posterior.variance = (posterior.variance - half.colwise().squaredNorm().transpose()).cwiseMax(1e-12);
  return posterior;
}

GridPosterior GpRegression::predict_grid(const Rows& launches, const Rows& levels) const {
  const Eigen::Index C = launches.rows(), Lv = levels.rows(), n = y_.size();
  GridPosterior grid{Eigen::MatrixXd::Zero(C, Lv), Eigen::MatrixXd(C, Lv)};
  KernelParts of_launch, of_level;
  kernel_.restart_parts(X_, launches, parameters_.kernel, of_launch);  // n x C
  kernel_.live_parts(X_, levels, parameters_.kernel, of_level);        // n x L
  std::array<double, kKernelWeights> w{};
  for (std::size_t j = 0; j < kKernelWeights; ++j) w[j] = kernel_.used()[j] ? std::exp(parameters_.kernel.log_weight[j]) : 0;

  const Eigen::MatrixXd base =
      (1.0 + w[0] * of_launch.linear.array() + w[2] * of_launch.restart_mean.array() + w[3] * of_launch.restart_product.array())
          .matrix();
  const Eigen::MatrixXd joint = w[4] * of_launch.restart_product + w[5] * of_launch.restart_mean;
  Rows point(C, launches.cols());
  for (Eigen::Index l = 0; l < Lv; ++l) {
    const Eigen::VectorXd V = of_level.live_product.col(l);
    const Eigen::VectorXd level = w[0] * of_level.linear.col(l) + w[1] * V;
    Eigen::MatrixXd K = V.asDiagonal() * joint;  // n x C
    K += base;
    K.colwise() += level;
    if (n > 0) {
      grid.mean.col(l) = K.transpose() * alpha_;
      L_.triangularView<Eigen::Lower>().solveInPlace(K);
    }
    point = launches;
    for (std::size_t i = 0; i < kernel_.axes(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      if (kernel_.shape()[i].live) point.col(column).setConstant(levels(l, column));
    }
    grid.variance.col(l) = kernel_.variance(point, parameters_.kernel);
    if (n > 0) grid.variance.col(l) -= K.colwise().squaredNorm().transpose();
  }
  grid.variance = grid.variance.cwiseMax(1e-12);
  return grid;
}

Eigen::MatrixXd GpRegression::covariance(const Rows& X) const {
  Eigen::MatrixXd prior = kernel_.covariance(X, X, parameters_.kernel);
  if (y_.size() == 0) return prior;
  const Eigen::MatrixXd half =
      L_.triangularView<Eigen::Lower>().solve(kernel_.covariance(X_, X, parameters_.kernel));
  return prior - half.transpose() * half;
}

}  // namespace paretune::search
