// The model half of the searcher: fitting, prediction, reference point, choice by improvement per cost.
#include <spdlog/fmt/fmt.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "paretune/pareto/cost_matrix.hpp"
#include "paretune/pareto/fronts.hpp"
#include "search/gp/normal.hpp"
#include "search/mobo/mobo_searcher.hpp"
#include "search/mobo/view.hpp"

namespace paretune::search {
namespace {

constexpr std::size_t kTargets = 8192, kStayTargets = 1024, kQuickTargets = 128, kCurveTargets = 512;
constexpr std::size_t kShortList = 32, kCurveSamples = 64;
constexpr std::size_t kRefitPoints = 3, kRestartEvery = 6;
constexpr double kReferenceMargin = 0.1, kLeastRange = 0.3;
constexpr double kLowReach = 0.7;  // how far below the best value seen targets may lie, in ranges

Rows restart_columns(const Rows& rows, const std::vector<KernelAxis>& axes) {
  std::vector<Eigen::Index> columns;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].live) columns.push_back(static_cast<Eigen::Index>(i));
  }
  Rows result(rows.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) result.col(static_cast<Eigen::Index>(i)) = rows.col(columns[i]);
  return result;
}

/// A square root of a covariance that survives rounding: eigenvalues below zero are clipped.
Eigen::MatrixXd square_root(Eigen::MatrixXd covariance) {
  covariance.diagonal().array() += 1e-6;
  const Eigen::LLT<Eigen::MatrixXd> llt(covariance);
  if (llt.info() == Eigen::Success) return llt.matrixL();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

}  // namespace

void MoboSearcher::fit_viability() {
  const std::size_t n = launch_up_.size();
  if (n == 0) return;
  std::vector<space::Code> codes;
  std::vector<bool> up;
  for (const auto& [code, state] : launch_up_) {
    codes.push_back(code);
    up.push_back(state);
  }
  if (std::find(up.begin(), up.end(), false) == up.end()) return;  // nothing has failed: nothing to learn from
  const Eigen::VectorXd mean = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(n), Viability::kPriorMean);
  launch_viability_.fit(restart_columns(coordinates_.rows(codes), coordinates_.axes()), up, mean);
}

MoboSearcher::View MoboSearcher::make_view() {
  View view;
  if (!whole_) {
    auto good = good_launches();
    if (running_) good.push_back(*running_);
    view.own_pool = sampled_pool(problem_, good, 2000, random_);
  }
  view.pool = whole_ ? &*whole_ : &view.own_pool;
  const auto C = static_cast<Eigen::Index>(view.pool->launches.size());
  const auto L = static_cast<Eigen::Index>(view.pool->levels.size());
  view.weight = Eigen::MatrixXd::Zero(C, L);
  for (Eigen::Index c = 0; c < C; ++c) {
    for (Eigen::Index l = 0; l < L; ++l) {
      if (is_open(*view.pool, static_cast<std::size_t>(c), static_cast<std::size_t>(l))) view.weight(c, l) = 1;
    }
    if (view.weight.row(c).sum() > 0) view.open_launches.push_back(static_cast<std::size_t>(c));
  }
  view.launch_rows = coordinates_.rows(view.pool->launches);
  view.level_rows = coordinates_.rows(view.pool->levels);
  fit_viability();
  view.viable = launch_viability_.probability(restart_columns(view.launch_rows, coordinates_.axes()),
                                              Eigen::VectorXd::Constant(C, Viability::kPriorMean));
  for (Eigen::Index c = 0; c < C; ++c) {
    const auto known = launch_up_.find(view.pool->launches[static_cast<std::size_t>(c)]);
    if (known != launch_up_.end()) view.viable[c] = known->second ? 1.0 : 0.0;
  }
  return view;
}

void MoboSearcher::refit_models() {
  std::vector<const Record*> records;
  std::vector<space::Code> codes;
  std::vector<space::Code> level_codes;
  std::vector<bool> level_up;
  for (const auto& [code, record] : records_) {
    if (record.state == State::Measured) {
      records.push_back(&record);
      codes.push_back(code);
    }
    const auto up = launch_up_.find(restart_part(problem_.space, code));
    if (record.state != State::Pending && up != launch_up_.end() && up->second) {
      level_codes.push_back(code);
      level_up.push_back(record.state == State::Measured);
    }
  }
  const bool changed_launch = fitted_launch_ != running_;
  const bool refit = outputs_.empty() || changed_launch || records.size() >= fitted_points_ + kRefitPoints;
  if (refit) {
    fitted_points_ = records.size();
    fitted_launch_ = running_;
    ++fits_;
  }
  fit_outputs(records, coordinates_.rows(codes), refit, fits_ % kRestartEvery == 1);
  if (level_failure_seen_) {
    // A level that fails is rare: start from a confident prior.
    const Eigen::VectorXd mean = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(level_codes.size()), 1.5);
    level_viability_.fit(coordinates_.rows(level_codes), level_up, mean);
  }
}

