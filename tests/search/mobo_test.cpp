// The Gaussian process and the searcher built on it.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "paretune/search/searcher.hpp"
#include "search/gp/normal.hpp"
#include "search/gp/regression.hpp"
#include "search/gp/viability.hpp"
#include "support.hpp"

namespace paretune::search {
namespace {

Rows random_rows(core::Random& random, Eigen::Index n, Eigen::Index d) {
  Rows rows(n, d);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) rows(i, j) = random.uniform();
  }
  return rows;
}

const std::vector<KernelAxis> kAxes{{true, false}, {false, false}, {true, false}, {true, true}};

GpRegression small_gp(core::Random& random, Eigen::Index n) {
  GpRegression gp{Kernel(kAxes)};
  Rows X = random_rows(random, n, 4);
  X.col(1) = (X.col(1).array() * 3).floor().matrix();
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) y[i] = std::sin(3 * X(i, 0)) + 0.5 * X(i, 1) + X(i, 3) + 0.05 * random.normal();
  gp.set_data(X, y, {});
  return gp;
}

TEST(GpRegression, ItsGradientIsThatOfFiniteDifferences) {
  core::Random random(3);
  const GpRegression gp = small_gp(random, 15);
  GpParameters at = gp.parameters();
  for (Eigen::Index i = 0; i < 4; ++i) at.kernel.log_length[i] = random.uniform(-1, 1);
  Eigen::VectorXd gradient;
  gp.objective(at, &gradient);
  const double step = 1e-5;
  const auto difference = [&](double& parameter) {
    const double saved = parameter;
    parameter = saved + step;
    const double up = gp.objective(at, nullptr);
    parameter = saved - step;
    const double down = gp.objective(at, nullptr);
    parameter = saved;
    return (up - down) / (2 * step);
  };
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_NEAR(gradient[i], difference(at.kernel.log_length[i]), 1e-5);
  for (std::size_t j = 0; j < kKernelWeights; ++j) {
    EXPECT_NEAR(gradient[4 + static_cast<Eigen::Index>(j)], difference(at.kernel.log_weight[j]), 1e-5);
  }
  EXPECT_NEAR(gradient[gradient.size() - 1], difference(at.log_noise), 1e-5);
}

TEST(GpRegression, AGridOfLaunchesAndLevelsIsPredictedAsItsPoints) {
  core::Random random(5);
  GpRegression gp = small_gp(random, 20);
  gp.fit(false);
  const Rows launches = random_rows(random, 3, 4), levels = random_rows(random, 2, 4);
  const GridPosterior grid = gp.predict_grid(launches, levels);
  for (Eigen::Index c = 0; c < 3; ++c) {
    for (Eigen::Index l = 0; l < 2; ++l) {
      Rows point = launches.row(c);
      point(0, 3) = levels(l, 3);
      const Posterior posterior = gp.predict(point);
      EXPECT_NEAR(grid.mean(c, l), posterior.mean[0], 1e-9);
      EXPECT_NEAR(grid.variance(c, l), posterior.variance[0], 1e-9);
    }
  }
}

TEST(GpRegression, RepeatedRowsDoNotStopIt) {
  GpRegression gp{Kernel(kAxes)};
  gp.set_data(Rows::Constant(6, 4, 0.5), Eigen::VectorXd::Constant(6, 1.0), {});
  gp.fit(true);
  EXPECT_TRUE(std::isfinite(gp.predict(Rows::Constant(1, 4, 0.5)).mean[0]));
}

TEST(Viability, LearnsARuleOverTwoParameters) {
  const std::vector<KernelAxis> axes{{true, false}, {true, false}};
  Viability viability(axes);
  Rows X(25, 2);
  std::vector<bool> up;
  for (Eigen::Index i = 0; i < 25; ++i) {
    X(i, 0) = static_cast<double>(i / 5) / 4;
    X(i, 1) = static_cast<double>(i % 5) / 4;
    up.push_back(X(i, 0) + X(i, 1) <= 1);
  }
  viability.fit(X, up, Eigen::VectorXd::Constant(25, Viability::kPriorMean));
  Rows at(2, 2);
  at << 0.1, 0.1, 0.95, 0.95;
  const Eigen::VectorXd p = viability.probability(at, Eigen::VectorXd::Constant(2, Viability::kPriorMean));
  EXPECT_GT(p[0], 0.9);
  EXPECT_LT(p[1], 0.1);
}

TEST(Normal, ItsTableAndLogarithmAgreeWithTheFunction) {
  for (double z = -7; z <= 7; z += 0.01) EXPECT_NEAR(normal_table()(z), normal_cdf(z), 1e-6);
  EXPECT_NEAR(log_normal_cdf(-11.9), std::log(normal_cdf(-11.9)), 1e-9);
  EXPECT_NEAR(log_normal_cdf(-40), -804.608442, 1e-4);
}

TEST(Mobo, NeverRepeatsAPointNorAsksForAConfigurationThatFailed) {
  core::Random random(11);
  Problem problem;
  problem.space = testing::space_of("a: [1, 2, 4, 8]\nb: [x, y, z]\nc: {values: [1, 4, 16], live: true}");
  problem.objectives = {{"tps", Direction::Max}, {"lat", Direction::Min}};
  auto searcher = make_searcher("mobo", problem).value().release();
  const std::unique_ptr<Searcher> owned(searcher);
  std::set<space::Point> asked;
  std::set<space::Configuration> failed;
  for (int i = 0; i < 60; ++i) {
    const auto proposals = searcher->ask({});
    if (proposals.empty()) break;
    const space::Point& point = proposals.front().point;
    EXPECT_TRUE(asked.insert(point).second);
    EXPECT_FALSE(failed.contains(point.configuration));
    Observation observation;
    observation.id = proposals.front().id;
    observation.point = point;
    if (random.chance(0.2)) {
      observation.failure = FailureScope::Launch;
      failed.insert(point.configuration);
    } else {
      const double a = space::as_number(point.configuration.at("a")), c = space::as_number(point.live.at("c"));
      observation.cost = {-a * c / (1 + 0.1 * c), 1 + c / a};
    }
    searcher->tell({&observation, 1});
  }
  EXPECT_TRUE(searcher->ask({}).empty());
}

}  // namespace
}  // namespace paretune::search
