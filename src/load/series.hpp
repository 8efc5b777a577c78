// All latency samples of a window by metric base, each with the request it belongs to (for the bootstrap).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "paretune/load/measure.hpp"

namespace paretune::load {

struct Sample {
  double value_ms = 0;
  std::uint32_t request = 0;  ///< position among the successful measured requests, in schedule order
};

/// By base name of metric_names.hpp; each ascending by value. A base without samples is absent.
using SeriesByBase = std::map<std::string, std::vector<Sample>>;

struct MeasuredSeries {
  SeriesByBase series;
  std::uint32_t requests = 0;  ///< successful measured requests
};

MeasuredSeries collect_series(const std::vector<RequestRecord>& records, bool open_loop);

/// Statistic word of metric_names.hpp over ascending samples (not empty).
double statistic_of(const std::vector<Sample>& sorted, const std::string& statistic);
/// 0.5 … 0.99 for p50 … p99; negative for mean and max.
double quantile_of(const std::string& statistic);

}  // namespace paretune::load
