#include "paretune/core/error.hpp"

#include <utility>

namespace paretune::core {

Error invalid_input(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}
Error io_error(std::string message, std::string hint) {
  return {ErrorCode::Io, std::move(message), std::move(hint)};
}
Error environment_error(std::string message, std::string hint) {
  return {ErrorCode::Environment, std::move(message), std::move(hint)};
}

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput:
      return "invalid input";
    case ErrorCode::NotFound:
      return "not found";
    case ErrorCode::Io:
      return "input/output";
    case ErrorCode::Environment:
      return "environment";
    case ErrorCode::Launch:
      return "launch";
    case ErrorCode::Unhealthy:
      return "unhealthy";
    case ErrorCode::Network:
      return "network";
    case ErrorCode::Timeout:
      return "timeout";
    case ErrorCode::OutOfMemory:
      return "out of memory";
    case ErrorCode::Interrupted:
      return "interrupted";
    case ErrorCode::Internal:
      return "internal";
  }
  return "internal";
}

}  // namespace paretune::core
