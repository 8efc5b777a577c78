#include "search/gp/kernel.hpp"

#include <cmath>

namespace paretune::search {
namespace {

const double kSqrt5 = std::sqrt(5.0);

double matern52(double r) { return (1 + kSqrt5 * r + 5.0 / 3.0 * r * r) * std::exp(-kSqrt5 * r); }

/// d matern52(d / l) / d log l
double matern52_log_length(double r) { return 5.0 / 3.0 * r * r * (1 + kSqrt5 * r) * std::exp(-kSqrt5 * r); }

/// Offset from the middle of an ordinal axis; inactive or unordered coordinates have none.
double centred(const KernelAxis& axis, double x) { return axis.ordinal && !std::isnan(x) ? x - 0.5 : 0.0; }

/// The weight of each piece combination, as plain numbers.
std::array<double, kKernelWeights> weights_of(const KernelParameters& parameters,
                                              const std::array<bool, kKernelWeights>& used) {
  std::array<double, kKernelWeights> weights{};
  for (std::size_t j = 0; j < kKernelWeights; ++j) weights[j] = used[j] ? std::exp(parameters.log_weight[j]) : 0.0;
  return weights;
}

}  // namespace

double axis_distance(const KernelAxis& axis, double a, double b) {
  const bool a_inactive = std::isnan(a), b_inactive = std::isnan(b);
  if (a_inactive || b_inactive) return a_inactive == b_inactive ? 0.0 : 1.0;
  if (axis.ordinal) return std::abs(a - b);
  return a == b ? 0.0 : 1.0;
}

Kernel::Kernel(std::vector<KernelAxis> axes) : axes_(std::move(axes)) {
  bool any_ordinal = false;
  for (const KernelAxis& axis : axes_) {
    (axis.live ? live_ : restart_) += 1;
    any_ordinal = any_ordinal || axis.ordinal;
  }
  const bool r = restart_ > 0, l = live_ > 0;
  used_ = {any_ordinal, l, r, r && restart_ > 1, r && l, r && l && restart_ > 1};
}

KernelParameters Kernel::prior_mode() const {
  KernelParameters parameters;
  // Mode of LogNormal(sqrt 2, sqrt 3) as a density in l lies at exp(mu - sigma^2) < 1; start at a moderate length.
  parameters.log_length = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(axes_.size()), std::log(0.7));
  parameters.log_weight = {std::log(0.5), std::log(0.5), std::log(0.4), std::log(0.1), std::log(0.05), std::log(0.05)};
  return parameters;
}

void Kernel::restart_parts(const Rows& a, const Rows& b, const KernelParameters& parameters,
                           KernelParts& parts) const {
  const Eigen::Index n = a.rows(), m = b.rows();
  parts.restart_product = Eigen::MatrixXd::Ones(n, m);
  parts.restart_mean = Eigen::MatrixXd::Zero(n, m);
  if (parts.linear.rows() != n || parts.linear.cols() != m) parts.linear = Eigen::MatrixXd::Zero(n, m);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].live) continue;
    const auto column = static_cast<Eigen::Index>(i);
    const double inverse = std::exp(-parameters.log_length[column]);
    for (Eigen::Index q = 0; q < m; ++q) {
      const double bq = b(q, column), bc = 4 * centred(axes_[i], bq);
      for (Eigen::Index p = 0; p < n; ++p) {
        const double value = matern52(axis_distance(axes_[i], a(p, column), bq) * inverse);
        parts.restart_product(p, q) *= value;
        parts.restart_mean(p, q) += value;
        parts.linear(p, q) += centred(axes_[i], a(p, column)) * bc;
      }
    }
  }
  if (restart_ > 0) parts.restart_mean /= static_cast<double>(restart_);
}

