// The search space: parameters, links, conditions and constraints; counting without building the product; the
// mapping between points and codes that searchers work on; enumeration and sampling of valid codes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/count.hpp"
#include "paretune/core/diagnostics.hpp"
#include "paretune/core/random.hpp"
#include "paretune/space/parameter.hpp"

namespace paretune::space {

namespace detail {
class CompiledSpace;
}

/// What a searcher may turn: one parameter, or several linked ones (tuples) as one unordered choice.
struct Axis {
  std::string name;                     ///< "tp" or "tp+pp"
  std::vector<std::size_t> parameters;  ///< indices into Space::parameters()
  std::optional<std::size_t> levels;    ///< nullopt: continuous real
  bool ordered = true;
  bool live = false;
  Scale scale = Scale::Linear;
};

/// One number per axis: the level index (a whole number), or the value itself on a continuous axis.
using Code = std::vector<double>;

/// Linked parameters: parameters[i] takes rows[r][i] together.
struct Link {
  std::vector<std::string> names;
  std::vector<std::vector<Level>> rows;
};

/// Immutable after create(); safe from many threads.
class Space {
 public:
  Space() = default;

  /// @param fixed  fixed arguments that expressions may name (engine.args).
  /// @return faults for: unknown names and clashes of types in expressions, duplicate parameters, a `when`
  /// that depends on itself.
  static core::Result<Space> create(std::vector<Parameter> parameters, std::vector<Link> links,
                                    std::vector<std::string> constraints, Configuration fixed = {});

  /// The same parameters and links under other constraints, e.g. fewer, to count what each removes.
  core::Result<Space> with_constraints(std::vector<std::string> constraints) const;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Axis>& axes() const { return axes_; }
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Expression>& constraints() const { return constraints_; }
  const Configuration& fixed() const { return fixed_; }
  const Parameter* find(std::string_view name) const;

  bool continuous() const;  ///< has at least one continuous axis
  /// Distinct valid points over all axes (or restart axes only): conditions and constraints applied, inactive
  /// parameters counted once. Exact, by components of parameters that share an expression; nullopt if
  /// continuous. A lower bound (Count::saturated) when one component needs over `component_limit` steps. A
  /// configuration counts when at least one of its live settings is valid.
  std::optional<core::Count> count_points(std::size_t component_limit = 50'000'000) const;
  std::optional<core::Count> count_configurations(std::size_t component_limit = 50'000'000) const;
  /// Product of level counts, before conditions and constraints; continuous axes count as 1.
  core::Count raw_configurations() const;

  /// The canonical form: axes of inactive parameters are set to 0. Equal servers have equal canonical codes.
  Code canonical(Code code) const;
  /// Are all constraints met (inactive names do not violate), and all real values in their ranges?
  bool valid(const Code& code) const;
  Point decode(const Code& code) const;
  /// @return nullopt if a value is not in its domain or a needed parameter is missing. Canonical.
  std::optional<Code> encode(const Point& point) const;
  /// Text for the command line, as written in the file where it was written there.
  std::string text(std::string_view name, const Value& value) const;

  /// Calls `visit` for every valid canonical code of the restart axes (live axes 0) in lexicographic order:
  /// the last axis moves fastest. Stops when `visit` returns false. @throws std::invalid_argument for a
  /// continuous space.
  void for_each_configuration(const std::function<bool(const Code&)>& visit) const;
  /// All live settings of one configuration, in file order: codes that share its restart axes.
  std::vector<Code> live_codes(const Code& configuration) const;
  /// A valid canonical code, uniform over the valid canonical codes (a continuous axis is uniform on its
  /// scale, given the others). Components are drawn apart: by rejection, then by counting where few
  /// combinations are valid.
  /// @return nullopt if there is none, or if one was neither found in `tries` draws nor countable.
  std::optional<Code> sample(core::Random& random, std::size_t tries = 10'000) const;
  /// From a point of the unit cube (one coordinate per axis), not checked for validity.
  Code from_unit(std::span<const double> unit) const;
  /// To [0, 1]^d: ordered axes by level (log2 axes equally spaced), half-a-step padding; unordered: index /
  /// levels.
  std::vector<double> to_unit(const Code& code) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Axis> axes_;
  std::vector<Link> links_;
  std::vector<Expression> constraints_;
  Configuration fixed_;
  std::shared_ptr<const detail::CompiledSpace> compiled_;  ///< tables for speed; nullptr = the empty space
};

/// What the file says, before constraints of other sections are known.
struct SpaceSection {
  std::vector<Parameter> parameters;
  std::vector<Link> links;
};

/// Reads the `space` mapping (design §4), collecting every fault: min > max, step <= 0, empty lists, log from
/// 0, scale with step, mixed types, repeated values, unknown keys. Unreachable max is a warning. nullptr = an
/// empty space.
/// @param fixed  engine.args, which a `when` may name too.
SpaceSection read_space(const core::Node* node, core::Diagnostics& diagnostics,
                        const Configuration& fixed = {});
/// Reads `constraints`: a list of expressions, or one. Faults carry the line of each; nullptr = none. A
/// comparison with a value that the parameter never takes is a warning.
std::vector<std::string> read_constraints(const core::Node* node, const SpaceSection& section,
                                          const Configuration& fixed, core::Diagnostics& diagnostics);
/// One value of a parameter or of `engine.args`. Faults: null, .inf, .nan.
std::optional<Level> read_level(const core::Node& node, const std::string& path,
                                core::Diagnostics& diagnostics);

}  // namespace paretune::space
