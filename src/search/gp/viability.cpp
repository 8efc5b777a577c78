#include "search/gp/viability.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "search/gp/normal.hpp"

namespace paretune::search {

Viability::Viability(std::vector<KernelAxis> axes) : axes_(std::move(axes)) {}

Eigen::MatrixXd Viability::covariance(const Rows& a, const Rows& b, Shape shape) const {
  Eigen::MatrixXd K(a.rows(), b.rows());
  const double scale = 0.5 / (shape.length * shape.length);
  const auto d = static_cast<double>(axes_.size());
  for (Eigen::Index q = 0; q < b.rows(); ++q) {
    for (Eigen::Index p = 0; p < a.rows(); ++p) {
      double linear = 0, sum = 0, squares = 0, r2 = 0;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        const double x = a(p, column), y = b(q, column);
        const double distance = axis_distance(axes_[i], x, y);
        const double similarity = std::exp(-distance * distance * scale);
        sum += similarity;
        squares += similarity * similarity;
        r2 += distance * distance;
        if (axes_[i].ordinal && !std::isnan(x) && !std::isnan(y)) linear += (2 * x - 1) * (2 * y - 1);
      }
      const double pairs = d > 1 ? (sum * sum - squares) / (d * (d - 1)) : 0;
      K(p, q) = shape.amplitude * (0.5 + 0.5 * linear + sum / d + pairs + std::exp(-r2 * scale));
    }
  }
  return K;
}

double Viability::self_covariance(const Rows& a, Eigen::Index row, Shape shape) const {
  double linear = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const double x = a(row, static_cast<Eigen::Index>(i));
    if (axes_[i].ordinal && !std::isnan(x)) linear += (2 * x - 1) * (2 * x - 1);
  }
  return shape.amplitude * (0.5 + 0.5 * linear + 1 + (axes_.size() > 1 ? 1 : 0) + 1);
}

double Viability::approximate(const Eigen::MatrixXd& K, const Eigen::VectorXd& y, const Eigen::VectorXd& mean,
                              Eigen::VectorXd& gradient, Eigen::VectorXd& sqrt_w, Eigen::MatrixXd& L) const {
  const Eigen::Index n = y.size();
  Eigen::VectorXd f = Eigen::VectorXd::Zero(n), a = Eigen::VectorXd::Zero(n);  // latent minus its prior mean
  double evidence = -std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 50; ++iteration) {
    Eigen::VectorXd w(n), log_p(n);
    gradient.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double z = y[i] * (f[i] + mean[i]);
      const double ratio = std::exp(log_normal_pdf(z) - log_normal_cdf(z));
      log_p[i] = log_normal_cdf(z);
      gradient[i] = y[i] * ratio;
      w[i] = std::max(1e-10, ratio * ratio + z * ratio);
    }
    sqrt_w = w.cwiseSqrt();
    Eigen::MatrixXd B = sqrt_w.asDiagonal() * K * sqrt_w.asDiagonal();
    B.diagonal().array() += 1;
    const Eigen::LLT<Eigen::MatrixXd> llt(B);
    L = llt.matrixL();
    const double now = -0.5 * a.dot(f) + log_p.sum() - L.diagonal().array().log().sum();
    if (std::abs(now - evidence) < 1e-8) return now;
    evidence = now;
    const Eigen::VectorXd b = w.cwiseProduct(f) + gradient;
    a = b - sqrt_w.cwiseProduct(llt.solve(sqrt_w.cwiseProduct(K * b)));
    f = K * a;
  }
  return evidence;
}

void Viability::fit(const Rows& X, const std::vector<bool>& up, const Eigen::VectorXd& mean) {
  X_ = X;
  Eigen::VectorXd y(X.rows());
  for (Eigen::Index i = 0; i < X.rows(); ++i) y[i] = up[static_cast<std::size_t>(i)] ? 1 : -1;
  double best = -std::numeric_limits<double>::infinity();
  for (const double amplitude : {1.0, 3.0}) {
    for (const double length : {0.5, 1.0}) {
      const Shape shape{amplitude, length};
      Eigen::VectorXd gradient, sqrt_w;
      Eigen::MatrixXd L;
      const double evidence = approximate(covariance(X_, X_, shape), y, mean, gradient, sqrt_w, L);
      if (!(evidence > best)) continue;
      best = evidence;
      shape_ = shape;
      gradient_ = std::move(gradient);
      sqrt_w_ = std::move(sqrt_w);
      L_ = std::move(L);
    }
  }
}

Eigen::VectorXd Viability::probability(const Rows& X, const Eigen::VectorXd& mean) const {
  Eigen::VectorXd probability(X.rows());
  Eigen::MatrixXd K;
  if (fitted()) K = covariance(X_, X, shape_);  // n x N
  Eigen::VectorXd latent = mean;
  Eigen::MatrixXd half;
  if (fitted()) {
    latent += K.transpose() * gradient_;
    half = L_.triangularView<Eigen::Lower>().solve(sqrt_w_.asDiagonal() * K);
  }
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    double variance = self_covariance(X, i, shape_);
    if (fitted()) variance = std::max(0.0, variance - half.col(i).squaredNorm());
    // Without data the prior mean alone speaks: its p is meant as it is, not diluted by the prior variance.
    probability[i] = normal_cdf(fitted() ? latent[i] / std::sqrt(1 + variance) : latent[i]);
  }
  return probability;
}

}  // namespace paretune::search
