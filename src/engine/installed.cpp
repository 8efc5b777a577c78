// What the installed engine says about itself: its flags and its version.
#include <algorithm>
#include <cctype>
#include <set>

#include "engine/process/capture.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

bool in_flag(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

/// Is the dash at `at` the start of a flag word (after a blank, comma, slash, bracket or at the start)?
bool at_word_start(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" \t\n\r,/|[(").find(text[at - 1]) != std::string_view::npos;
}

std::string word_at(std::string_view text, std::size_t start) {
  std::size_t end = start;
  while (end < text.size() && in_flag(text[end])) ++end;
  while (end > start && (text[end - 1] == '.' || text[end - 1] == '-')) --end;
  return std::string(text.substr(start, end - start));
}

/// Subcommand words at the end of the command that the version question must not have ("serve" of `vllm
/// serve`).
std::vector<std::string> without_subcommand(const EngineSpec& spec) {
  std::vector<std::string> command = spec.command;
  const std::vector<std::string>& standard = engine_kind(spec.kind).command;
  const std::size_t words = standard.empty() ? 0 : standard.size() - 1;
  if (words > 0 && command.size() > words &&
      std::equal(standard.end() - static_cast<std::ptrdiff_t>(words), standard.end(),
                 command.end() - static_cast<std::ptrdiff_t>(words))) {
    command.resize(command.size() - words);
  }
  return command;
}

std::vector<std::string> with(std::vector<std::string> command, const std::vector<std::string>& words) {
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

/// A command without the template words of `kind: command`; what is left is asked for --help.
std::vector<std::string> plain_command(const EngineSpec& spec) {
  std::vector<std::string> command;
  for (const std::string& word : spec.command) {
    if (word.starts_with("-") || word.find('{') != std::string::npos) break;
    command.push_back(word);
  }
  return spec.kind == Kind::Command ? command : spec.command;
}

}  // namespace

std::vector<std::string> flags_in_help(std::string_view help, const EngineKind& kind) {
  std::set<std::string> flags;
  for (std::size_t at = help.find('-'); at != std::string_view::npos; at = help.find('-', at + 1)) {
    if (!at_word_start(help, at)) continue;
    const bool is_long = help.substr(at).starts_with("--");
    std::string word = word_at(help, at + (is_long ? 2 : 1));
    if (word.empty() || std::isalpha(static_cast<unsigned char>(word.front())) == 0) continue;
    const bool known_short = std::any_of(kind.knobs.begin(), kind.knobs.end(),
                                         [&](const Knob& knob) { return knob.short_name == word; });
    if (is_long || known_short) flags.insert(std::move(word));
  }
  return {flags.begin(), flags.end()};
}

core::Result<std::vector<std::string>> installed_flags(const EngineSpec& spec, double timeout_s) {
  const EngineKind& kind = engine_kind(spec.kind);
  const std::vector<std::string> command = plain_command(spec);
  if (kind.help_args.empty() || command.empty()) {
    return core::environment_error(std::string("kind ") + to_string(spec.kind) +
                                   " starts no program that could be asked");
  }
  const auto captured = run_captured(with(command, kind.help_args), spec.env, timeout_s);
  if (!captured) return captured.error();
  std::vector<std::string> flags = flags_in_help(captured->output, kind);
  if (captured->exit.exit_code != 0 || flags.empty()) {
    return core::environment_error("'" + core::shell_join(with(command, kind.help_args)) + "' lists no flags",
                                   std::string(core::trim(captured->output.substr(0, 300))));
  }
  return flags;
}

std::string installed_version(const EngineSpec& spec, double timeout_s) {
  const EngineKind& kind = engine_kind(spec.kind);
  if (kind.version_args.empty() || spec.command.empty() || spec.kind == Kind::Command) return "";
  const auto captured = run_captured(with(without_subcommand(spec), kind.version_args), spec.env, timeout_s);
  if (!captured || captured->exit.exit_code != 0) return "";
  for (const std::string& line : core::split(captured->output, '\n')) {
    if (!core::trim(line).empty()) return core::printable(core::trim(line));
  }
  return "";
}

}  // namespace paretune::engine