void MoboSearcher::fit_outputs(const std::vector<const Record*>& records, const Rows& X, bool refit, bool restart) {
  const std::size_t m = problem_.objectives.size();
  std::vector<std::size_t> slack_limits;
  for (std::size_t k = 0; k < problem_.limits.size(); ++k) {
    const bool own = objective_limits_[k] == m;
    const bool known = std::all_of(records.begin(), records.end(), [&](const Record* record) {
      return k < record->slack.size() && std::isfinite(record->slack[k]);
    });
    if (own && known) slack_limits.push_back(k);
  }
  if (outputs_.size() != m + slack_limits.size()) {
    outputs_.assign(m + slack_limits.size(), OutputModel(kernel_));
    refit = restart = true;
  }
  const auto n = static_cast<Eigen::Index>(records.size());
  for (std::size_t j = 0; j < outputs_.size(); ++j) {
    OutputModel& output = outputs_[j];
    std::vector<double> values;
    for (const Record* record : records) {
      values.push_back(j < m ? record->cost[j] : bilog(record->slack[slack_limits[j - m]]));
    }
    output.transform = j < m ? choose_transform(values, problem_.objectives[j].direction == Direction::Max)
                             : choose_transform(values, false);
    if (j >= m) output.transform.logarithm = false;
    Eigen::VectorXd t(n), variance = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Record& record = *records[static_cast<std::size_t>(i)];
      t[i] = output.transform.to(values[static_cast<std::size_t>(i)]);
      if (j < m && j < record.sd.size() && std::isfinite(record.sd[j])) {
        const double sd = output.transform.sd_to(record.cost[j], record.sd[j]);
        variance[i] = sd * sd;
      }
    }
    output.update(X, t, variance, refit, restart);
  }
  // The zero of a limit in transformed units is found again in predict().
}

void MoboSearcher::predict(View& view) {
  const std::size_t m = problem_.objectives.size();
  for (std::size_t j = 0; j < outputs_.size(); ++j) {
    const GridPosterior posterior = outputs_[j].gp().predict_grid(view.launch_rows, view.level_rows);
    const Eigen::MatrixXd sd = posterior.variance.cwiseSqrt();
    if (j < m) {
      view.grid.mean.push_back(posterior.mean);
      view.grid.sd.push_back(sd);
      continue;
    }
    const double zero = outputs_[j].transform.to(0);
    for (Eigen::Index c = 0; c < view.weight.rows(); ++c) {
      for (Eigen::Index l = 0; l < view.weight.cols(); ++l) {
        view.weight(c, l) *= normal_cdf((zero - posterior.mean(c, l)) / sd(c, l));
      }
    }
  }
  if (!level_failure_seen_ || !level_viability_.fitted()) return;
  for (const std::size_t launch : view.open_launches) {
    const auto c = static_cast<Eigen::Index>(launch);
    Rows rows(view.weight.cols(), view.launch_rows.cols());
    for (Eigen::Index l = 0; l < rows.rows(); ++l) {
      rows.row(l) = view.launch_rows.row(c);
      for (std::size_t i = 0; i < coordinates_.axes().size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        if (coordinates_.axes()[i].live) rows(l, column) = view.level_rows(l, column);
      }
    }
    const Eigen::VectorXd p = level_viability_.probability(rows, Eigen::VectorXd::Constant(rows.rows(), 1.5));
    view.weight.row(c) = view.weight.row(c).cwiseProduct(p.transpose());
  }
}

double MoboSearcher::limit_of(std::size_t objective) const {
  double bound = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < problem_.limits.size(); ++k) {
    if (objective_limits_[k] != objective) continue;
    const Limit& limit = problem_.limits[k];
    const bool maximised = problem_.objectives[objective].direction == Direction::Max;
    if (limit.upper == maximised) continue;  // a bound on the good side limits nothing that is wanted
    bound = std::min(bound, outputs_[objective].transform.to(maximised ? -limit.bound : limit.bound));
  }
  return bound;
}

