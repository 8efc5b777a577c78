// Enumerators and their words in files: one table per enumeration, read in both directions.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace paretune::engine {

template <class Enum, std::size_t n>
using WordTable = std::array<std::pair<Enum, const char*>, n>;

template <class Enum, std::size_t n>
constexpr const char* word_of(const WordTable<Enum, n>& table, Enum value) {
  for (const auto& [entry, word] : table) {
    if (entry == value) return word;
  }
  return "?";
}

template <class Enum, std::size_t n>
constexpr std::optional<Enum> value_of(const WordTable<Enum, n>& table, std::string_view word) {
  for (const auto& [entry, text] : table) {
    if (word == text) return entry;
  }
  return std::nullopt;
}

}  // namespace paretune::engine
