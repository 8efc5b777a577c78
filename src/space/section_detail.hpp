// Parts of the reader of the `space` section, one per file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/space/space.hpp"

namespace paretune::space::detail {

std::string item_path(const std::string& path, std::size_t index);

/// Records a fault if expressions could not name it or a command line could not spell it.
void check_name(const std::string& name, core::Position position, const std::string& path,
                core::Diagnostics& diagnostics);

/// Values of one list: every one readable, none twice, all of one kind.
std::vector<Level> read_levels(const core::Node& node, const std::string& path,
                               core::Diagnostics& diagnostics);
/// "numbers and texts" if the values are of more than one kind, else "". Whole and real numbers are one kind.
std::string mixed_kinds(const std::vector<Level>& levels);

struct RangeResult {
  Domain domain;
  Scale scale = Scale::Linear;
};
/// Reads `{min, max, step | scale, type}`. @return nullopt after recording the faults.
std::optional<RangeResult> read_range(core::MappingReader& reader, const core::Node& node,
                                      const std::string& path);

/// What single and linked parameters have in common.
struct Common {
  const core::Node* when = nullptr;
  std::string when_path;
  bool live = false;
  std::optional<Style> style;
  core::Position style_position;
  std::string doc;
};
Common read_common(core::MappingReader& reader);
/// Sets what `common` says. @param path  of the parameter.
void apply_common(const Common& common, const std::string& path, Parameter& parameter,
                  core::Diagnostics& diagnostics);
/// Makes a list of values the parameter's domain, with the defaults that follow from it.
void set_levels(Parameter& parameter, std::vector<Level> levels, std::optional<bool> ordered);

/// Reads `{link: […], values: [[…], …]}` without its common keys. Rows with faults are left out.
Link read_link(core::MappingReader& reader, const core::Node& node);
/// The distinct values of one column of a link, in order of first use.
std::vector<Level> column_levels(const Link& link, std::size_t column);

/// Values that a domain may take, for checks of expressions.
PossibleValues possible_values(const Domain& domain);
Possibilities possibilities(const std::vector<Parameter>& parameters, const Configuration& fixed);

}  // namespace paretune::space::detail
