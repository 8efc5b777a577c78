// When the requests of an open loop are due: the whole schedule from one seed, before the window opens, so
// that a slow server or a slow client cannot shift it.
#pragma once

#include <cstdint>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/load/workload.hpp"

namespace paretune::load {

/// Due times one by one. Constant: i / rate, the first at 0. Poisson: exponential gaps from 0 on. Gamma: gaps
/// of shape `burstiness` and mean 1 / rate (below 1 more bursty than Poisson, above 1 smoother).
class ArrivalProcess {
 public:
  /// @param rate_rps  requests/s, > 0.
  ArrivalProcess(Arrival arrival, double burstiness, double rate_rps, std::uint64_t seed);
  double next_s();

 private:
  Arrival arrival_;
  double burstiness_;
  double rate_rps_;
  core::Random random_;
  std::uint64_t count_ = 0;
  double time_s_ = 0;
};

/// Seconds from the start of the load, ascending. Warm-up arrivals (before workload.warmup_s) come first;
/// then those of the window: up to its duration, its number of requests, or whichever is less.
std::vector<double> arrival_times_s(const Workload& workload, double rate_rps, std::uint64_t seed);

}  // namespace paretune::load
