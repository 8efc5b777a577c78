#include "search/mobo/acquisition.hpp"

#include <algorithm>
#include <bit>
#include <boost/random/sobol.hpp>
#include <cmath>

#include "paretune/core/random.hpp"
#include "search/gp/normal.hpp"

namespace paretune::search {
namespace {

/// n x d points of [0, 1)^d: a Sobol sequence with a random shift.
Eigen::MatrixXd quasi_uniforms(std::size_t n, std::size_t d, std::uint64_t seed) {
  boost::random::sobol sequence(d);
  const double scale = 1.0 / (static_cast<double>(boost::random::sobol::max()) + 1.0);
  core::Random random(seed);
  std::vector<double> shift(d);
  for (double& value : shift) value = random.uniform();
  Eigen::MatrixXd points(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(d));
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index j = 0; j < points.cols(); ++j) {
      const double u = static_cast<double>(sequence()) * scale + shift[static_cast<std::size_t>(j)];
      points(i, j) = u >= 1 ? u - 1 : u;
    }
  }
  return points;
}

bool dominated(const Eigen::MatrixXd& front, const Eigen::RowVectorXd& z) {
  for (Eigen::Index f = 0; f < front.rows(); ++f) {
    if ((front.row(f).array() <= z.array()).all()) return true;
  }
  return false;
}

}  // namespace

Targets make_targets(const Eigen::MatrixXd& front, const Eigen::VectorXd& low, const Eigen::VectorXd& reference,
                     std::size_t count, std::uint64_t seed) {
  const Eigen::Index m = low.size();
  const Eigen::MatrixXd unit = quasi_uniforms(count, static_cast<std::size_t>(m), seed);
  Targets targets;
  targets.box_volume = (reference - low).prod();
  targets.z.resize(unit.rows(), m);
  Eigen::Index kept = 0;
  for (Eigen::Index i = 0; i < unit.rows(); ++i) {
    const Eigen::RowVectorXd z =
        low.transpose().array() + unit.row(i).array() * (reference - low).transpose().array();
    if (!dominated(front, z)) targets.z.row(kept++) = z;
  }
  targets.z.conservativeResize(kept, m);
  targets.share = static_cast<double>(kept) / static_cast<double>(count);
  return targets;
}

Targets thin(const Targets& targets, std::size_t count) {
  const auto total = static_cast<std::size_t>(targets.z.rows());
  if (total <= count) return targets;
  Targets thinned{Eigen::MatrixXd(static_cast<Eigen::Index>(count), targets.z.cols()), targets.share, targets.box_volume};
  for (std::size_t i = 0; i < count; ++i) {
    thinned.z.row(static_cast<Eigen::Index>(i)) = targets.z.row(static_cast<Eigen::Index>(i * total / count));
  }
  return thinned;
}

double improvement_share(const OutputGrid& grid, Eigen::Index row, Eigen::Index column, const Targets& targets) {
  if (targets.z.rows() == 0) return 0;
  const NormalTable& phi = normal_table();
  const std::size_t m = grid.mean.size();
  double sum = 0;
  for (Eigen::Index k = 0; k < targets.z.rows(); ++k) {
    double p = 1;
    for (std::size_t j = 0; j < m && p > 0; ++j) {
      p *= phi((targets.z(k, static_cast<Eigen::Index>(j)) - grid.mean[j](row, column)) / grid.sd[j](row, column));
    }
    sum += p;
  }
  return sum / static_cast<double>(targets.z.rows());
}

Eigen::VectorXd curve_scores(const OutputGrid& grid, const Eigen::MatrixXd& weight, const Targets& targets) {
  const NormalTable& phi = normal_table();
  const std::size_t m = grid.mean.size();
  const Eigen::Index K = targets.z.rows();
  Eigen::VectorXd scores = Eigen::VectorXd::Zero(weight.rows());
  std::vector<double> missed(static_cast<std::size_t>(K));
  for (Eigen::Index c = 0; c < weight.rows(); ++c) {
    std::fill(missed.begin(), missed.end(), 1.0);
    for (Eigen::Index l = 0; l < weight.cols(); ++l) {
      if (weight(c, l) <= 0) continue;
      for (Eigen::Index k = 0; k < K; ++k) {
        double p = weight(c, l);
        for (std::size_t j = 0; j < m && p > 0; ++j) {
          p *= phi((targets.z(k, static_cast<Eigen::Index>(j)) - grid.mean[j](c, l)) / grid.sd[j](c, l));
        }
        missed[static_cast<std::size_t>(k)] *= 1 - p;
      }
    }
    double sum = 0;
    for (const double value : missed) sum += 1 - value;
    scores[c] = K > 0 ? sum / static_cast<double>(K) : 0;
  }
  return scores;
}

CurveValue curve_value(const std::vector<Eigen::MatrixXd>& samples, const std::vector<std::size_t>& open,
                       const Targets& targets, double viable, double launch_cost, double measure_cost) {
  using Words = std::vector<std::uint64_t>;
  const auto K = static_cast<std::size_t>(targets.z.rows());
  const auto S = static_cast<std::size_t>(samples.front().rows());
  const std::size_t words = (K + 63) / 64;
  CurveValue best;
  if (K == 0 || open.empty()) return best;

  // covers[l]: for each sample, the targets that level l improves on.
  std::vector<Words> covers(open.size(), Words(S * words, 0));
  for (std::size_t l = 0; l < open.size(); ++l) {
    for (std::size_t s = 0; s < S; ++s) {
      for (std::size_t k = 0; k < K; ++k) {
        bool all = true;
        for (std::size_t j = 0; j < samples.size() && all; ++j) {
          all = samples[j](static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(open[l])) <=
                targets.z(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j));
        }
        if (all) covers[l][s * words + k / 64] |= std::uint64_t{1} << (k % 64);
      }
    }
  }

  Words covered(S * words, 0);
  std::vector<std::size_t> order;
  std::vector<bool> taken(open.size(), false);
  std::size_t total = 0;
  for (std::size_t step = 0; step < open.size(); ++step) {
    std::size_t pick = open.size(), gain = 0;
    for (std::size_t l = 0; l < open.size(); ++l) {
      if (taken[l]) continue;
      std::size_t fresh = 0;
      for (std::size_t w = 0; w < covered.size(); ++w) fresh += static_cast<std::size_t>(std::popcount(covers[l][w] & ~covered[w]));
      if (pick == open.size() || fresh > gain) {
        pick = l;
        gain = fresh;
      }
    }
    if (gain == 0 && step > 0) break;
    taken[pick] = true;
    order.push_back(open[pick]);
    total += gain;
    for (std::size_t w = 0; w < covered.size(); ++w) covered[w] |= covers[pick][w];
    const double share = static_cast<double>(total) / static_cast<double>(S * K);
    const double rate = share * viable / (launch_cost + static_cast<double>(step + 1) * measure_cost);
    if (rate > best.rate || best.levels.empty()) {
      best.rate = rate;
      best.levels = order;
    }
  }
  return best;
}

Eigen::MatrixXd quasi_normals(std::size_t samples, std::size_t dimensions, std::uint64_t seed) {
  Eigen::MatrixXd points = quasi_uniforms(samples, dimensions, seed);
  return points.unaryExpr([](double u) { return normal_quantile(std::clamp(u, 1e-12, 1 - 1e-12)); });
}

}  // namespace paretune::search