/// Posterior means at measured feasible points: with noise, a lucky measurement must not hide what lies behind it.
Eigen::MatrixXd MoboSearcher::front_of(const View& view) const {
  const std::size_t m = problem_.objectives.size();
  std::vector<space::Code> codes;
  std::vector<const Record*> records;
  for (const auto& [code, record] : records_) {
    if (record.state != State::Measured || record.violation > 0) continue;
    codes.push_back(code);
    records.push_back(&record);
  }
  if (codes.empty()) return Eigen::MatrixXd(0, static_cast<Eigen::Index>(m));
  const Rows X = coordinates_.rows(codes);
  Eigen::MatrixXd values(X.rows(), static_cast<Eigen::Index>(m));
  for (std::size_t j = 0; j < m; ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    const Posterior posterior = outputs_[j].gp().predict(X);
    const double noise = std::exp(outputs_[j].gp().parameters().log_noise);
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      const Record& record = *records[static_cast<std::size_t>(i)];
      const double measured = outputs_[j].transform.to(record.cost[j]);
      double variance = noise;
      if (j < record.sd.size()) variance += std::pow(outputs_[j].transform.sd_to(record.cost[j], record.sd[j]), 2);
      values(i, column) = variance > 0.01 ? posterior.mean[i] : measured;
    }
  }
  std::vector<double> flat;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (Eigen::Index j = 0; j < values.cols(); ++j) flat.push_back(values(i, j));
  }
  const auto members = pareto::distinct_non_dominated(cost_matrix(m, flat));
  Eigen::MatrixXd front(static_cast<Eigen::Index>(members.size()), values.cols());
  for (std::size_t i = 0; i < members.size(); ++i) {
    front.row(static_cast<Eigen::Index>(i)) = values.row(static_cast<Eigen::Index>(members[i]));
  }
  (void)view;
  return front;
}

/// Reference = nadir of {observed front, predicted front of what is likely to run} + 10 % of the range. Taking the observed
/// front alone stops progress where the first launches lie close together.
void MoboSearcher::set_box(View& view) {
  const std::size_t m = problem_.objectives.size();
  view.front = front_of(view);
  view.any_feasible = view.front.rows() > 0;
  std::vector<double> flat;
  for (const std::size_t launch : view.open_launches) {
    const auto c = static_cast<Eigen::Index>(launch);
    if (view.viable[c] <= 0.5) continue;
    for (Eigen::Index l = 0; l < view.weight.cols(); ++l) {
      if (view.weight(c, l) <= 0) continue;
      for (std::size_t j = 0; j < m; ++j) flat.push_back(view.grid.mean[j](c, l));
    }
  }
  for (Eigen::Index f = 0; f < view.front.rows(); ++f) {
    for (Eigen::Index j = 0; j < view.front.cols(); ++j) flat.push_back(view.front(f, j));
  }
  view.low = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(m), std::numeric_limits<double>::infinity());
  view.reference = -view.low;
  const pareto::CostMatrix costs = cost_matrix(m, flat);
  Eigen::VectorXd ideal = view.low;
  const auto include = [&](Eigen::Index j, double value) {
    view.reference[j] = std::max(view.reference[j], value);
    ideal[j] = std::min(ideal[j], value);
  };
  for (const std::size_t index : pareto::non_dominated(costs)) {
    for (std::size_t j = 0; j < m; ++j) include(static_cast<Eigen::Index>(j), costs.at(index, j));
  }
  for (Eigen::Index f = 0; f < view.front.rows(); ++f) {
    for (Eigen::Index j = 0; j < view.front.cols(); ++j) include(j, view.front(f, j));
  }
  for (Eigen::Index j = 0; j < view.reference.size(); ++j) {
    const double range = std::max(kLeastRange, view.reference[j] - ideal[j]);
    view.reference[j] += kReferenceMargin * range;
    view.reference[j] = std::min(view.reference[j], limit_of(static_cast<std::size_t>(j)));
    double optimistic = ideal[j];
    const auto output = static_cast<std::size_t>(j);
    for (const std::size_t launch : view.open_launches) {
      const auto c = static_cast<Eigen::Index>(launch);
      if (view.viable[c] <= 0) continue;
      for (Eigen::Index l = 0; l < view.weight.cols(); ++l) {
        if (view.weight(c, l) > 0) optimistic = std::min(optimistic, view.grid.mean[output](c, l) - 2 * view.grid.sd[output](c, l));
      }
    }
    view.low[j] = std::min(std::max(optimistic, ideal[j] - kLowReach * range), view.reference[j] - 1e-6);
  }
  view.targets = make_targets(view.front, view.low, view.reference, kTargets, core::derive_seed(problem_.seed, "targets"));
}

