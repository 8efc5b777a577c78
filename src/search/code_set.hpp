// Sets and maps keyed by codes (points or configurations as numbers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "paretune/space/space.hpp"

namespace paretune::search {

struct CodeHash {
  std::size_t operator()(const space::Code& code) const {
    std::size_t hash = 0x9E3779B97F4A7C15ULL;
    // + 0.0 makes -0 and 0, which compare equal, hash equal.
    for (double number : code)
      hash = (hash ^ std::hash<double>{}(number + 0.0)) * 0xBF58476D1CE4E5B9ULL + (hash >> 29);
    return hash;
  }
};

using CodeSet = std::unordered_set<space::Code, CodeHash>;
template <class T>
using CodeMap = std::unordered_map<space::Code, T, CodeHash>;

}  // namespace paretune::search
