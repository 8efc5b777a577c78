// Content hashes for identities (XXH3, 128 bits; not for security).
#pragma once

#include <string>
#include <string_view>

namespace paretune::core {

/// 32 lower-case hex digits, the same on every machine.
std::string content_hash(std::string_view bytes);
/// First 12 hex digits: the form of every id in files.
std::string short_hash(std::string_view bytes);

}  // namespace paretune::core
