#include "engine/template_text.hpp"

#include <algorithm>
#include <cctype>

namespace paretune::engine {
namespace {

struct Piece {
  std::string text;
  bool is_name = false;
};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

/// Length of "{NAME}" at `at`, 0 if there is none.
std::size_t name_length(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || !starts_name(text[at + 1])) return 0;
  std::size_t end = at + 1;
  while (end < text.size() && in_name(text[end])) ++end;
  return end < text.size() && text[end] == '}' ? end - at + 1 : 0;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces(1);
  int open = 0;  // "}}" is only a literal brace where a "{{" waits for it: nested JSON ends in }} too
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool twice = i + 1 < text.size() && text[i + 1] == text[i];
    const bool doubled = twice && (text[i] == '{' || (text[i] == '}' && open > 0));
    if (doubled) open += text[i] == '{' ? 1 : -1;
    const std::size_t length = text[i] == '{' && !doubled ? name_length(text, i) : 0;
    if (length > 0) {
      pieces.push_back({std::string(text.substr(i + 1, length - 2)), true});
      pieces.emplace_back();
      i += length - 1;
      continue;
    }
    pieces.back().text += text[i];
    if (doubled) ++i;
  }
  return pieces;
}

}  // namespace

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (Piece& piece : pieces_of(text)) {
    if (piece.is_name) names.push_back(std::move(piece.text));
  }
  return names;
}

bool mentions(std::string_view text, std::string_view name) {
  const auto names = names_in(text);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::string> fill(std::string_view text,
                                const std::function<std::optional<std::string>(const std::string&)>& value) {
  std::string filled;
  for (const Piece& piece : pieces_of(text)) {
    if (!piece.is_name) {
      filled += piece.text;
    } else if (const auto known = value(piece.text)) {
      filled += *known;
    } else {
      return std::nullopt;
    }
  }
  return filled;
}

}  // namespace paretune::engine
