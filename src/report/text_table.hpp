// Aligned columns for a terminal: widths count what is seen (UTF-8, wide and combining characters), not
// bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paretune::report {

/// Columns of a terminal that the text takes. Source for the ranges: Unicode 15 EastAsianWidth (W and F), and
/// the combining marks that take none.
std::size_t display_width(std::string_view text);

/// At most `width` columns; a longer text ends with an ellipsis.
std::string elide(std::string_view text, std::size_t width);

struct TextColumn {
  std::string title;
  std::string unit;           ///< second header line; empty in all columns = no such line
  bool right = false;         ///< numbers
  std::size_t max_width = 0;  ///< longer cells are elided; 0 = never
};

enum class Emphasis { None, Strong, Faint };

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  /// @throws std::invalid_argument if the number of cells is not that of the columns.
  void add_row(std::vector<std::string> cells, Emphasis emphasis = Emphasis::None);
  bool empty() const { return rows_.empty(); }
  /// @param indent  blanks before each line. Every line ends with LF; no blanks at line ends.
  std::string render(bool color, std::size_t indent = 2) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Emphasis emphasis;
  };
  std::vector<TextColumn> columns_;
  std::vector<Row> rows_;
};

/// ANSI styles; the text itself where color is off.
std::string bold(std::string_view text, bool color);
std::string faint(std::string_view text, bool color);
std::string green(std::string_view text, bool color);
std::string red(std::string_view text, bool color);
std::string yellow(std::string_view text, bool color);

/// Lines of at most `width` columns, broken at blanks. The first one begins at column `indent` (after a label
/// that is printed already), the others get `indent` blanks.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace paretune::report
