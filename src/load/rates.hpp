// What happened inside the window, by time: tokens, completions, requests in flight.
#pragma once

#include <cstddef>

#include "paretune/load/measure.hpp"

namespace paretune::load {

struct WindowCounts {
  double output_tokens = 0;
  double prompt_tokens = 0;   ///< a prompt counts when its first token comes (its prefill is done)
  std::size_t completed = 0;  ///< successful requests that ended inside
  std::size_t good = 0;       ///< of these, those that meet every bound
  double mean_in_flight = 0;  ///< time-weighted
};

/// Counts between `from_s` and `to_s` (end included), over all records of the window; failed ones only count
/// as in flight.
WindowCounts count_between(const Window& window, const Workload& workload, bool open_loop, double from_s,
                           double to_s);

/// Does this successful request meet the workload's slo? nullopt if a bound has no value.
std::optional<bool> meets_slo(const RequestRecord& record, const Workload& workload, bool open_loop);

}  // namespace paretune::load
