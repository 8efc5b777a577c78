// 95 % intervals by moving-block bootstrap: blocks of neighbouring requests (or slices of the window, for
// rates) keep the correlation that queueing makes, which a plain bootstrap would lose. Source: Künsch, Annals
// of Statistics 17(3), 1989. Percentile intervals, seeded: equal records give equal intervals.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "load/series.hpp"
#include "paretune/load/measure.hpp"

namespace paretune::load {

/// By metric name. Empty below 20 successful requests; `max` has none.
std::map<std::string, std::pair<double, double>> intervals(const Window& window, const Workload& workload,
                                                           const LoadLevel& level,
                                                           const MeasuredSeries& measured);

}  // namespace paretune::load
