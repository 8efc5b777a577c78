#include "report/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "paretune/core/text.hpp"

namespace paretune::report {

namespace {

struct Range {
  char32_t first, last;
};
constexpr std::array<Range, 9> kZeroWidth{{{0x0300, 0x036F},
                                           {0x0483, 0x0489},
                                           {0x0591, 0x05BD},
                                           {0x064B, 0x065F},
                                           {0x1AB0, 0x1AFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xFE20, 0xFE2F}}};
constexpr std::array<Range, 14> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x33FF},
                                       {0x3400, 0x4DBF},
                                       {0x4E00, 0x9FFF},
                                       {0xA000, 0xA4CF},
                                       {0xA960, 0xA97F},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

struct Character {
  std::size_t bytes = 1, width = 1;
};

/// The first character; a byte that is no UTF-8 counts as one column.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (bytes > text.size()) bytes = 1;
  if (bytes == 1) return {1, 1};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u) return {1, 1};
    code = (code << 6) | (next & 0x3Fu);
  }
  return {bytes, within(kZeroWidth, code) ? 0u : within(kWide, code) ? 2u : 1u};
}

std::string style(std::string_view text, std::string_view code, bool color) {
  if (!color || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string pad(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = display_width(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string one_line(std::string text) {
  text = core::printable(text);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character.width;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string elide(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string kept;
  std::size_t used = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (used + character.width + 1 > width) break;
    kept += text.substr(0, character.bytes);
    used += character.width;
    text.remove_prefix(character.bytes);
  }
  return width == 0 ? "" : kept + "…";
}

void TextTable::add_row(std::vector<std::string> cells, Emphasis emphasis) {
  if (cells.size() != columns_.size()) throw std::invalid_argument("a row of another width than the table");
  for (std::size_t c = 0; c < cells.size(); ++c) {
    cells[c] = one_line(std::move(cells[c]));
    if (columns_[c].max_width > 0) cells[c] = elide(cells[c], columns_[c].max_width);
  }
  rows_.push_back({std::move(cells), emphasis});
}

std::string TextTable::render(bool color, std::size_t indent) const {
  std::vector<std::string> titles, units;
  std::vector<std::size_t> widths;
  bool any_unit = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(one_line(columns_[c].title));
    units.push_back(columns_[c].unit);
    any_unit = any_unit || !columns_[c].unit.empty();
    widths.push_back(std::max(display_width(titles[c]), display_width(units[c])));
    for (const Row& row : rows_) widths[c] = std::max(widths[c], display_width(row.cells[c]));
  }
  const auto line = [&](const std::vector<std::string>& cells, Emphasis emphasis) {
    std::string text(indent, ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) text += "  ";
      text += pad(cells[c], widths[c], columns_[c].right);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    if (emphasis == Emphasis::Strong) return bold(text, color) + "\n";
    if (emphasis == Emphasis::Faint) return faint(text, color) + "\n";
    return text + "\n";
  };
  std::string text = line(titles, Emphasis::Strong);
  if (any_unit) text += line(units, Emphasis::Faint);
  for (const Row& row : rows_) text += line(row.cells, row.emphasis);
  return text;
}

std::string bold(std::string_view text, bool color) {
  return style(text, "1", color);
}
std::string faint(std::string_view text, bool color) {
  return style(text, "2", color);
}
std::string green(std::string_view text, bool color) {
  return style(text, "32", color);
}
std::string red(std::string_view text, bool color) {
  return style(text, "31", color);
}
std::string yellow(std::string_view text, bool color) {
  return style(text, "33", color);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t used = indent;
  const std::string clean = one_line(std::string(text));
  for (const std::string& word : core::split(clean, ' ')) {
    if (word.empty()) continue;
    const std::size_t own = display_width(word);
    if (used > indent && used + 1 + own > width) {
      lines += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += own;
  }
  return lines;
}

}  // namespace paretune::report
