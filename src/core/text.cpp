#include "paretune/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "core/utf8.hpp"

namespace paretune::core {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Lower case without - and _: the spelling that suggestions compare.
std::string plain_spelling(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (c != '-' && c != '_') plain += lower(c);
  }
  return plain;
}

/// Optimal string alignment: inserts, deletes, substitutions and swaps of neighbours each cost 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[b.size()];
}

/// Words of a flag or variable name: "OPENAI_API_KEY" -> openai, api, key; "apiKey" -> api, key.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_lower = false;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_letter = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if ((!is_letter || (is_upper && was_lower)) && !words.back().empty()) words.emplace_back();
    if (is_letter) words.back() += lower(c);
    was_lower = is_letter && !is_upper;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "Authorization: Bearer abc" -> the length of "Authorization:"; 0 if it is no such header.
std::size_t secret_header_length(std::string_view argument) {
  const std::size_t colon = argument.find(':');
  if (colon == std::string_view::npos || argument.find_first_of(" =/") < colon) return 0;
  return is_secret_name(argument.substr(0, colon)) ? colon + 1 : 0;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  const std::string wanted = plain_spelling(word);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::string plain = plain_spelling(candidate);
    const std::size_t allowed = std::max(wanted.size(), plain.size()) / 3;
    const std::size_t gap =
        wanted.size() > plain.size() ? wanted.size() - plain.size() : plain.size() - wanted.size();
    if (gap > allowed) continue;
    const std::size_t distance = edit_distance(wanted, plain);
    if (distance > allowed || (best != nullptr && distance >= best_distance)) continue;
    best = &candidate;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::optional<std::string> suggestion = nearest(word, known);
  return suggestion ? "did you mean '" + *suggestion + "'?" : "";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string_view trim(std::string_view text) {
  static constexpr std::string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return text.starts_with(p); });
}

std::string shell_quote(std::string_view word) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%^";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_join(std::span<const std::string> argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

bool is_secret_name(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kAlways{
      "password", "passwd", "passphrase", "secret", "secrets", "credentials", "authorization", "apikey"};
  // A count of tokens or a token's number is no secret, and a model's command line is full of them.
  static constexpr std::array<std::string_view, 10> kTokenOfText{"per",  "output", "input", "prompt", "first",
                                                                 "next", "eos",    "bos",   "pad",    "stop"};
  static constexpr std::array<std::string_view, 4> kPlace{"file", "path", "dir", "url"};
  const std::vector<std::string> words = words_of(name);
  if (words.empty() || is_one_of(words.back(), kPlace)) return false;
  for (const std::string& word : words) {
    if (is_one_of(word, kAlways)) return true;
  }
  if (words.back() == "key") return true;
  if (words.back() != "token") return false;
  return words.size() == 1 || !is_one_of(words[words.size() - 2], kTokenOfText);
}

std::vector<std::string> mask_secrets(std::span<const std::string> argv) {
  static constexpr std::string_view kMask = "***";
  std::vector<std::string> masked;
  bool value_is_secret = false;
  for (const std::string& argument : argv) {
    const bool is_flag = argument.starts_with("-");
    const std::size_t equals = argument.find('=');
    if (value_is_secret && !is_flag) {
      masked.emplace_back(kMask);
      value_is_secret = false;
    } else if (equals != std::string::npos && is_secret_name(std::string_view(argument).substr(0, equals))) {
      masked.push_back(argument.substr(0, equals + 1).append(kMask));
      value_is_secret = false;
    } else if (const std::size_t header = secret_header_length(argument); header > 0) {
      masked.push_back(argument.substr(0, header).append(" ").append(kMask));
      value_is_secret = false;
    } else {
      masked.push_back(argument);
      value_is_secret = is_flag && equals == std::string::npos && is_secret_name(argument);
    }
  }
  return masked;
}

std::string printable(std::string_view bytes) {
  static constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    const auto first = static_cast<unsigned char>(bytes[0]);
    const bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f ||
                         (length == 2 && first == 0xC2 && static_cast<unsigned char>(bytes[1]) < 0xA0);
    text += length == 0 || control ? kReplacement : bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

}  // namespace paretune::core
