#include "engine/log_lines.hpp"

#include <algorithm>
#include <cctype>

#include "paretune/core/text.hpp"

namespace paretune::engine {
namespace {

constexpr std::size_t kLongestLine = 1000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    if (i + 1 >= text.size() || text[i + 1] != '[') continue;
    i += 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  }
  return plain;
}

/// Drops "[...] " or "(...) " at the front if `open` starts it.
bool drop_bracketed(std::string_view& line, char open, char close) {
  if (line.empty() || line.front() != open) return false;
  const std::size_t end = line.find(close);
  if (end == std::string_view::npos || end > 60) return false;
  line = core::trim(line.substr(end + 1));
  return true;
}

bool drop_level(std::string_view& line) {
  for (const std::string_view level : {"CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG", "FATAL"}) {
    if (!line.starts_with(level)) continue;
    const std::string_view rest = line.substr(level.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != ':')) continue;
    line = core::trim(rest.substr(1));
    return true;
  }
  return false;
}

/// "12-01 16:04:32", "2026-12-01T16:04:32.1" and the like: words of digits and - : . , T Z.
bool drop_date(std::string_view& line) {
  bool dropped = false;
  while (!line.empty() && is_digit(line.front())) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const bool date = word.find_first_of(":-") != std::string_view::npos &&
                      word.find_first_not_of("0123456789-:.,TZ/+") == std::string_view::npos;
    if (!date) break;
    line = core::trim(line.substr(end));
    dropped = true;
  }
  return dropped;
}

}  // namespace

std::vector<std::string> log_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", start), text.size());
    std::string line =
        core::printable(without_escapes(text.substr(start, std::min(end - start, kLongestLine))));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (!core::trim(line).empty()) lines.push_back(std::move(line));
    start = end + 1;
  }
  return lines;
}

std::string message_of(std::string_view line) {
  std::string_view rest = core::trim(line);
  bool prefixed = rest.starts_with("(");
  if (prefixed && rest.find("pid=") < rest.find(')')) drop_bracketed(rest, '(', ')');
  for (int column = 0; column < 4; ++column) {
    const bool dropped = drop_level(rest) || drop_date(rest);
    prefixed = prefixed || dropped;
    if (!dropped && !(prefixed && drop_bracketed(rest, '[', ']'))) break;
  }
  const std::string_view pydantic = "Value error, ";
  if (rest.starts_with(pydantic)) rest.remove_prefix(pydantic.size());
  const std::size_t input = rest.find(" [type=");
  if (input != std::string_view::npos) rest = rest.substr(0, input);
  return std::string(rest.empty() ? core::trim(line) : rest);
}

std::string flag_in(std::string_view message) {
  for (std::size_t at = message.find("--"); at != std::string_view::npos; at = message.find("--", at + 2)) {
    if (at > 0 && is_word(message[at - 1])) continue;
    std::size_t end = at + 2;
    while (end < message.size() && is_word(message[end])) ++end;
    while (end > at + 2 && message[end - 1] == '.') --end;
    if (end > at + 2) return std::string(message.substr(at + 2, end - at - 2));
  }
  for (std::size_t at = message.find(" ("); at != std::string_view::npos; at = message.find(" (", at + 1)) {
    if (at + 2 >= message.size() || !is_digit(message[at + 2])) continue;
    std::size_t start = at;
    while (start > 0 && is_word(message[start - 1])) --start;
    std::string name(message.substr(start, at - start));
    if (name.find('_') == std::string::npos) continue;
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
  }
  return "";
}

}  // namespace paretune::engine
