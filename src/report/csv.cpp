#include "paretune/report/csv.hpp"

#include <algorithm>
#include <array>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::report {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Reads one record after the other; keeps the line number for messages.
class Reader {
 public:
  Reader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  core::Result<CsvText> read() {
    while (at_ < text_.size()) {
      CsvRecord record{line_, {}};
      const std::size_t begin = at_;
      if (!read_record(record)) {
        const bool only_last_line = text_.find('\n', begin) == std::string_view::npos;
        if (!only_last_line) {
          return core::invalid_input(
              "line " + std::to_string(open_quote_line_) + ": a quote is opened and never closed",
              "close it, or double it (\"\") where it is part of the text");
        }
        result_.torn_line = record.line;
        break;
      }
      const bool blank = core::trim(text_.substr(begin, at_ - begin)).empty() && record.cells.size() == 1;
      if (!blank) result_.records.push_back(std::move(record));
    }
    return std::move(result_);
  }

 private:
  /// @return false if the text ended inside quotes.
  bool read_record(CsvRecord& record) {
    while (true) {
      std::string cell;
      if (!read_cell(cell)) return false;
      record.cells.push_back(std::move(cell));
      if (at_ >= text_.size()) return true;
      const char next = text_[at_++];
      if (next == separator_) continue;
      ++line_;
      return true;
    }
  }

  /// Stops at a separator, at LF (a CR before it is dropped) or at the end.
  bool read_cell(std::string& cell) {
    if (at_ < text_.size() && text_[at_] == '"' && !read_quoted(cell)) return false;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    std::string_view rest = text_.substr(begin, at_ - begin);
    const bool ends_line = at_ >= text_.size() || text_[at_] == '\n';
    if (ends_line && rest.ends_with('\r')) rest.remove_suffix(1);
    cell += rest;
    return true;
  }

  bool read_quoted(std::string& cell) {
    open_quote_line_ = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '"') {
        const bool doubled = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
        if (!doubled) {
          ++at_;
          return true;
        }
        ++at_;
      }
      cell += text_[at_];
    }
    return false;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t open_quote_line_ = 0;
  CsvText result_;
};

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace

core::Result<CsvText> parse_csv(std::string_view text, char separator) {
  return Reader(without_mark(text), separator).read();
}

char guess_separator(std::string_view text) {
  static constexpr std::array<char, 3> kCandidates{',', ';', '\t'};
  std::array<std::size_t, 3> counts{};
  bool quoted = false;
  for (const char c : without_mark(text)) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    for (std::size_t i = 0; i < kCandidates.size(); ++i) counts[i] += c == kCandidates[i] ? 1u : 0u;
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return kCandidates[static_cast<std::size_t>(most - counts.begin())];
}

std::string csv_cell(std::string_view text) {
  const bool runs = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  std::string cell;
  if (runs && !core::parse_number(text)) cell += '\'';
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_cell(cells[i]);
  }
  return line + '\n';
}

}  // namespace paretune::report
