// The union of boxes in three dimensions, grown one box at a time; each addition says how much volume is new.
// Adding points in the order of a fourth cost gives the 4-D hypervolume: sum of new volume x (reference -
// cost). Source: the incremental scheme of HV4D+ (Guerreiro & Fonseca, IEEE TEVC 22(3), 2018, §IV). Where
// HV4D+ links each point to its neighbours, this keeps flat arrays in z order and scans them: also O(n) per
// point, and on real processors faster up to thousands of points.
#pragma once

#include <cstddef>
#include <vector>

namespace paretune::pareto {

/// One thread. All coordinates are negative; a point's box reaches from it to the origin.
class Solid {
 public:
  void clear();
  /// @return the volume that was not covered before; 0 if a point dominates it.
  double add(double x, double y, double z);
  std::size_t size() const { return z_.size(); }

 private:
  struct Step {
    double x;
    double y;
  };

  void start_section(double x, double y, std::size_t below);
  void cut_section(double x, double y);
  void insert(double x, double y, double z, std::size_t kept, std::size_t rest);

  /// Non-dominated members in ascending z.
  std::vector<double> x_, y_, z_;
  /// Cross-section of the new box: the uncovered area is below the steps and right of their first x; the
  /// first step is the left wall, the last one the end (its y is the floor of the box).
  std::vector<Step> section_;
  double area_ = 0;
  std::vector<Step> inner_;
};

}  // namespace paretune::pareto
