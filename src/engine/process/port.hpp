// Ports of this machine: a free one, and whether one can be bound. Nothing is ever connected to.
#pragma once

#include <string>

#include "paretune/core/result.hpp"

namespace paretune::engine {

enum class PortState {
  Free,
  Taken,
  Unknown,  ///< the host is not one of this machine's addresses: cannot be tried from here
};

/// Binds and closes again. SO_REUSEADDR is set, so that only a listening socket counts, not an old
/// connection.
PortState probe_port(const std::string& host, int port);

/// A port that is free now, chosen by the kernel. @return Error{Environment} if there is none.
core::Result<int> free_port(const std::string& host);

/// @return false if the port is still taken after `limit_s`.
bool wait_port_free(const std::string& host, int port, double limit_s);

}  // namespace paretune::engine