void Kernel::live_parts(const Rows& a, const Rows& b, const KernelParameters& parameters, KernelParts& parts) const {
  const Eigen::Index n = a.rows(), m = b.rows();
  parts.live_product = Eigen::MatrixXd::Ones(n, m);
  if (parts.linear.rows() != n || parts.linear.cols() != m) parts.linear = Eigen::MatrixXd::Zero(n, m);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!axes_[i].live) continue;
    const auto column = static_cast<Eigen::Index>(i);
    const double inverse = std::exp(-parameters.log_length[column]);
    for (Eigen::Index q = 0; q < m; ++q) {
      const double bq = b(q, column), bc = 4 * centred(axes_[i], bq);
      for (Eigen::Index p = 0; p < n; ++p) {
        parts.live_product(p, q) *= matern52(axis_distance(axes_[i], a(p, column), bq) * inverse);
        parts.linear(p, q) += centred(axes_[i], a(p, column)) * bc;
      }
    }
  }
}

Eigen::MatrixXd Kernel::covariance(const Rows& a, const Rows& b, const KernelParameters& parameters) const {
  KernelParts parts;
  restart_parts(a, b, parameters, parts);
  live_parts(a, b, parameters, parts);
  const auto w = weights_of(parameters, used_);
  const auto V = parts.live_product.array(), P = parts.restart_product.array(), A = parts.restart_mean.array();
  return (1.0 + w[0] * parts.linear.array() + w[1] * V + w[2] * A + w[3] * P + (w[4] * P + w[5] * A) * V).matrix();
}

Eigen::VectorXd Kernel::variance(const Rows& a, const KernelParameters& parameters) const {
  const auto w = weights_of(parameters, used_);
  Eigen::VectorXd result(a.rows());
  for (Eigen::Index p = 0; p < a.rows(); ++p) {
    double linear = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const double c = centred(axes_[i], a(p, static_cast<Eigen::Index>(i)));
      linear += 4 * c * c;
    }
    result[p] = 1 + w[0] * linear + w[1] + w[2] + w[3] + w[4] + w[5];
  }
  return result;
}

Eigen::VectorXd Kernel::weighted_gradient(const Rows& a, const KernelParameters& parameters,
                                          const Eigen::MatrixXd& W) const {
  const auto d = static_cast<Eigen::Index>(axes_.size());
  KernelParts parts;
  restart_parts(a, a, parameters, parts);
  live_parts(a, a, parameters, parts);
  const auto w = weights_of(parameters, used_);
  const Eigen::ArrayXXd V = parts.live_product.array(), P = parts.restart_product.array(), A = parts.restart_mean.array();
  const Eigen::ArrayXXd half = 0.5 * W.array();
  const Eigen::ArrayXXd of_product = half * (w[3] + w[4] * V);  // dk/dP
  const Eigen::ArrayXXd of_mean = half * (w[2] + w[5] * V);     // dk/dA
  const Eigen::ArrayXXd of_live = half * (w[1] + w[4] * P + w[5] * A);

  Eigen::VectorXd gradient(d + static_cast<Eigen::Index>(kKernelWeights));
  for (Eigen::Index i = 0; i < d; ++i) {
    const KernelAxis& axis = axes_[static_cast<std::size_t>(i)];
    const double inverse = std::exp(-parameters.log_length[i]);
    double sum = 0;
    for (Eigen::Index q = 0; q < a.rows(); ++q) {
      for (Eigen::Index p = 0; p < a.rows(); ++p) {
        const double r = axis_distance(axis, a(p, i), a(q, i)) * inverse;
        if (r == 0) continue;
        const double slope = matern52_log_length(r);
        const double relative = slope / matern52(r);
        if (axis.live) {
          sum += of_live(p, q) * V(p, q) * relative;
        } else {
          sum += of_product(p, q) * P(p, q) * relative + of_mean(p, q) * slope / static_cast<double>(restart_);
        }
      }
    }
    gradient[i] = sum;
  }
  gradient[d + 0] = w[0] * (half * parts.linear.array()).sum();
  gradient[d + 1] = w[1] * (half * V).sum();
  gradient[d + 2] = w[2] * (half * A).sum();
  gradient[d + 3] = w[3] * (half * P).sum();
  gradient[d + 4] = w[4] * (half * P * V).sum();
  gradient[d + 5] = w[5] * (half * A * V).sum();
  return gradient;
}

}  // namespace paretune::search
