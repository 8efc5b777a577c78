// The simple methods behind make_searcher. Construction cannot fail: make_searcher has checked the problem.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "search/base_searcher.hpp"
#include "search/sobol_design.hpp"
#include "search/unseen.hpp"

namespace paretune::search {

/// Every configuration in the order of the file (the last parameter moves fastest), each with all its live
/// settings in a row: the order with the fewest launches.
class GridSearcher final : public BaseSearcher {
 public:
  explicit GridSearcher(CheckedProblem checked) : BaseSearcher(std::move(checked), true) {}
  std::string_view name() const override { return "grid"; }

 private:
  std::optional<Choice> choose(const std::optional<space::Code>& running) override;
  void refill();

  std::vector<space::Code> chunk_;  ///< configurations to come, the next one last
  std::size_t listed_ = 0;          ///< how many were put into chunks so far
};

/// Uniform without repeats.
class RandomSearcher final : public BaseSearcher {
 public:
  explicit RandomSearcher(CheckedProblem checked);
  std::string_view name() const override { return "random"; }

 private:
  std::optional<Choice> choose(const std::optional<space::Code>& running) override;

  Unseen unseen_;
};

/// A Sobol design without repeats; what is left when it has no new sites is drawn at random.
class SobolSearcher final : public BaseSearcher {
 public:
  explicit SobolSearcher(CheckedProblem checked);
  std::string_view name() const override { return "sobol"; }

 private:
  std::optional<Choice> choose(const std::optional<space::Code>& running) override;

  SobolDesign design_;
  Unseen unseen_;
  bool design_done_ = false;
};

}  // namespace paretune::search
