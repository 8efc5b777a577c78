#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/report/front_input.hpp"
#include "report/text_table.hpp"

namespace paretune::report {

namespace {

constexpr std::size_t kMaxCell = 40;

/// Columns of the table that are worth showing, in their order: objectives and limits always, others while
/// they fit.
std::vector<std::size_t> shown_columns(const FrontAnswer& answer, const FrontGroup& group, int width) {
  std::vector<std::size_t> first, others;
  std::set<std::size_t> taken;
  const auto add = [&](const std::string& name) {
    const auto column = answer.table.find(name);
    if (column && taken.insert(*column).second) first.push_back(*column);
  };
  for (const FrontObjective& objective : answer.objectives) add(objective.column);
  for (const FrontLimit& limit : answer.limits) add(limit.column);
  if (const auto id = answer.table.find(answer.id_column)) taken.insert(*id);
  for (const auto& [name, label] : group.key) taken.insert(*answer.table.find(name));
  std::size_t used = 12;
  for (const std::size_t column : first) used += answer.table.columns[column].size() + 2;
  for (std::size_t c = 0; c < answer.table.columns.size(); ++c) {
    if (taken.count(c) > 0) continue;
    std::size_t widest = display_width(answer.table.columns[c]);
    for (const std::size_t member : group.front.members) {
      widest = std::max(
          widest, std::min(kMaxCell, display_width(answer.table.rows[group.rows[member].row].cells[c].text)));
    }
    used += widest + 2;
    if (width > 0 && used > static_cast<std::size_t>(width)) break;
    others.push_back(c);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

std::string cell_text(const Cell& cell) {
  return cell.number ? core::format_short(*cell.number) : cell.text.empty() ? "–" : cell.text;
}

bool numeric_column(const FrontAnswer& answer, const FrontGroup& group, std::size_t column) {
  return std::all_of(group.front.members.begin(), group.front.members.end(), [&](std::size_t member) {
    return answer.table.rows[group.rows[member].row].cells[column].number.has_value();
  });
}

/// Members with equal objectives share a line, so that one point is not mistaken for several.
std::vector<std::vector<std::size_t>> merged_members(const FrontGroup& group) {
  std::vector<std::vector<std::size_t>> lines;
  for (const std::size_t member : group.front.members) {
    const bool same = !lines.empty() && group.rows[lines.back().front()].values == group.rows[member].values;
    if (same) {
      lines.back().push_back(member);
    } else {
      lines.push_back({member});
    }
  }
  return lines;
}

std::string members_table(const FrontAnswer& answer, const FrontGroup& group, bool color, int width) {
  const std::vector<std::size_t> shown = shown_columns(answer, group, width);
  std::vector<TextColumn> columns{{answer.id_column.empty() ? "row" : answer.id_column, "", false, kMaxCell}};
  for (const std::size_t column : shown) {
    columns.push_back({answer.table.columns[column], "", numeric_column(answer, group, column), kMaxCell});
  }
  columns.push_back({"", "", false, 0});
  TextTable table(std::move(columns));
  for (const auto& line : merged_members(group)) {
    std::vector<std::string> ids;
    bool knee = false;
    for (const std::size_t member : line) {
      ids.push_back(to_text(group.rows[member].id));
      knee = knee || group.front.knee == member;
    }
    std::vector<std::string> cells{core::join(ids, ", ")};
    for (const std::size_t column : shown) {
      std::set<std::string> texts;
      for (const std::size_t member : line)
        texts.insert(cell_text(answer.table.rows[group.rows[member].row].cells[column]));
      cells.push_back(core::join(std::vector<std::string>(texts.begin(), texts.end()), ", "));
    }
    cells.emplace_back(knee ? "knee" : "");
    table.add_row(std::move(cells));
  }
  return table.render(color);
}

std::string nearest_text(const FrontAnswer& answer, const FrontGroup& group) {
  if (!group.front.nearest) return "  no rows to compare\n";
  const FrontRow& row = group.rows[group.front.nearest->index];
  std::string text = fmt::format("  no row meets the limits; nearest: {} (off by {:.4g} % in sum)\n",
                                 to_text(row.id), group.front.nearest->violation * 100);
  for (std::size_t k = 0; k < answer.limits.size(); ++k) {
    const std::size_t column = *answer.table.find(answer.limits[k].column);
    const double value = *answer.table.rows[row.row].cells[column].number;
    const std::string verdict =
        row.violation[k] > 0 ? fmt::format("missed by {:.4g} %", row.violation[k] * 100) : "met";
    text += fmt::format("    {}: {} ({})\n", answer.limits[k].text, core::format_short(value), verdict);
  }
  return text;
}

std::string objectives_text(const FrontAnswer& answer) {
  std::vector<std::string> parts;
  for (const FrontObjective& objective : answer.objectives) {
    parts.push_back((objective.maximize ? "max " : "min ") + objective.column);
  }
  for (const FrontLimit& limit : answer.limits) parts.push_back(limit.text);
  return core::join(parts, ", ");
}

std::string group_title(const FrontAnswer& answer, const FrontGroup& group) {
  std::vector<std::string> key;
  for (const auto& [column, label] : group.key) key.push_back(column + "=" + to_text(label));
  const std::size_t members = group.front.members.size();
  std::string title = key.empty() ? "Front" : core::join(key, " ");
  title += fmt::format(": {} of {} rows", members, group.rows.size());
  if (group.front.distinct < members) title += fmt::format(", {} different points", group.front.distinct);
  return answer.grouped ? title : title + " (" + objectives_text(answer) + ")";
}

}  // namespace

std::string render_front_answer_table(const FrontAnswer& answer, bool color, int width) {
  if (answer.study) return render_table(*answer.study, color, width);
  std::string text;
  if (answer.grouped) text += "Fronts by group (" + objectives_text(answer) + ")\n";
  for (const FrontGroup& group : answer.groups) {
    if (!text.empty()) text += "\n";
    text += bold(group_title(answer, group), color) + "\n";
    text += group.front.members.empty() ? nearest_text(answer, group)
                                        : members_table(answer, group, color, width);
  }
  return text;
}

}  // namespace paretune::report
