// One decision's picture of the pool: rows, viability, posteriors, targets. Private to the searcher.
#pragma once

#include <optional>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"
#include "search/mobo/mobo_searcher.hpp"

namespace paretune::search {

/// n x m from row-by-row values.
inline pareto::CostMatrix cost_matrix(std::size_t objectives, const std::vector<double>& values) {
  pareto::CostMatrix matrix(objectives);
  for (std::size_t i = 0; i + objectives <= values.size(); i += objectives) {
    matrix.add(std::span<const double>(values).subspan(i, objectives));
  }
  return matrix;
}

struct MoboSearcher::View {
  const Pool* pool = nullptr;
  Pool own_pool;                            ///< where the space is too large to keep one pool
  Rows launch_rows, level_rows;
  std::vector<std::size_t> open_launches;   ///< with at least one open level
  Eigen::VectorXd viable;                   ///< C chances that the launch comes up
  Eigen::MatrixXd weight;                   ///< C x L chance that an open level can be measured and meets the limits that
                                            ///< are no objective; 0 = closed
  OutputGrid grid;                          ///< m objectives, C x L
  Eigen::MatrixXd front;                    ///< F x m, feasible
  Eigen::VectorXd low, reference;
  bool any_feasible = false;
  Targets targets;
};

}  // namespace paretune::search
