// NSGA-II for evaluations that cost minutes: elitist, steady state (a child is made whenever one is asked
// for, from all that was told so far), small population, and children that are looked over before one is
// measured. Sources: Deb, Pratap, Agarwal & Meyarivan, IEEE TEVC 6(2), 2002 (ranking, crowding, constraint
// domination); Durillo et al., EMO 2009 (steady state); Rasheed & Hirsh, "Informed operators", GECCO 2000 (of
// several children the one that looks best to a cheap model is taken).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/base_searcher.hpp"
#include "search/population.hpp"
#include "search/sobol_design.hpp"
#include "search/unseen.hpp"
#include "search/variation.hpp"

namespace paretune::search {

/// How many sites the budget pays for, and what follows from it.
struct Nsga2Sizes {
  std::size_t first = 0;    ///< sites of the first design
  std::size_t parents = 0;  ///< sites that breed
};
Nsga2Sizes nsga2_sizes(const Problem& problem);

class Nsga2Searcher final : public BaseSearcher {
 public:
  explicit Nsga2Searcher(CheckedProblem checked);
  std::string_view name() const override { return "nsga2"; }

 private:
  std::optional<Choice> choose(const std::optional<space::Code>& running) override;
  void learn(const Outcome& outcome) override;

  std::optional<Choice> from_first_design();
  std::optional<Choice> from_parents();
  std::optional<Choice> from_running(const std::optional<space::Code>& running,
                                     const std::optional<Choice>& other);
  space::Code child(const std::vector<const space::Code*>& parents);

  Nsga2Sizes sizes_;
  core::Random random_;
  Variation variation_;
  SobolDesign design_;
  Unseen unseen_;
  Population population_;
  std::vector<space::Code> expected_;  ///< sites of the prior, the best one last
  std::size_t chosen_ = 0;
  bool live_is_listed_;  ///< no live axis is continuous
};

}  // namespace paretune::search
