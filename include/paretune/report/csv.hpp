// Comma-separated values, read and written by RFC 4180. Reading is as lenient as tables of other tools need
// (BOM, CRLF or LF, line breaks in quotes, quotes inside plain cells); writing also defuses cells that a
// spreadsheet would run. Pure functions; safe from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/result.hpp"

namespace paretune::report {

struct CsvRecord {
  std::size_t line = 1;  ///< 1-based line where the record begins
  std::vector<std::string> cells;
};

struct CsvText {
  std::vector<CsvRecord> records;  ///< blank lines are skipped
  std::size_t torn_line = 0;  ///< line of a last record whose quote was never closed (left out); 0 = none
};

/// @param text  UTF-8, with or without a byte order mark.
/// @return Error{InvalidInput} naming the line of a quote that is never closed, unless it opens in the last
/// line (a file cut off while it was written): that record is left out and reported in `torn_line`.
core::Result<CsvText> parse_csv(std::string_view text, char separator = ',');

/// The separator of a header line: the one of , ; and tab that stands most often outside quotes; comma for
/// none.
char guess_separator(std::string_view text);

/// One cell, quoted where RFC 4180 needs it. A text that begins with = + - @, a tab or a carriage return and
/// is no plain number gets a leading apostrophe, so that a spreadsheet shows it instead of running it.
std::string csv_cell(std::string_view text);

/// Cells joined with commas, ended with LF.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace paretune::report
