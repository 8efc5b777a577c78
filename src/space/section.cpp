#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "paretune/core/text.hpp"
#include "paretune/space/space.hpp"
#include "space/section_detail.hpp"

namespace paretune::space {

namespace {

using core::Diagnostics;
using core::MappingReader;
using core::Node;

enum class Category { Boolean, Number, Text, Nested };

Category category_of(const Value& value) {
  if (std::holds_alternative<bool>(value)) return Category::Boolean;
  if (is_number(value)) return Category::Number;
  return std::holds_alternative<std::string>(value) ? Category::Text : Category::Nested;
}

const char* plural(Category category) {
  switch (category) {
    case Category::Boolean:
      return "true/false";
    case Category::Number:
      return "numbers";
    case Category::Text:
      return "texts";
    case Category::Nested:
      return "mappings or lists";
  }
  return "values";
}

std::string item_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

/// Values of one list: every one readable, none twice, all of one kind.
std::vector<Level> read_levels(const Node& node, const std::string& path, Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::Sequence) {
    diagnostics.fault(node.position, path, "must be a list, not " + core::describe(node));
    return {};
  }
  if (node.items.empty()) diagnostics.fault(node.position, path, "the list is empty");
  std::vector<Level> levels;
  std::set<Category> categories;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    std::optional<Level> level = read_level(node.items[i], item_path(path, i), diagnostics);
    if (!level) continue;
    categories.insert(category_of(level->value));
    const LevelList before{levels};
    if (level_index(before, level->value)) {
      diagnostics.fault(node.items[i].position, item_path(path, i), level->text + " is given twice");
      continue;
    }
    levels.push_back(std::move(*level));
  }
  if (categories.size() > 1) {
    diagnostics.fault(
        node.position, path,
        std::string("mixes ") + plural(*categories.begin()) + " and " + plural(*categories.rbegin()),
        "quote all of them, or none");
  }
  return levels;
}

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

void check_name(const std::string& name, core::Position position, const std::string& path,
                Diagnostics& diagnostics) {
  static const std::set<std::string> kWords{"and", "or", "not", "in", "true", "false"};
  if (name.starts_with("-")) {
    diagnostics.fault(position, path, "'" + name + "' begins with a dash", "leave the dashes out");
  } else if (!is_name(name)) {
    diagnostics.fault(position, path, "'" + name + "' is no parameter name",
                      "a letter, then letters, digits, '-', '_' and '.'");
  } else if (kWords.count(name) > 0) {
    diagnostics.fault(position, path, "'" + name + "' is a word of expressions and cannot name a parameter");
  }
}

/// What parameters and links have in common.
struct Common {
  std::optional<std::string> when;
  core::Position when_position;
  std::string when_path;
  bool live = false;
  std::optional<Style> style;
  core::Position style_position;
  std::string doc;
};

std::optional<Style> read_style(MappingReader& reader, Common& common) {
  static const std::vector<std::string> kNames{"value", "equals", "presence", "no-prefix", "json"};
  static constexpr std::array kStyles{Style::Value, Style::Equals, Style::Presence, Style::NoPrefix,
                                      Style::Json};
  const Node* node = reader.get("style");
  if (node == nullptr) return std::nullopt;
  common.style_position = node->position;
  const auto found = std::find(kNames.begin(), kNames.end(), node->text);
  if (node->kind == Node::Kind::String && found != kNames.end()) {
    return kStyles[static_cast<std::size_t>(found - kNames.begin())];
  }
  reader.diagnostics().fault(
      node->position, reader.path_of("style"),
      "must be value, equals, presence, no-prefix or json, not " + core::describe(*node),
      core::did_you_mean(node->text, kNames));
  return std::nullopt;
}

Common read_common(MappingReader& reader) {
  Common common;
  common.when = reader.string("when");
  if (const Node* when = reader.get("when")) common.when_position = when->position;
  common.when_path = reader.path_of("when");
  common.live = reader.boolean("live").value_or(false);
  common.doc = reader.string("doc").value_or("");
  common.style = read_style(reader, common);
  return common;
}

/// Conditions can be parsed only when the names of all parameters are known.
struct PendingCondition {
  std::string parameter;
  std::string text;
  core::Position position;
  std::string path;
};

class SectionReader {
 public:
  explicit SectionReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  SpaceSection read(const Node& node, const std::vector<std::string>& fixed_names) {
    if (node.kind == Node::Kind::Null) return {};
    if (node.kind != Node::Kind::Mapping) {
      diagnostics_.fault(node.position, "space", "must be a mapping, not " + core::describe(node));
      return {};
    }
    for (const core::Member& member : node.members) read_member(member);
    attach_conditions(fixed_names);
    return std::move(section_);
  }

