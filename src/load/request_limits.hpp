// Limits that end a request or refuse a run: time-outs of one answer, open files of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "paretune/load/endpoint.hpp"
#include "paretune/load/response_reader.hpp"

namespace paretune::load {

struct LateAnswer {
  Outcome outcome = Outcome::TimeoutTotal;
  std::string message;
};

/// Is this answer over its time? Also true, with an outcome that the reader turns into Ok, for a complete
/// answer whose stream the server leaves open. Connecting has its own limit, kept by the transport.
std::optional<LateAnswer> find_timeout(const ResponseReader& reader, std::int64_t sent_ns,
                                       std::int64_t now_ns, const Timeouts& limits);

/// Raises the soft limit of open files if need be. @return Error{Environment} if the hard limit is too low.
core::Result<void> require_descriptors(std::size_t connections);

}  // namespace paretune::load
