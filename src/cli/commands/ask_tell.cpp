// paretune ask-tell: the searchers for anyone's own evaluator, JSON lines on stdin and stdout.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "paretune/search/ask_tell.hpp"

namespace paretune::cli {
namespace {

/// One line out per ask and front, flushed at once: the evaluator waits for it.
void answer(Io& io, const std::string& line) {
  io.out << line << '\n';
  io.out.flush();
}

ExitCode run_ask_tell(std::istream& in, Io& io) {
  std::string line;
  if (!std::getline(in, line)) {
    answer(io, search::AskTell::error_line(core::invalid_input("no input", "the first line is the problem (docs/ask-tell.md)")));
    return ExitCode::Usage;
  }
  auto session = search::AskTell::start(line);
  if (!session) {
    answer(io, search::AskTell::error_line(session.error()));
    return ExitCode::Usage;
  }
  while (std::getline(in, line)) {
    if (const auto reply = session->answer(line)) answer(io, *reply);
    if (!io.out) return ExitCode::Done;  // the reader is gone: nobody is left to tell
  }
  return ExitCode::Done;
}

}  // namespace

void add_ask_tell_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("ask-tell", "The searchers for your own evaluator: JSON lines on stdin and stdout");
  command->footer("Example:\n  paretune ask-tell   (then a line with the problem, {\"ask\": 1}, {\"tell\": [...]}, {\"front\": true})");
  command->callback([&context] { context.action = [&context] { return run_ask_tell(std::cin, context.io); }; });
}

}  // namespace paretune::cli
