// Is the server serving? Health route, model list and one generated token, polled until all three are good,
// or until the server dies, something shows that waiting is useless, the time is over or a stop is requested.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "paretune/engine/engine_spec.hpp"
#include "paretune/engine/failure.hpp"
#include "paretune/load/endpoint.hpp"

namespace paretune::engine {

struct ReadinessRequest {
  load::EndpointAddress address;
  std::string ready_path;                    ///< "" = /health if there is one; the model list says the rest
  std::vector<std::string> expected_models;  ///< ids of which one must be listed; empty = any
  bool only_listed_will_do = false;          ///< no id matches, but exactly one is listed: take that
  double timeout_s = 600;
  bool started_by_us = true;  ///< false: a wrong model or a refused key will not change by waiting
};

struct ReadinessResult {
  enum class State { Ready, Died, Failed, Interrupted };
  State state = State::Failed;
  std::string model;               ///< the id to send in requests
  std::optional<Failure> failure;  ///< Failed and Interrupted
};

/// @param alive  asked some fifty times a second; false ends the wait with Died.
ReadinessResult wait_until_ready(const ReadinessRequest& request, const std::function<bool()>& alive,
                                 std::stop_token stop);

/// Ids under which the started server may list its model, and whether another single one will do.
void expect_models(ReadinessRequest& request, const EngineSpec& spec,
                   const space::Configuration& configuration);

}  // namespace paretune::engine
