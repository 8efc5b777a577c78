// Expected hypervolume improvement by quasi-random targets: for a target z of the box below the reference, a point x
// improves on z with probability prod_j Phi((z_j - mu_j) / sd_j). Any number of objectives, smooth, no box decomposition.
// All coordinates are minimised and standardised.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace paretune::search {

/// Quasi-random targets that the front does not dominate.
struct Targets {
  Eigen::MatrixXd z;      ///< K x m
  double share = 0;       ///< K / number drawn
  double box_volume = 0;  ///< of [low, reference]
};

/// @param front  F x m. @param count  drawn; those dominated by the front are dropped.
Targets make_targets(const Eigen::MatrixXd& front, const Eigen::VectorXd& low, const Eigen::VectorXd& reference,
                     std::size_t count, std::uint64_t seed);

/// A thinned copy with about `count` targets (every k-th; still evenly spread).
Targets thin(const Targets& targets, std::size_t count);

/// Mean and standard deviation of each output at the same set of points: m matrices of one shape.
struct OutputGrid {
  std::vector<Eigen::MatrixXd> mean, sd;
};

/// Share of the targets that a point improves, expected: times box_volume * share it is EHVI.
double improvement_share(const OutputGrid& grid, Eigen::Index row, Eigen::Index column, const Targets& targets);

/// First score of launches: 1 - prod over open levels of (1 - p), averaged over targets; levels taken as independent.
/// @param weight  C x L chance that the level can be measured (0 = closed). @return C values.
Eigen::VectorXd curve_scores(const OutputGrid& grid, const Eigen::MatrixXd& weight, const Targets& targets);

/// One launch valued by its whole curve: the posterior over its levels is sampled jointly, levels are taken greedily.
struct CurveValue {
  double rate = 0;               ///< best over k of covered(k) * viable / (launch + k * measure), covered as a share of targets
  std::vector<std::size_t> levels;  ///< in greedy order, as many as the best k
};

/// @param samples  for each output S x L joint samples of the curve. @param open  levels that may be measured.
CurveValue curve_value(const std::vector<Eigen::MatrixXd>& samples, const std::vector<std::size_t>& open,
                       const Targets& targets, double viable, double launch_cost, double measure_cost);

/// S x dims standard normals from one shifted Sobol sequence (one sequence for all outputs: leading bits of separate
/// scrambles would be sign-locked).
Eigen::MatrixXd quasi_normals(std::size_t samples, std::size_t dimensions, std::uint64_t seed);

}  // namespace paretune::search
