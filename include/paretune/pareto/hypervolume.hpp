// Exact hypervolume: the volume dominated by a set of points and bounded by a reference point.
// m = 1, 2: sweep; m = 3: sweep over a 64-ary bit tree, O(n log n); m = 4: one 3-D contribution per point,
// O(n^2) (the scheme of HV4D+, Guerreiro & Fonseca, IEEE TEVC 22(3), 2018); m >= 5: sliced limit sets (WFG:
// While, Bradstreet & Barone, IEEE TEVC 16(1), 2012) down to the 4-D sweep. Pure functions; safe from many
// threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "paretune/pareto/cost_matrix.hpp"

namespace paretune::pareto {

/// @param reference  m finite costs. A point that is not below it in every cost adds nothing (that is no
/// error).
/// @return volume in the product of the cost units; 0 for no points. Dominated and equal points change
/// nothing.
/// @throws std::invalid_argument if `reference` has another length or is not finite.
double hypervolume(const CostMatrix& costs, std::span<const double> reference);

/// What each point adds alone: hypervolume(all) - hypervolume(all without this row). 0 for dominated points,
/// for points outside the reference, and for every copy of a point that is there twice. n hypervolumes of
/// limit sets (the other points, cut to the box of this one) of at most n points each.
std::vector<double> exclusive_contributions(const CostMatrix& costs, std::span<const double> reference);

/// Hypervolume after taking the logarithm of every metric: for m costs the volume under products of ratios to
/// the reference, which does not depend on units. A cost column of negative numbers is a maximised metric
/// with its sign turned, so -log(-c) is taken there.
/// @return nullopt if a column of `costs` and `reference` is not of one strict sign: a logarithm has no
/// meaning there.
std::optional<double> log_hypervolume(const CostMatrix& costs, std::span<const double> reference);

}  // namespace paretune::pareto
