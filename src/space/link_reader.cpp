#include <algorithm>

#include "space/section_detail.hpp"

namespace paretune::space::detail {

namespace {

using core::Node;

bool is_known_row(const Link& link, const std::vector<Level>& levels) {
  return std::any_of(link.rows.begin(), link.rows.end(), [&](const std::vector<Level>& row) {
    return std::equal(
        row.begin(), row.end(), levels.begin(), levels.end(),
        [](const Level& a, const Level& b) { return level_index(LevelList{{a}}, b.value).has_value(); });
  });
}

void read_row(const Node& row, const std::string& path, Link& link, core::Diagnostics& diagnostics) {
  if (row.kind != Node::Kind::Sequence || row.items.size() != link.names.size()) {
    diagnostics.fault(
        row.position, path,
        "must be a list of " + std::to_string(link.names.size()) + " values, one per linked name");
    return;
  }
  std::vector<Level> levels;
  for (std::size_t c = 0; c < row.items.size(); ++c) {
    auto level = read_level(row.items[c], item_path(path, c), diagnostics);
    if (level) levels.push_back(std::move(*level));
  }
  if (levels.size() != link.names.size()) return;
  if (is_known_row(link, levels)) {
    diagnostics.fault(row.position, path, "the row is given twice");
    return;
  }
  link.rows.push_back(std::move(levels));
}

}  // namespace

Link read_link(core::MappingReader& reader, const Node& node) {
  core::Diagnostics& diagnostics = reader.diagnostics();
  Link link;
  link.names = reader.strings("link").value_or(std::vector<std::string>{});
  const core::Position names_position = node.find("link")->position;
  for (const std::string& name : link.names)
    check_name(name, names_position, reader.path_of("link"), diagnostics);
  if (link.names.size() < 2) {
    diagnostics.fault(names_position, reader.path_of("link"), "must name two parameters or more");
  }
  const Node* rows = reader.required("values");
  if (rows == nullptr) return link;
  const std::string path = reader.path_of("values");
  if (rows->kind != Node::Kind::Sequence || rows->items.empty()) {
    diagnostics.fault(rows->position, path, "must be a list of rows, as in [[1, 8], [2, 4]]");
    return link;
  }
  for (std::size_t r = 0; r < rows->items.size(); ++r) {
    read_row(rows->items[r], item_path(path, r), link, diagnostics);
  }
  for (std::size_t c = 0; c < link.names.size(); ++c) {
    const std::string mixed = mixed_kinds(column_levels(link, c));
    if (mixed.empty()) continue;
    diagnostics.fault(rows->position, path, "the values of '" + link.names[c] + "' mix " + mixed,
                      "quote all of them, or none");
  }
  return link;
}

std::vector<Level> column_levels(const Link& link, std::size_t column) {
  LevelList list;
  for (const auto& row : link.rows) {
    if (!level_index(list, row[column].value)) list.levels.push_back(row[column]);
  }
  return std::move(list.levels);
}

}  // namespace paretune::space::detail
