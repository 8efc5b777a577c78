// UTF-8 checks shared by the document reader and the text helpers. Source: RFC 3629 §4.
#pragma once

#include <cstddef>
#include <string_view>

namespace paretune::core {

/// Length in bytes of the well-formed character at the front of `bytes`; 0 if it is malformed or `bytes` is
/// empty.
std::size_t utf8_length(std::string_view bytes);

/// Offset of the first malformed byte; npos if all is well-formed.
std::size_t find_bad_utf8(std::string_view bytes);

}  // namespace paretune::core
