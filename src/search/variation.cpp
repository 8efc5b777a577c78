#include "search/variation.hpp"

#include <algorithm>
#include <cmath>

namespace paretune::search {

using space::Code;

namespace {

/// Distribution indices: how near children stay to their parents. The usual mutation index for runs of
/// thousands is 20; with tens to hundreds of evaluations larger steps get further.
constexpr double kCrossIndex = 15;
constexpr double kMutationIndex = 8;
/// Share of mutations that forget the old value: the way out of a corner that small steps cannot leave.
constexpr double kResetShare = 0.3;
constexpr double kNextGene = 0.25;

/// Spread factor of simulated binary crossover.
double spread(core::Random& random) {
  const double u = random.uniform();
  const double exponent = 1 / (kCrossIndex + 1);
  return u < 0.5 ? std::pow(2 * u, exponent) : std::pow(1 / (2 * (1 - u)), exponent);
}

/// Step of polynomial mutation, as a share of the range: within (-1, 1).
double polynomial_step(core::Random& random) {
  const double u = random.uniform();
  const double exponent = 1 / (kMutationIndex + 1);
  return u < 0.5 ? std::pow(2 * u, exponent) - 1 : 1 - std::pow(2 * (1 - u), exponent);
}

}  // namespace

Variation::Variation(const space::Space& space, bool restart_only) : space_(space) {
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
    const space::Axis& a = space.axes()[axis];
    if ((!restart_only || !a.live) && (!a.levels || *a.levels > 1)) genes_.push_back(axis);
  }
}

Code Variation::cross(const Code& a, const Code& b, core::Random& random) const {
  Code child = a;
  for (std::size_t axis : genes_) {
    if (random.chance(0.5)) child[axis] = cross_gene(axis, a[axis], b[axis], random);
  }
  return child;
}

void Variation::mutate(Code& code, core::Random& random) const {
  std::vector<std::size_t> genes = genes_;
  random.shuffle(genes);
  std::size_t count = 1;
  while (count < genes.size() && random.chance(kNextGene)) ++count;
  for (std::size_t k = 0; k < count; ++k) code[genes[k]] = mutate_gene(genes[k], code[genes[k]], random);
}

double Variation::cross_gene(std::size_t axis, double a, double b, core::Random& random) const {
  if (!space_.axes()[axis].ordered) return b;
  const double beta = random.chance(0.5) ? spread(random) : -spread(random);
  const double unit_a = to_unit(axis, a);
  const double unit_b = to_unit(axis, b);
  return move_unit(axis, b, 0.5 * ((1 + beta) * unit_a + (1 - beta) * unit_b));
}

double Variation::mutate_gene(std::size_t axis, double value, core::Random& random) const {
  const space::Axis& a = space_.axes()[axis];
  const bool reset = !a.ordered || random.chance(kResetShare);
  if (!a.levels)
    return move_unit(axis, value, reset ? random.uniform() : to_unit(axis, value) + polynomial_step(random));
  const auto levels = static_cast<double>(*a.levels);
  if (reset) {
    const auto other = static_cast<double>(random.index(*a.levels - 1));
    return other >= value ? other + 1 : other;
  }
  const double step = polynomial_step(random) * (levels - 1);
  // Less than a level would be no change: the smallest step is the neighbour, at the end of the axis the
  // inner one.
  const double whole = std::copysign(std::max(1.0, std::round(std::abs(step))), step);
  const double moved = std::clamp(value + whole, 0.0, levels - 1);
  return moved != value ? moved : value - std::copysign(1.0, whole);
}

/// Coordinate of one gene in [0, 1]: of a real axis on its scale, of an ordered axis by level.
double Variation::to_unit(std::size_t axis, double value) const {
  const space::Axis& a = space_.axes()[axis];
  if (a.levels) return value / static_cast<double>(*a.levels - 1);
  const auto& range = std::get<space::RealRange>(space_.parameters()[a.parameters.front()].domain);
  if (range.max <= range.min) return 0;
  const double inside = std::clamp(value, range.min, range.max);  // an inactive axis is coded as 0
  if (range.scale == space::Scale::Linear) return (inside - range.min) / (range.max - range.min);
  return std::log(inside / range.min) / std::log(range.max / range.min);
}

/// The value at a coordinate, which may lie outside [0, 1]. @param value  kept if the range is a point
double Variation::move_unit(std::size_t axis, double value, double unit) const {
  const space::Axis& a = space_.axes()[axis];
  unit = std::clamp(unit, 0.0, 1.0);
  if (a.levels) return std::round(unit * static_cast<double>(*a.levels - 1));
  const auto& range = std::get<space::RealRange>(space_.parameters()[a.parameters.front()].domain);
  if (range.max <= range.min) return value;
  const double moved = range.scale == space::Scale::Linear
                           ? range.min + unit * (range.max - range.min)
                           : range.min * std::pow(range.max / range.min, unit);
  return std::clamp(moved, range.min, range.max);
}

}  // namespace paretune::search
