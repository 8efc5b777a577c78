// Timing for the programs in this folder: CPU time per call, median over repeats of a batch long enough to
// resolve.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

namespace paretune::benchmarks {

inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Timing {
  double median_ms = 0;
  double low_ms = 0;
  double high_ms = 0;
};

/// @param call  the work; its result must not be optimised away (let it add to a volatile).
template <class Call>
Timing time_call(Call call, double batch_s = 0.05, std::size_t repeats = 9) {
  const double start = cpu_seconds();
  call();
  const double once = std::max(cpu_seconds() - start, 1e-7);
  const std::size_t inner = std::max<std::size_t>(1, static_cast<std::size_t>(batch_s / once));
  std::vector<double> times;
  for (std::size_t r = 0; r < repeats; ++r) {
    const double begin = cpu_seconds();
    for (std::size_t i = 0; i < inner; ++i) call();
    times.push_back((cpu_seconds() - begin) / static_cast<double>(inner) * 1e3);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

}  // namespace paretune::benchmarks
