// The one error value of the program: what went wrong (with the value), and what to do next.
// Errors travel as values (result.hpp); only the command layer prints them or turns them into exit codes.
#pragma once

#include <string>

namespace paretune::core {

enum class ErrorCode {
  InvalidInput,  ///< the user's file, flag or line is wrong: exit 2
  NotFound,      ///< a named file, study or point does not exist: exit 2
  Io,            ///< the operating system refused a read or write: exit 4
  Environment,   ///< something this machine lacks or holds (engine, port, lock, GPU): exit 4
  Launch,        ///< a server could not be started
  Unhealthy,     ///< a server runs but does not serve
  Network,       ///< connect, TLS or HTTP failed
  Timeout,
  OutOfMemory,
  Interrupted,  ///< a stop was requested: exit 130
  Internal,     ///< a bug of ours
};

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;  ///< one sentence with the offending value; may hold several lines, one fault each
  std::string hint;     ///< the next step for the user; empty if there is none
};

Error invalid_input(std::string message, std::string hint = {});
Error io_error(std::string message, std::string hint = {});
Error environment_error(std::string message, std::string hint = {});

/// Lower-case words for logs, e.g. "invalid input".
const char* to_string(ErrorCode code);

}  // namespace paretune::core
