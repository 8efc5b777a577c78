#include <algorithm>

#include "paretune/core/text.hpp"
#include "space/section_detail.hpp"

namespace paretune::space {

namespace {

using core::Diagnostics;
using core::MappingReader;
using core::Node;

constexpr std::array kRangeKeys{"min", "max", "step", "scale", "type"};

/// Faults of types, and a warning for each comparison that nothing can meet.
void check_expression(const Expression& expression, const Possibilities& possible, core::Position position,
                      const std::string& path, Diagnostics& diagnostics) {
  for (const std::string& fault : expression.type_faults(possible)) {
    diagnostics.fault(position, path, "'" + expression.text() + "': " + fault);
  }
  for (const std::string& remark : expression.never_met(possible)) {
    diagnostics.warn(position, path, "'" + expression.text() + "': " + remark);
  }
}

/// Conditions can be parsed only when the names of all parameters are known.
struct PendingCondition {
  std::string parameter;
  const Node* text;
  std::string path;
};

class SectionReader {
 public:
  SectionReader(const Configuration& fixed, Diagnostics& diagnostics)
      : fixed_(fixed), diagnostics_(diagnostics) {}

  SpaceSection read(const Node& node) {
    if (node.kind == Node::Kind::Null) return {};
    if (node.kind != Node::Kind::Mapping) {
      diagnostics_.fault(node.position, "space", "must be a mapping, not " + core::describe(node));
      return {};
    }
    for (const core::Member& member : node.members) {
      if (member.value.find("link") != nullptr) {
        read_linked(member);
      } else {
        read_single(member);
      }
    }
    attach_conditions();
    return std::move(section_);
  }

 private:
  void read_single(const core::Member& member) {
    const std::string path = "space." + member.key;
    detail::check_name(member.key, member.position, path, diagnostics_);
    Parameter parameter;
    parameter.name = member.key;
    if (member.value.kind == Node::Kind::Sequence) {
      detail::set_levels(parameter, detail::read_levels(member.value, path, diagnostics_), std::nullopt);
      warn_if_unsorted(member.value, path, parameter);
    } else if (member.value.kind == Node::Kind::Mapping) {
      read_mapping(member.value, path, parameter);
    } else {
      diagnostics_.fault(member.value.position, path,
                         "must be a list or a range, not " + core::describe(member.value),
                         "write [a, b], {min: 1, max: 8} or {values: [a, b]}");
    }
    add(std::move(parameter), member.position, path);
  }

  void read_mapping(const Node& node, const std::string& path, Parameter& parameter) {
    MappingReader reader(node, path, diagnostics_);
    const detail::Common common = detail::read_common(reader);
    const std::optional<bool> ordered = reader.boolean("ordered");
    if (const Node* values = reader.get("values")) {
      detail::set_levels(parameter, detail::read_levels(*values, reader.path_of("values"), diagnostics_),
                         ordered);
      warn_if_unsorted(*values, reader.path_of("values"), parameter);
      refuse_range_keys(reader);
    } else if (node.find("min") == nullptr && node.find("max") == nullptr) {
      diagnostics_.fault(node.position, path, "needs values, or min and max");
      for (const char* key : kRangeKeys) reader.get(key);
    } else if (const auto range = detail::read_range(reader, node, path)) {
      parameter.domain = range->domain;
      parameter.scale = range->scale;
      parameter.ordered = ordered.value_or(true);
      refuse_unordered_reals(reader, parameter);
    }
    detail::apply_common(common, path, parameter, diagnostics_);
    if (common.when != nullptr) conditions_.push_back({parameter.name, common.when, common.when_path});
    // Other tools spell it so, and no guess by spelling leads from here to `scale`.
    if (const Node* log = node.find("log")) {
      reader.get("log");
      diagnostics_.fault(log->position, reader.path_of("log"), "unknown key 'log'", "write scale: log");
    }
    reader.finish();
  }

  /// Neighbours in an ordered list count as alike, which [8, 1, 4] would turn into nonsense.
  void warn_if_unsorted(const Node& list, const std::string& path, const Parameter& parameter) {
    const auto* levels = std::get_if<LevelList>(&parameter.domain);
    if (!parameter.ordered || levels == nullptr) return;
    std::vector<double> numbers;
    for (const Level& level : levels->levels) {
      if (is_number(level.value)) numbers.push_back(as_number(level.value));
    }
    const bool sorted =
        std::is_sorted(numbers.begin(), numbers.end()) || std::is_sorted(numbers.rbegin(), numbers.rend());
    if (sorted) return;
    diagnostics_.warn(list.position, path,
                      "the numbers are in no order, but the search takes neighbours for alike",
                      "sort them, or write {values: […], ordered: false}");
  }

