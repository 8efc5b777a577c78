// Codes of a space in the coordinates of the kernels: ordered axes on [0, 1] (log2 where all values are positive), unordered
// axes by level index, NaN where a parameter is inactive.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "paretune/space/space.hpp"
#include "search/gp/kernel.hpp"

namespace paretune::search {

/// Keeps a reference to the space.
class Coordinates {
 public:
  explicit Coordinates(const space::Space& space);

  const std::vector<KernelAxis>& axes() const { return axes_; }
  /// 1 x d.
  Eigen::RowVectorXd row(const space::Code& code) const;
  Rows rows(const std::vector<space::Code>& codes) const;

 private:
  const space::Space& space_;
  std::vector<KernelAxis> axes_;
  std::vector<std::vector<double>> table_;  ///< per discrete axis: coordinate of each level
  bool conditional_ = false;                ///< some parameter can be inactive
};

/// The restart part of a code: live axes set to 0.
space::Code restart_part(const space::Space& space, space::Code code);

}  // namespace paretune::search
