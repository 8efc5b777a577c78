// Multi-objective Bayesian optimisation over configurations and live settings: the next point is the one that is expected to
// add most hypervolume per unit of cost, where a point of the running server costs one window, and a launch is valued by
// its whole curve. Method, sources and what each part is worth: docs/algorithms.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "paretune/core/random.hpp"
#include "paretune/search/searcher.hpp"
#include "search/gp/viability.hpp"
#include "search/mobo/acquisition.hpp"
#include "search/mobo/coordinates.hpp"
#include "search/mobo/models.hpp"
#include "search/mobo/pool.hpp"

namespace paretune::search {

class MoboSearcher final : public Searcher {
 public:
  explicit MoboSearcher(Problem problem);

  std::string_view name() const override { return "mobo"; }
  std::vector<Proposal> ask(const AskContext& context) override;
  void tell(std::span<const Observation> observations) override;

 private:
  enum class State { Pending, Measured, Failed };
  struct Record {
    State state = State::Pending;
    std::vector<double> cost, sd, slack;
    double violation = 0;
  };
  /// A choice before it becomes a proposal.
  struct Choice {
    space::Code point;
    std::string reason;
  };
  /// Everything one decision computes once.
  struct View;

  std::optional<Choice> choose();
  std::optional<Choice> baseline_choice();
  std::optional<Choice> planned_choice();
  std::optional<Choice> initial_launch(const View& view);
  std::optional<Choice> model_choice(View& view);
  std::optional<Choice> any_open(const View& view);
  Proposal propose(Choice choice);

  // What is known.
  std::size_t launches_up() const;
  bool is_open(const Pool& pool, std::size_t launch, std::size_t level) const;
  std::vector<space::Code> good_launches() const;
  void mark_launch(const space::Code& restart, bool up);

  // Surrogates.
  View make_view();
  void refit_models();
  void fit_outputs(const std::vector<const Record*>& records, const Rows& X, bool refit, bool restart);
  void fit_viability();
  void predict(View& view);
  void set_box(View& view);
  Eigen::MatrixXd front_of(const View& view) const;
  double limit_of(std::size_t objective) const;
  std::vector<Eigen::MatrixXd> curve_samples(const View& view, std::size_t launch, const Eigen::MatrixXd& normals) const;

  Problem problem_;
  Coordinates coordinates_;
  core::Random random_;
  Kernel kernel_;
  std::optional<Pool> whole_;
  std::vector<std::size_t> objective_limits_;  ///< per limit: index of its objective, or npos

  std::map<space::Code, Record> records_;      ///< by full canonical code
  std::map<space::Code, bool> launch_up_;      ///< by restart code
  std::map<space::Code, std::size_t> unknown_up_;  ///< launches asked for and not told yet
  std::optional<space::Code> running_;
  std::vector<space::Code> planned_;           ///< rest of the initial design
  std::map<std::uint64_t, space::Code> asked_;
  std::uint64_t next_id_ = 1;
  bool baseline_asked_ = false;

  std::vector<OutputModel> outputs_;  ///< objectives, then limits that are no objective
  Viability launch_viability_, level_viability_;
  bool level_failure_seen_ = false;
  std::size_t fitted_points_ = 0, fits_ = 0;
  std::optional<space::Code> fitted_launch_;
  std::uint64_t decisions_ = 0;
};

}  // namespace paretune::search
