#include "search/methods.hpp"

#include <algorithm>

namespace paretune::search {

using space::Code;

namespace {

/// Configurations are listed in chunks: a grid of millions need not be held at once, and nearly all grids are
/// one chunk.
constexpr std::size_t kChunk = 65'536;

core::Random stream(const Problem& problem, std::string_view name) {
  return core::Random(core::derive_seed(problem.seed, name));
}

}  // namespace

std::optional<Choice> GridSearcher::choose(const std::optional<Code>& /*running*/) {
  while (true) {
    if (chunk_.empty()) refill();
    if (chunk_.empty()) return std::nullopt;
    Code configuration = std::move(chunk_.back());
    chunk_.pop_back();
    if (ledger().is_new_site(configuration)) return Choice{std::move(configuration), "next of the grid"};
  }
}

void GridSearcher::refill() {
  if (ledger().has_candidates()) {
    if (listed_ == 0) chunk_ = ledger().candidate_sites();
    listed_ += chunk_.size();
  } else {
    std::size_t position = 0;
    problem().space.for_each_configuration([&](const Code& configuration) {
      if (position++ >= listed_) chunk_.push_back(configuration);
      return chunk_.size() < kChunk;
    });
    listed_ += chunk_.size();
  }
  std::reverse(chunk_.begin(), chunk_.end());
}

RandomSearcher::RandomSearcher(CheckedProblem checked)
    : BaseSearcher(std::move(checked)), unseen_(ledger(), stream(problem(), "random")) {}

std::optional<Choice> RandomSearcher::choose(const std::optional<Code>& /*running*/) {
  std::optional<Code> site = unseen_.draw();
  if (!site) return std::nullopt;
  return Choice{std::move(*site), "random"};
}

SobolSearcher::SobolSearcher(CheckedProblem checked)
    : BaseSearcher(std::move(checked)),
      design_(ledger(), problem().seed),
      unseen_(ledger(), stream(problem(), "sobol fallback")) {}

std::optional<Choice> SobolSearcher::choose(const std::optional<Code>& /*running*/) {
  if (!design_done_) {
    if (std::optional<Code> site = design_.next()) return Choice{std::move(*site), "Sobol point"};
    design_done_ = true;
  }
  std::optional<Code> site = unseen_.draw();
  if (!site) return std::nullopt;
  return Choice{std::move(*site), "random: the Sobol points are used up"};
}

}  // namespace paretune::search
