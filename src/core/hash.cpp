#include "paretune/core/hash.hpp"

#include <xxhash.h>

#include <array>

namespace paretune::core {

std::string content_hash(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : canonical.digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string short_hash(std::string_view bytes) {
  return content_hash(bytes).substr(0, 12);
}

}  // namespace paretune::core