 private:
  void read_member(const core::Member& member) {
    const std::string path = "space." + member.key;
    if (member.value.find("link") != nullptr) {
      read_link(member.value, path);
      return;
    }
    check_name(member.key, member.position, path, diagnostics_);
    Parameter parameter;
    parameter.name = member.key;
    const std::size_t faults_before = diagnostics_.faults().size();
    if (member.value.kind == Node::Kind::Sequence) {
      set_levels(parameter, read_levels(member.value, path, diagnostics_), std::nullopt);
    } else if (member.value.kind == Node::Kind::Mapping) {
      read_mapping(member.value, path, parameter);
    } else {
      diagnostics_.fault(member.value.position, path,
                         "must be a list or a range, not " + core::describe(member.value),
                         "write [a, b], {min: 1, max: 8} or {values: [a, b]}");
    }
    if (diagnostics_.faults().size() == faults_before || has_levels(parameter))
      add(std::move(parameter), member.position, path);
    names_.push_back(member.key);
  }

  static bool has_levels(const Parameter& parameter) {
    const auto count = level_count(parameter.domain);
    return !count || *count > 0;
  }

  void add(Parameter parameter, core::Position position, const std::string& path) {
    const bool twice = std::any_of(section_.parameters.begin(), section_.parameters.end(),
                                   [&](const Parameter& other) { return other.name == parameter.name; });
    if (twice) {
      diagnostics_.fault(position, path, "the parameter '" + parameter.name + "' is given twice",
                         "once by itself and once in a link, or in two links");
      return;
    }
    section_.parameters.push_back(std::move(parameter));
  }

  static void set_levels(Parameter& parameter, std::vector<Level> levels, std::optional<bool> ordered) {
    const bool numbers = !levels.empty() && std::all_of(levels.begin(), levels.end(), [](const Level& level) {
      return is_number(level.value);
    });
    const bool nested = std::any_of(levels.begin(), levels.end(), [](const Level& level) {
      return std::holds_alternative<Nested>(level.value);
    });
    parameter.ordered = ordered.value_or(numbers);
    if (nested) parameter.style = Style::Json;
    parameter.domain = LevelList{std::move(levels)};
  }

  void read_mapping(const Node& node, const std::string& path, Parameter& parameter) {
    MappingReader reader(node, path, diagnostics_);
    const Common common = read_common(reader);
    const std::optional<bool> ordered = reader.boolean("ordered");
    if (const Node* values = reader.get("values")) {
      set_levels(parameter, read_levels(*values, reader.path_of("values"), diagnostics_), ordered);
      refuse_range_keys(reader);
    } else if (node.find("min") == nullptr && node.find("max") == nullptr) {
      diagnostics_.fault(node.position, path, "needs values, or min and max");
      for (const char* key : {"min", "max", "step", "scale", "type"}) reader.get(key);
    } else if (const auto range = detail::read_range(reader, node, path)) {
      parameter.domain = range->domain;
      parameter.scale = range->scale;
      parameter.ordered = ordered.value_or(true);
      refuse_unordered_reals(reader, parameter);
    }
    apply(common, parameter);
    check_style(common, path, parameter);
    // Spelled like this elsewhere, and too far from `scale` for a guess by spelling.
    if (const Node* log = node.find("log")) {
      reader.get("log");
      diagnostics_.fault(log->position, reader.path_of("log"), "unknown key 'log'", "write scale: log");
    }
    reader.finish();
  }

  void refuse_range_keys(MappingReader& reader) {
    for (const char* key : {"min", "max", "step", "scale", "type"}) {
      const Node* found = reader.get(key);
      if (found != nullptr) {
        diagnostics_.fault(found->position, reader.path_of(key), "does not go with values",
                           "leave one of them out");
      }
    }
  }

  void refuse_unordered_reals(MappingReader& reader, const Parameter& parameter) {
    if (parameter.ordered || level_count(parameter.domain)) return;
    diagnostics_.fault(reader.get("ordered")->position, reader.path_of("ordered"),
                       "a continuous range is always ordered", "give it a step, or leave this out");
  }

  void apply(const Common& common, Parameter& parameter) {
    parameter.live = common.live;
    parameter.doc = common.doc;
    if (common.style) parameter.style = *common.style;
    if (common.when) {
      conditions_.push_back({parameter.name, *common.when, common.when_position, common.when_path});
    }
  }

  void check_style(const Common& common, const std::string& path, const Parameter& parameter) {
    const bool by_presence = common.style == Style::Presence || common.style == Style::NoPrefix;
    const auto* list = std::get_if<LevelList>(&parameter.domain);
    if (!by_presence || (list != nullptr && list->levels.empty())) return;
    const bool booleans =
        list != nullptr && std::all_of(list->levels.begin(), list->levels.end(), [](const Level& level) {
          return std::holds_alternative<bool>(level.value);
        });
    if (booleans) return;
    diagnostics_.fault(common.style_position, path + ".style", "this style is for true and false only",
                       "values: [true, false]");
  }

  void read_link(const Node& node, const std::string& path) {
    MappingReader reader(node, path, diagnostics_);
    Common common = read_common(reader);
    Link link;
    link.names = reader.strings("link").value_or(std::vector<std::string>{});
    const core::Position names_position = node.find("link")->position;
    if (link.names.size() < 2) {
      diagnostics_.fault(names_position, reader.path_of("link"), "must name two parameters or more");
    }
    for (const std::string& name : link.names)
      check_name(name, names_position, reader.path_of("link"), diagnostics_);
    if (const Node* rows = reader.required("values")) read_rows(*rows, reader.path_of("values"), link);
    reader.finish();
    names_.insert(names_.end(), link.names.begin(), link.names.end());
    if (link.names.size() < 2 || link.rows.empty()) return;
    add_linked(link, common, names_position, reader.path_of("link"));
    section_.links.push_back(std::move(link));
  }

