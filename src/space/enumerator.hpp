// Walks the valid canonical codes of some axes without building their product. Each condition and constraint
// is checked as soon as all its axes are set, and what can follow a prefix is remembered by the part of it
// that still matters (variable elimination): a chain of constraints a <= b <= c <= d costs pairs, not
// quadruples. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "paretune/core/count.hpp"
#include "paretune/core/random.hpp"
#include "space/compiled_space.hpp"

namespace paretune::space::detail {

/// Something to do once all its axes are set.
struct Check {
  enum class Kind { Condition, Canonical, Constraint };
  Kind kind;
  std::size_t subject;            ///< parameter, axis or constraint
  std::vector<std::size_t> axes;  ///< every axis that it depends on, its own included; sorted
};

class Enumerator {
 public:
  /// @param axes  in the order of the walk; closed under shared expressions. None may be continuous.
  /// @param counted_axes  how many of them matter one by one; the later ones only need one valid completion.
  Enumerator(const CompiledSpace& space, std::vector<std::size_t> axes, std::size_t counted_axes,
             std::size_t step_limit);

  /// Distinct valid codes of the first `counted_axes` axes. A lower bound when the step limit was hit.
  core::Count count();
  /// Calls `visit` with `code` filled in for the counted axes (the others are 0), the last axis moving
  /// fastest.
  /// @return false if `visit` did.
  bool visit(Code& code, const std::function<bool(const Code&)>& visit);
  /// Sets the first `fixed_axes` axes as in `code` and walks only the others.
  bool visit_from(std::size_t fixed_axes, Code& code, const std::function<bool(const Code&)>& visit);
  /// Fills in a code drawn uniformly. @return false if there is none or the step limit was hit.
  bool draw(Code& code, core::Random& random);

 private:
  void plan();
  bool enter(std::size_t depth, std::size_t level);
  bool passes(const Check& check);
  bool is_free(std::size_t depth) const;
  core::Count count_from(std::size_t depth);
  core::Count count_levels(std::size_t depth);
  bool can_complete(std::size_t depth);
  bool visit_level(std::size_t depth, Code& code, const std::function<bool(const Code&)>& visit);
  std::optional<std::uint64_t> key(std::size_t depth) const;
  std::size_t levels(std::size_t depth) const { return *space_.axis(axes_[depth]).levels; }

  const CompiledSpace& space_;
  std::vector<std::size_t> axes_;
  std::size_t counted_;
  std::size_t step_limit_;
  std::size_t steps_ = 0;        ///< of the present count or draw
  std::size_t prune_steps_ = 0;  ///< of can_complete, over the whole life
  std::size_t remembered_ = 0;
  std::size_t end_of_checks_ = 0;                    ///< no check is made at this depth or deeper
  std::vector<std::vector<Check>> checks_;           ///< by the depth at which they can be made
  std::vector<std::vector<std::size_t>> frontiers_;  ///< by depth: earlier depths that later checks look at
  std::vector<std::size_t> chosen_;                  ///< level by depth
  std::vector<std::unordered_map<std::uint64_t, core::Count>> counts_;
  std::vector<std::unordered_map<std::uint64_t, bool>> completable_;
  Assignment state_;
};

/// The axes in an order that keeps few of them open at a time; with `live_last`, restart axes come first.
std::vector<std::size_t> counting_order(const CompiledSpace& space, const std::vector<std::size_t>& axes,
                                        bool live_last);

}  // namespace paretune::space::detail