  void refuse_range_keys(MappingReader& reader) {
    for (const char* key : kRangeKeys) {
      const Node* found = reader.get(key);
      if (found == nullptr) continue;
      diagnostics_.fault(found->position, reader.path_of(key), "does not go with values",
                         "leave one of them out");
    }
  }

  void refuse_unordered_reals(MappingReader& reader, const Parameter& parameter) {
    if (parameter.ordered || level_count(parameter.domain)) return;
    diagnostics_.fault(reader.get("ordered")->position, reader.path_of("ordered"),
                       "a continuous range is always ordered", "give it a step, or leave this out");
  }

  void read_linked(const core::Member& member) {
    const std::string path = "space." + member.key;
    MappingReader reader(member.value, path, diagnostics_);
    const detail::Common common = detail::read_common(reader);
    Link link = detail::read_link(reader, member.value);
    reader.finish();
    for (std::size_t c = 0; c < link.names.size(); ++c) {
      Parameter parameter;
      parameter.name = link.names[c];
      detail::set_levels(parameter, detail::column_levels(link, c), std::nullopt);
      detail::apply_common(common, path, parameter, diagnostics_);
      if (common.when != nullptr) conditions_.push_back({parameter.name, common.when, common.when_path});
      add(std::move(parameter), member.value.find("link")->position, reader.path_of("link"));
    }
    section_.links.push_back(std::move(link));
  }

  void add(Parameter parameter, core::Position position, const std::string& path) {
    const bool twice = std::any_of(section_.parameters.begin(), section_.parameters.end(),
                                   [&](const Parameter& other) { return other.name == parameter.name; });
    if (twice) {
      diagnostics_.fault(position, path, "the parameter '" + parameter.name + "' is given twice",
                         "once by itself and once in a link, or in two links");
      return;
    }
    if (fixed_.count(parameter.name) > 0) {
      diagnostics_.fault(position, path, "'" + parameter.name + "' is also a fixed argument (engine.args)",
                         "leave one of them out");
    }
    section_.parameters.push_back(std::move(parameter));
  }

  void attach_conditions() {
    std::vector<std::string> known;
    for (const Parameter& parameter : section_.parameters) known.push_back(parameter.name);
    for (const auto& [name, value] : fixed_) known.push_back(name);
    for (const PendingCondition& condition : conditions_) {
      core::Result<Expression> parsed = Expression::parse(condition.text->text, known);
      if (!parsed) {
        diagnostics_.fault(condition.text->position, condition.path, parsed.error().message,
                           parsed.error().hint);
        continue;
      }
      check_expression(*parsed, detail::possibilities(section_.parameters, fixed_), condition.text->position,
                       condition.path, diagnostics_);
      for (Parameter& parameter : section_.parameters) {
        if (parameter.name == condition.parameter) parameter.when = *parsed;
      }
    }
  }

  const Configuration& fixed_;
  Diagnostics& diagnostics_;
  SpaceSection section_;
  std::vector<PendingCondition> conditions_;
};

}  // namespace

SpaceSection read_space(const Node* node, Diagnostics& diagnostics, const Configuration& fixed) {
  if (node == nullptr) return {};
  return SectionReader(fixed, diagnostics).read(*node);
}

std::vector<std::string> read_constraints(const Node* node, const SpaceSection& section,
                                          const Configuration& fixed, Diagnostics& diagnostics) {
  if (node == nullptr || node->kind == Node::Kind::Null) return {};
  std::vector<std::string> known, texts;
  for (const Parameter& parameter : section.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : fixed) known.push_back(name);
  const auto read_one = [&](const Node& item, const std::string& path) {
    if (item.kind != Node::Kind::String) {
      diagnostics.fault(item.position, path, "must be an expression, not " + core::describe(item));
      return;
    }
    const core::Result<Expression> parsed = Expression::parse(item.text, known);
    if (!parsed) {
      diagnostics.fault(item.position, path, parsed.error().message, parsed.error().hint);
      return;
    }
    check_expression(*parsed, detail::possibilities(section.parameters, fixed), item.position, path,
                     diagnostics);
    if (parsed->names().empty()) diagnostics.fault(item.position, path, "names no parameter: " + item.text);
    texts.push_back(item.text);
  };
  if (node->kind != Node::Kind::Sequence) {
    read_one(*node, "constraints");
    return texts;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    read_one(node->items[i], detail::item_path("constraints", i));
  }
  return texts;
}

}  // namespace paretune::space