  void read_rows(const Node& node, const std::string& path, Link& link) {
    if (node.kind != Node::Kind::Sequence || node.items.empty()) {
      diagnostics_.fault(node.position, path, "must be a list of rows, as in [[1, 8], [2, 4]]");
      return;
    }
    for (std::size_t r = 0; r < node.items.size(); ++r) {
      const Node& row = node.items[r];
      const std::string row_path = item_path(path, r);
      if (row.kind != Node::Kind::Sequence || row.items.size() != link.names.size()) {
        diagnostics_.fault(
            row.position, row_path,
            "must be a list of " + std::to_string(link.names.size()) + " values, one per linked name");
        continue;
      }
      std::vector<Level> levels;
      for (std::size_t c = 0; c < row.items.size(); ++c) {
        if (auto level = read_level(row.items[c], item_path(row_path, c), diagnostics_))
          levels.push_back(std::move(*level));
      }
      if (levels.size() != link.names.size()) continue;
      if (is_known_row(link, levels)) diagnostics_.fault(row.position, row_path, "the row is given twice");
      link.rows.push_back(std::move(levels));
    }
    check_columns(node, path, link);
  }

  static bool is_known_row(const Link& link, const std::vector<Level>& levels) {
    return std::any_of(link.rows.begin(), link.rows.end(), [&](const std::vector<Level>& row) {
      return std::equal(
          row.begin(), row.end(), levels.begin(), levels.end(),
          [](const Level& a, const Level& b) { return level_index(LevelList{{a}}, b.value).has_value(); });
    });
  }

  void check_columns(const Node& node, const std::string& path, const Link& link) {
    for (std::size_t c = 0; c < link.names.size(); ++c) {
      std::set<Category> categories;
      for (const auto& row : link.rows) categories.insert(category_of(row[c].value));
      if (categories.size() < 2) continue;
      diagnostics_.fault(node.position, path,
                         "the values of '" + link.names[c] + "' mix " + plural(*categories.begin()) +
                             " and " + plural(*categories.rbegin()),
                         "quote all of them, or none");
    }
  }

  void add_linked(const Link& link, const Common& common, core::Position position, const std::string& path) {
    for (std::size_t c = 0; c < link.names.size(); ++c) {
      Parameter parameter;
      parameter.name = link.names[c];
      LevelList list;
      for (const auto& row : link.rows) {
        if (!level_index(list, row[c].value)) list.levels.push_back(row[c]);
      }
      set_levels(parameter, std::move(list.levels), std::nullopt);
      apply(common, parameter);
      check_style(common, path, parameter);
      add(std::move(parameter), position, path);
    }
  }

  void attach_conditions(const std::vector<std::string>& fixed_names) {
    std::vector<std::string> known = names_;
    known.insert(known.end(), fixed_names.begin(), fixed_names.end());
    for (const PendingCondition& condition : conditions_) {
      core::Result<Expression> parsed = Expression::parse(condition.text, known);
      if (!parsed) {
        diagnostics_.fault(condition.position, condition.path, parsed.error().message, parsed.error().hint);
        continue;
      }
      for (Parameter& parameter : section_.parameters) {
        if (parameter.name == condition.parameter) parameter.when = *parsed;
      }
    }
  }

  Diagnostics& diagnostics_;
  SpaceSection section_;
  std::vector<std::string> names_;  ///< of all parameters, faulty ones too
  std::vector<PendingCondition> conditions_;
};

}  // namespace

SpaceSection read_space(const core::Node* node, core::Diagnostics& diagnostics,
                        const std::vector<std::string>& fixed_names) {
  if (node == nullptr) return {};
  return SectionReader(diagnostics).read(*node, fixed_names);
}

std::optional<Level> read_level(const core::Node& node, const std::string& path,
                                core::Diagnostics& diagnostics) {
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

std::vector<std::string> read_constraints(const core::Node* node, const std::vector<std::string>& known_names,
                                          core::Diagnostics& diagnostics) {
  if (node == nullptr || node->kind == Node::Kind::Null) return {};
  std::vector<std::string> texts;
  const auto read_one = [&](const Node& item, const std::string& path) {
    if (item.kind != Node::Kind::String) {
      diagnostics.fault(item.position, path, "must be an expression, not " + core::describe(item));
      return;
    }
    const core::Result<Expression> parsed = Expression::parse(item.text, known_names);
    if (!parsed) diagnostics.fault(item.position, path, parsed.error().message, parsed.error().hint);
    if (parsed && parsed->names().empty())
      diagnostics.fault(item.position, path, "names no parameter: " + item.text);
    texts.push_back(item.text);
  };
  if (node->kind != Node::Kind::Sequence) {
    read_one(*node, "constraints");
    return texts;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i) read_one(node->items[i], item_path("constraints", i));
  return texts;
}

}  // namespace paretune::space
