// The surrogates of a study: one GP per objective and per limit that is no objective, in transformed and standardised
// coordinates, with the transform that leads there and back.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "search/gp/regression.hpp"
#include "search/mobo/acquisition.hpp"

namespace paretune::search {

/// t = scale^-1 (g(cost) - centre), g = +-log of the metric where all values are positive, else the identity. Lower is better.
struct OutputTransform {
  bool logarithm = false;
  double sign = 1;  ///< of the cost: -1 where the metric is maximised
  double centre = 0, scale = 1;

  double to(double cost) const;
  /// Standard deviation of `cost` near `cost`, in transformed units.
  double sd_to(double cost, double sd) const;
};

/// @param costs  sign-turned values of one objective. @param maximised  the metric itself is -cost.
OutputTransform choose_transform(const std::vector<double>& costs, bool maximised);

/// sign(c) log(1 + |c|): keeps the zero of a limit, tames its tails. Source: Eriksson & Poloczek, SCBO, 2021.
double bilog(double slack);

/// One thread.
class OutputModel {
 public:
  explicit OutputModel(const Kernel& kernel) : gp_(kernel) {}
  OutputTransform transform;

  /// @param values  transformed. @param variance  known noise variance in transformed units.
  void update(const Rows& X, const Eigen::VectorXd& values, const Eigen::VectorXd& variance, bool refit, bool restart);
  const GpRegression& gp() const { return gp_; }

 private:
  GpRegression gp_;
};

}  // namespace paretune::search
