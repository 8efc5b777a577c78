// The simulated OpenAI-compatible server over HTTP, and its in-process twin in virtual time. Both run the
// same core.
#pragma once

#include <iosfwd>
#include <memory>
#include <stop_token>

#include "paretune/load/endpoint.hpp"
#include "paretune/sim/options.hpp"

namespace paretune::sim {

/// What launching decides: does it fit, and how many KV tokens are left. An impossible configuration is an
/// honest Error{OutOfMemory} ("needs 91.2 GiB of 80.0 GiB") or Error{InvalidInput}; an HTTP server prints it
/// and exits 1.
struct Capacity {
  double weights_gib = 0;
  double kv_gib = 0;
  std::int64_t kv_tokens = 0;
};
core::Result<Capacity> plan_capacity(const SimOptions& options);

/// Serves until `stop`; prints "listening on http://HOST:PORT" as the first line of `out`.
/// @return Error{OutOfMemory}, Error{Environment} (port taken) …
core::Result<void> serve(const SimOptions& options, std::ostream& out, std::ostream& log,
                         std::stop_token stop);

/// Simulated seconds from launch to ready (weights loading, graph capture).
double start_seconds(const SimOptions& options);

/// The twin: an endpoint whose clock is virtual and jumps from event to event. @return the launch error if
/// any.
core::Result<std::unique_ptr<load::Endpoint>> make_virtual_endpoint(const SimOptions& options);

}  // namespace paretune::sim
