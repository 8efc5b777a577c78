// Times ranking, filtering and hypervolume. Prints a table: set, m, n, what, median [low, high] in ms of CPU
// time.
//   pareto_bench            own sets: points on the unit sphere octant (all non-dominated) and in the unit
//   cube pareto_bench --quick    small sets only (a smoke test) pareto_bench FILE.csv…  sets of others: one
//   point per line, comma separated, minimised; reference 1.1 in each cost
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/pareto/fronts.hpp"
#include "paretune/pareto/hypervolume.hpp"
#include "timing.hpp"

namespace {

using paretune::benchmarks::time_call;
using paretune::benchmarks::Timing;
using paretune::pareto::CostMatrix;
using paretune::pareto::CostVector;

volatile double sink = 0;

CostMatrix cube(std::size_t m, std::size_t n, paretune::core::Random& random) {
  CostMatrix costs(m);
  CostVector row(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& cost : row) cost = random.uniform();
    costs.add(row);
  }
  return costs;
}

CostMatrix sphere(std::size_t m, std::size_t n, paretune::core::Random& random) {
  CostMatrix costs(m);
  CostVector row(m);
  for (std::size_t i = 0; i < n; ++i) {
    double norm = 0;
    for (double& cost : row) {
      cost = std::abs(random.normal());
      norm += cost * cost;
    }
    for (double& cost : row) cost /= std::sqrt(norm);
    costs.add(row);
  }
  return costs;
}

CostMatrix read_csv(const char* path) {
  std::ifstream file(path);
  std::vector<CostVector> rows;
  for (std::string line; std::getline(file, line);) {
    CostVector row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::strtod(cell.c_str(), nullptr));
    if (!row.empty()) rows.push_back(row);
  }
  if (rows.empty()) {
    std::fprintf(stderr, "error: no points in %s\n", path);
    std::exit(2);
  }
  return CostMatrix::from_rows(rows);
}

void print(const char* set, const CostMatrix& costs, const char* what, const Timing& t, double result) {
  std::printf("%-24s m=%zu n=%-6zu %-12s %10.4f [%.4f, %.4f] ms   result %.10g\n", set, costs.objectives(),
              costs.size(), what, t.median_ms, t.low_ms, t.high_ms, result);
  std::fflush(stdout);
}

void time_hypervolume(const char* set, const CostMatrix& costs, double batch_s) {
  const CostVector reference(costs.objectives(), 1.1);
  const auto call = [&] { return paretune::pareto::hypervolume(costs, reference); };
  print(set, costs, "hypervolume", time_call([&] { sink = sink + call(); }, batch_s), call());
}

void time_ranking(const char* set, const CostMatrix& costs, double batch_s) {
  const auto fronts = [&] { return paretune::pareto::sort_fronts(costs).members.size(); };
  const auto front = [&] { return paretune::pareto::non_dominated(costs).size(); };
  print(set, costs, "ranking", time_call([&] { sink = sink + static_cast<double>(fronts()); }, batch_s),
        static_cast<double>(fronts()));
  print(set, costs, "filter", time_call([&] { sink = sink + static_cast<double>(front()); }, batch_s),
        static_cast<double>(front()));
}

void time_own_sets(bool quick) {
  paretune::core::Random random(1);
  const double batch_s = quick ? 0.001 : 0.05;
  for (std::size_t m : {2U, 3U, 4U, 5U, 6U}) {
    for (std::size_t n : {20U, 100U, 1000U}) {
      if ((quick || m > 5) && n > 100) continue;
      time_hypervolume("sphere", sphere(m, n, random), batch_s);
    }
  }
  for (std::size_t m : {2U, 3U, 5U}) {
    for (std::size_t n : {1000U, 10000U}) {
      if (!quick || n <= 1000) time_ranking("cube", cube(m, n, random), batch_s);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  if (argc == 1 || quick) {
    time_own_sets(quick);
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string name = std::string(argv[i]).substr(std::string(argv[i]).find_last_of('/') + 1);
    const CostMatrix costs = read_csv(argv[i]);
    if (name.rfind("cube", 0) == 0) {
      time_ranking(name.c_str(), costs, 0.05);
    } else {
      time_hypervolume(name.c_str(), costs, 0.05);
    }
  }
  return 0;
}