std::vector<Eigen::MatrixXd> MoboSearcher::curve_samples(const View& view, std::size_t launch,
                                                         const Eigen::MatrixXd& normals) const {
  const auto L = view.weight.cols();
  Rows rows(L, view.launch_rows.cols());
  for (Eigen::Index l = 0; l < L; ++l) {
    rows.row(l) = view.launch_rows.row(static_cast<Eigen::Index>(launch));
    for (std::size_t i = 0; i < coordinates_.axes().size(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      if (coordinates_.axes()[i].live) rows(l, column) = view.level_rows(l, column);
    }
  }
  std::vector<Eigen::MatrixXd> samples;
  for (std::size_t j = 0; j < view.grid.mean.size(); ++j) {
    const Eigen::MatrixXd root = square_root(outputs_[j].gp().covariance(rows));
    const Eigen::MatrixXd block = normals.middleCols(static_cast<Eigen::Index>(j) * L, L);
    Eigen::MatrixXd sample = block * root.transpose();
    sample.rowwise() += view.grid.mean[j].row(static_cast<Eigen::Index>(launch));
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::optional<MoboSearcher::Choice> MoboSearcher::model_choice(View& view) {
  ++decisions_;
  refit_models();
  predict(view);
  set_box(view);
  const double measure = std::max(1e-9, problem_.cost.measure);
  const auto running = [&](std::size_t launch) { return running_ == view.pool->launches[launch]; };

  if (!view.any_feasible) {
    // Nothing meets the limits yet: look for the point that most likely does, per cost.
    double best = 0;
    std::optional<Choice> choice;
    for (const std::size_t launch : view.open_launches) {
      const auto c = static_cast<Eigen::Index>(launch);
      for (Eigen::Index l = 0; l < view.weight.cols(); ++l) {
        double p = view.weight(c, l) * view.viable[c];
        for (std::size_t j = 0; j < view.grid.mean.size(); ++j) {
          const double bound = limit_of(j);
          if (std::isfinite(bound)) p *= normal_cdf((bound - view.grid.mean[j](c, l)) / view.grid.sd[j](c, l));
        }
        const double rate = p / (measure + (running(launch) ? 0 : problem_.cost.launch));
        if (rate <= best) continue;
        best = rate;
        choice = Choice{view.pool->point(problem_.space, launch, static_cast<std::size_t>(l)),
                        fmt::format("no point meets the limits yet: chance of meeting them {:.3f}", p)};
      }
    }
    return choice;
  }

  double stay_rate = 0;
  std::optional<std::pair<std::size_t, std::size_t>> stay;
  const Targets stay_targets = thin(view.targets, kStayTargets);
  for (const std::size_t launch : view.open_launches) {
    if (!running(launch)) continue;
    const auto c = static_cast<Eigen::Index>(launch);
    for (Eigen::Index l = 0; l < view.weight.cols(); ++l) {
      if (view.weight(c, l) <= 0) continue;
      const double rate = improvement_share(view.grid, c, l, stay_targets) * view.weight(c, l) / measure;
      if (rate <= stay_rate) continue;
      stay_rate = rate;
      stay = {launch, static_cast<std::size_t>(l)};
    }
  }

  Eigen::VectorXd scores = curve_scores(view.grid, view.weight, thin(view.targets, kQuickTargets)).cwiseProduct(view.viable);
  std::vector<std::size_t> order;
  for (const std::size_t launch : view.open_launches) {
    if (!running(launch)) order.push_back(launch);
  }
  const std::size_t keep = std::min(kShortList, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double x = scores[static_cast<Eigen::Index>(a)], y = scores[static_cast<Eigen::Index>(b)];
                      return x != y ? x > y : a < b;
                    });
  order.resize(keep);
  const Targets curve_targets = thin(view.targets, kCurveTargets);
  const Eigen::MatrixXd normals =
      quasi_normals(kCurveSamples, view.grid.mean.size() * view.pool->levels.size(), core::derive_seed(problem_.seed, "curves"));
  CurveValue best;
  std::size_t best_launch = 0;
  for (const std::size_t launch : order) {
    std::vector<std::size_t> open;
    double most = 0;
    for (std::size_t l = 0; l < view.pool->levels.size(); ++l) {
      const double weight = view.weight(static_cast<Eigen::Index>(launch), static_cast<Eigen::Index>(l));
      if (weight > 0) open.push_back(l);
      most = std::max(most, weight);
    }
    const double viable = view.viable[static_cast<Eigen::Index>(launch)] * most;
    CurveValue value = curve_value(curve_samples(view, launch, normals), open, curve_targets, viable,
                                   problem_.cost.launch, measure);
    if (value.rate > best.rate) {
      best = std::move(value);
      best_launch = launch;
    }
  }

  if (stay && stay_rate >= best.rate) {
    return Choice{view.pool->point(problem_.space, stay->first, stay->second),
                  fmt::format("stay: expected improvement {:.3g} of the open volume per cost; best launch {:.3g}", stay_rate,
                              best.rate)};
  }
  if (best.rate <= 0 || best.levels.empty()) return std::nullopt;
  return Choice{view.pool->point(problem_.space, best_launch, best.levels.front()),
                fmt::format("launch: expected improvement {:.3g} of the open volume per cost over {} levels, chance to start "
                            "{:.2f}; staying {:.3g}",
                            best.rate, best.levels.size(), view.viable[static_cast<Eigen::Index>(best_launch)], stay_rate)};
}

}  // namespace paretune::search
