// The log of a server as lines that a person or a rule can read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paretune::engine {

/// Non-empty lines without colour codes, control characters and broken UTF-8; a carriage return ends a line
/// too (progress bars). Very long lines are cut.
std::vector<std::string> log_lines(std::string_view text);

/// The message of a line: without the process, level, date and source-file columns that logging libraries put
/// before it, and without pydantic's report of the whole input after it.
std::string message_of(std::string_view line);

/// The flag a message names, without dashes: "--x" anywhere, or "max_num_seqs (64)". "" if none.
std::string flag_in(std::string_view message);

}  // namespace paretune::engine
