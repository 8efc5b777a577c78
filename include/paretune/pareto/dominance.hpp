// Pareto dominance of two cost vectors, the definition everything else rests on.
// Source: Deb, "Multi-Objective Optimization using Evolutionary Algorithms", 2001, §2.4.
#pragma once

#include <span>

namespace paretune::pareto {

/// a <= b in every cost and a < b in at least one. Equal vectors do not dominate each other; +infinity
/// compares as a number, so (1, 1) dominates (1, inf). Neither side may hold NaN. O(m).
/// @throws std::invalid_argument if the lengths differ.
bool dominates(std::span<const double> a, std::span<const double> b);

/// a <= b in every cost (so also for equal vectors). @throws std::invalid_argument if the lengths differ.
bool weakly_dominates(std::span<const double> a, std::span<const double> b);

/// Deb's rule for limits: feasible before infeasible, of two infeasible the smaller violation, of two
/// feasible dominance of the costs. Violations are >= 0, 0 = feasible. Source: Deb et al., "A fast and
/// elitist multiobjective genetic algorithm: NSGA-II", IEEE TEVC 6(2), 2002, §VI.
bool constrained_dominates(std::span<const double> a, double violation_a, std::span<const double> b,
                           double violation_b);

}  // namespace paretune::pareto
