#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "space/section_detail.hpp"

namespace paretune::space {

using core::Node;

namespace detail {

namespace {

const char* kind_name(const Value& value) {
  if (std::holds_alternative<bool>(value)) return "true/false";
  if (is_number(value)) return "numbers";
  return std::holds_alternative<std::string>(value) ? "texts" : "mappings or lists";
}

}  // namespace

std::string item_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string mixed_kinds(const std::vector<Level>& levels) {
  std::set<std::string> kinds;
  for (const Level& level : levels) kinds.insert(kind_name(level.value));
  return kinds.size() < 2 ? "" : *kinds.begin() + " and " + *kinds.rbegin();
}

std::vector<Level> read_levels(const Node& node, const std::string& path, core::Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::Sequence) {
    diagnostics.fault(node.position, path, "must be a list, not " + core::describe(node));
    return {};
  }
  if (node.items.empty()) diagnostics.fault(node.position, path, "the list is empty");
  LevelList list;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    std::optional<Level> level = read_level(node.items[i], item_path(path, i), diagnostics);
    if (!level) continue;
    if (level_index(list, level->value)) {
      diagnostics.fault(node.items[i].position, item_path(path, i), level->text + " is given twice");
    } else {
      list.levels.push_back(std::move(*level));
    }
  }
  const std::string mixed = mixed_kinds(list.levels);
  if (!mixed.empty()) {
    diagnostics.fault(node.position, path, "mixes " + mixed, "quote all of them, or none");
  }
  return std::move(list.levels);
}

}  // namespace detail

std::optional<Level> read_level(const Node& node, const std::string& path, core::Diagnostics& diagnostics) {
  switch (node.kind) {
    case Node::Kind::Null:
      diagnostics.fault(node.position, path, "a value is missing", "quote 'null' if it is a text");
      return std::nullopt;
    case Node::Kind::Boolean:
      return Level{node.boolean, node.boolean ? "true" : "false"};
    case Node::Kind::Integer:
      // Not as written: a C program reads 010 as eight.
      return Level{node.integer, std::to_string(node.integer)};
    case Node::Kind::Real:
      if (std::isfinite(node.real)) return Level{node.real, node.text};
      diagnostics.fault(node.position, path, node.text + " is no parameter value",
                        "quote it if it is a text");
      return std::nullopt;
    case Node::Kind::String:
      return Level{node.text, node.text};
    case Node::Kind::Sequence:
    case Node::Kind::Mapping: {
      Value nested = value_from_json(core::to_json(node));
      std::string text = to_text(nested);
      return Level{std::move(nested), std::move(text)};
    }
  }
  return std::nullopt;
}

}  // namespace paretune::space
