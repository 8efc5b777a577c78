// Files: whole reads, and writes that a crash cannot tear.
#pragma once

#include <string>
#include <string_view>

#include "paretune/core/result.hpp"

namespace paretune::core {

/// @return Error{NotFound} or Error{Io} naming path and reason.
Result<std::string> read_file(const std::string& path);
/// At most the last `bytes` of the file; "" if it does not exist.
std::string read_tail(const std::string& path, std::size_t bytes);
/// Writes a temporary file beside `path`, fsyncs and renames. Old content survives any failure.
Result<void> write_file_atomically(const std::string& path, std::string_view content);
/// Creates the directory (and parents) and proves that a file can be written there.
Result<void> require_writable_directory(const std::string& path);

}  // namespace paretune::core
