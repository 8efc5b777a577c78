#include "search/mobo/models.hpp"

#include <algorithm>
#include <cmath>

namespace paretune::search {
namespace {

constexpr double kLeastScale = 0.05;  // of log units: figures that hardly differ must not be blown up into a landscape

}  // namespace

double OutputTransform::to(double cost) const {
  const double value = logarithm ? sign * std::log(std::max(sign * cost, 1e-300)) : cost;
  return (value - centre) / scale;
}

double OutputTransform::sd_to(double cost, double sd) const {
  return (logarithm ? sd / std::max(std::abs(cost), 1e-300) : sd) / scale;
}

OutputTransform choose_transform(const std::vector<double>& costs, bool maximised) {
  OutputTransform transform;
  transform.sign = maximised ? -1 : 1;
  transform.logarithm =
      std::all_of(costs.begin(), costs.end(), [&](double cost) { return transform.sign * cost > 0; });
  double sum = 0, squares = 0;
  for (const double cost : costs) sum += transform.to(cost);
  const double n = static_cast<double>(costs.size());
  const double mean = n > 0 ? sum / n : 0;
  for (const double cost : costs) squares += (transform.to(cost) - mean) * (transform.to(cost) - mean);
  const double sd = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  transform.centre = mean;
  const double least = transform.logarithm ? kLeastScale : 1e-9 * std::max(1.0, std::abs(mean));
  transform.scale = n > 1 ? std::max(sd, least) : 1.0;
  return transform;
}

double bilog(double slack) { return std::copysign(std::log1p(std::abs(slack)), slack); }

void OutputModel::update(const Rows& X, const Eigen::VectorXd& values, const Eigen::VectorXd& variance, bool refit,
                         bool restart) {
  gp_.set_data(X, values, variance);
  if (refit) gp_.fit(restart);
}

}  // namespace paretune::search
