#include "pareto/oracles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "paretune/pareto/dominance.hpp"

namespace paretune::pareto::testing {

CostMatrix grid_set(std::size_t m, std::size_t n, std::size_t levels, core::Random& random) {
  CostMatrix costs(m);
  CostVector row(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& cost : row) cost = static_cast<double>(random.index(levels));
    costs.add(row);
  }
  return costs;
}

CostMatrix cube_set(std::size_t m, std::size_t n, core::Random& random) {
  CostMatrix costs(m);
  CostVector row(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& cost : row) cost = random.uniform();
    costs.add(row);
  }
  return costs;
}

CostMatrix sphere_set(std::size_t m, std::size_t n, core::Random& random) {
  CostMatrix costs(m);
  CostVector row(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& cost : row) cost = std::abs(random.normal());
    const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    for (double& cost : row) cost /= norm;
    costs.add(row);
  }
  return costs;
}

std::vector<std::size_t> peeled_ranks(const CostMatrix& costs) {
  constexpr std::size_t kUnranked = ~std::size_t{0};
  std::vector<std::size_t> ranks(costs.size(), kUnranked);
  std::size_t left = costs.size();
  for (std::size_t rank = 0; left > 0; ++rank) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (ranks[i] != kUnranked) continue;
      bool free = true;
      for (std::size_t k = 0; k < costs.size(); ++k) {
        free = free && (ranks[k] != kUnranked || !dominates(costs.row(k), costs.row(i)));
      }
      if (free) front.push_back(i);
    }
    for (std::size_t i : front) ranks[i] = rank;
    left -= front.size();
  }
  return ranks;
}

double inclusion_exclusion(const CostMatrix& costs, const CostVector& reference) {
  double volume = 0;
  for (std::size_t subset = 1; subset < (std::size_t{1} << costs.size()); ++subset) {
    CostVector corner(costs.objectives(), -1e300);
    double sign = -1;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      sign = -sign;
      for (std::size_t j = 0; j < corner.size(); ++j) corner[j] = std::max(corner[j], costs.at(i, j));
    }
    double box = 1;
    for (std::size_t j = 0; j < corner.size(); ++j) box *= std::max(0.0, reference[j] - corner[j]);
    volume += sign * box;
  }
  return volume;
}

CostMatrix without_row(const CostMatrix& costs, std::size_t row) {
  CostMatrix rest(costs.objectives());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i != row) rest.add(costs.row(i));
  }
  return rest;
}

CostMatrix joined(const CostMatrix& a, const CostMatrix& b) {
  CostMatrix both = a;
  for (std::size_t i = 0; i < b.size(); ++i) both.add(b.row(i));
  return both;
}

CostMatrix shuffled(const CostMatrix& costs, core::Random& random) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  return costs.select(order);
}

CostMatrix with_columns(const CostMatrix& costs, const std::vector<std::size_t>& order) {
  CostMatrix result(order.size());
  CostVector row(order.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) row[j] = costs.at(i, order[j]);
    result.add(row);
  }
  return result;
}

CostMatrix with_constant(const CostMatrix& costs, double cost) {
  CostMatrix result(costs.objectives() + 1);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    CostVector row(costs.row(i).begin(), costs.row(i).end());
    row.push_back(cost);
    result.add(row);
  }
  return result;
}

}  // namespace paretune::pareto::testing
