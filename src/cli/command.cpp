#include "cli/command.hpp"

namespace paretune::cli {
namespace {

ExitCode exit_code_of(core::ErrorCode code) {
  switch (code) {
    case core::ErrorCode::InvalidInput:
    case core::ErrorCode::NotFound:
      return ExitCode::Usage;
    case core::ErrorCode::Io:
    case core::ErrorCode::Environment:
    case core::ErrorCode::Network:
      return ExitCode::Environment;
    case core::ErrorCode::Interrupted:
      return ExitCode::Interrupted;
    default:
      return ExitCode::Failed;
  }
}

}  // namespace

ExitCode report_error(Io& io, const core::Error& error) {
  const char* red = io.color && io.err_tty ? "\x1b[31m" : "";
  const char* plain = *red ? "\x1b[0m" : "";
  io.err << red << "error:" << plain << ' ' << error.message << '\n';
  if (!error.hint.empty()) io.err << "hint: " << error.hint << '\n';
  io.err.flush();
  return exit_code_of(error.code);
}

void print_warning(Io& io, const std::string& message) {
  io.err << "warning: " << message << '\n';
}

}  // namespace paretune::cli
