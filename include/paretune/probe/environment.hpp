// What machine is this, as far as results depend on it: host, kernel, CPUs, memory, GPUs, and warnings about
// noise.
#pragma once

#include <string>
#include <vector>

#include "paretune/core/finding.hpp"
#include "paretune/core/json.hpp"

namespace paretune::probe {

struct Gpu {
  std::string name;
  double memory_gib = 0;
  std::string driver;
};

struct Environment {
  std::string host, kernel, cpu_model;
  int cpus = 0;  ///< this process may use
  double memory_gib = 0;
  double load_average = 0;  ///< of the last minute
  std::string governor;     ///< CPU frequency governor; empty if unknown
  std::vector<Gpu> gpus;    ///< from nvidia-smi where it is installed
  std::vector<core::Finding> findings;
};

/// Reads /proc, /sys and, if present, nvidia-smi (no shell; at most two seconds).
Environment describe_environment();
core::Json to_json(const Environment& environment);

}  // namespace paretune::probe
