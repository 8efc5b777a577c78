// Small text helpers: spelling suggestions, joining, quoting for a shell, masking secrets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paretune::core {

/// Nearest of `known` by Damerau-Levenshtein distance (ignoring case, - and _), if near enough to be meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);
/// "did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes);

/// One POSIX-shell word, quoted only where needed; for showing commands to people (never executed by us).
std::string shell_quote(std::string_view word);
std::string shell_join(std::span<const std::string> argv);

/// Does this flag or variable name look like it holds a secret (key, token, password, secret, authorization)?
bool is_secret_name(std::string_view name);
/// argv for logs and stores: the value after (or in) a secret-looking flag becomes "***".
std::vector<std::string> mask_secrets(std::span<const std::string> argv);

/// Valid UTF-8 with control characters (but \n, \t) and invalid bytes replaced; for text of other programs.
std::string printable(std::string_view bytes);

}  // namespace paretune::core
