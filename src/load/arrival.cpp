#include "paretune/load/arrival.hpp"

#include <stdexcept>

namespace paretune::load {

ArrivalProcess::ArrivalProcess(Arrival arrival, double burstiness, double rate_rps, std::uint64_t seed)
    : arrival_(arrival),
      burstiness_(burstiness),
      rate_rps_(rate_rps),
      random_(core::derive_seed(seed, "arrival")) {
  if (!(rate_rps > 0)) throw std::invalid_argument("ArrivalProcess: the rate must be greater than 0");
  if (!(burstiness > 0)) throw std::invalid_argument("ArrivalProcess: the burstiness must be greater than 0");
}

double ArrivalProcess::next_s() {
  const double index = static_cast<double>(count_++);
  switch (arrival_) {
    case Arrival::Constant:
      time_s_ = index / rate_rps_;
      break;
    case Arrival::Poisson:
      time_s_ += random_.exponential() / rate_rps_;
      break;
    case Arrival::Gamma:
      time_s_ += random_.gamma(burstiness_) / (burstiness_ * rate_rps_);
      break;
  }
  return time_s_;
}

std::vector<double> arrival_times_s(const Workload& workload, double rate_rps, std::uint64_t seed) {
  if (!workload.duration_s && !workload.requests) {
    throw std::invalid_argument("arrival_times_s: the workload has neither duration nor requests");
  }
  ArrivalProcess process(workload.arrival, workload.burstiness, rate_rps, seed);
  std::vector<double> times;
  std::int64_t measured = 0;
  for (double time = process.next_s();; time = process.next_s()) {
    if (workload.duration_s && time >= workload.warmup_s + *workload.duration_s) return times;
    const bool warmup = time < workload.warmup_s;
    if (!warmup && workload.requests && measured == *workload.requests) return times;
    times.push_back(time);
    if (!warmup) ++measured;
  }
}

}  // namespace paretune::load
