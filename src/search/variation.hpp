// How NSGA-II makes new sites from old ones in a mixed space.
// Ordered axes (level indices) and real axes: simulated binary crossover and polynomial mutation (Deb &
// Agrawal, "Simulated binary crossover for continuous search space", Complex Systems 9, 1995; Deb & Goyal,
// Computer Science and Informatics 26, 1996). Unordered axes and links: exchange and reset. A link is one
// gene, so its tuples never come apart.
#pragma once

#include <cstddef>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/space/space.hpp"

namespace paretune::search {

/// One thread. Holds a reference to the space. Children are not canonical and not checked: that is the
/// caller's part.
class Variation {
 public:
  /// @param restart_only  live axes are left as they are
  Variation(const space::Space& space, bool restart_only);

  /// Is there anything to vary?
  bool possible() const { return !genes_.empty(); }
  /// A child of `a` that takes each gene from the cross of both with probability 1/2.
  space::Code cross(const space::Code& a, const space::Code& b, core::Random& random) const;
  /// Changes one gene, a second with probability 1/4, a third with 1/16 … Every change is a real one where
  /// the axis has another level.
  void mutate(space::Code& code, core::Random& random) const;

 private:
  double cross_gene(std::size_t axis, double a, double b, core::Random& random) const;
  double mutate_gene(std::size_t axis, double value, core::Random& random) const;
  double move_unit(std::size_t axis, double value, double unit) const;
  double to_unit(std::size_t axis, double value) const;

  const space::Space& space_;
  std::vector<std::size_t> genes_;  ///< axes with more than one value
};

}  // namespace paretune::search
