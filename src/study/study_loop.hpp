// The state of one running study. Private to the module: callers use run_study().
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "paretune/search/searcher.hpp"
#include "paretune/study/study.hpp"

namespace paretune::study {

/// One point to measure.
struct Task {
  space::Point point;
  std::uint64_t proposal = 0;  ///< 0: baseline or the rest of an interrupted curve
  std::string reason;
};

class StudyLoop {
 public:
  StudyLoop(const spec::StudySpec& spec, trial::Target& target, store::Store& store, Observer& observer,
            std::stop_token stop);
  core::Result<Summary> run();

 private:
  // Set-up: what the store knows is told to the searcher, and never measured again.
  core::Result<void> restore();
  void restore_launches(const store::StudyData& data);
  void restore_points(const store::StudyData& data);
  void queue_curve(const space::Configuration& configuration, const std::string& reason);

  // One turn of the loop.
  std::optional<Task> next_task();
  std::optional<End> budget_end(const Task& task);
  core::Result<bool> ensure_running(const Task& task);
  core::Result<bool> launch_once(const Task& task, trial::LaunchRecord& launch);
  bool may_be_accident(const trial::LaunchRecord& launch) const;
  core::Result<bool> launch_again(const Task& task, trial::LaunchRecord& launch);
  core::Error give_up(const engine::Failure& failure);
  core::Result<void> measure(const Task& task);
  core::Result<void> keep_point(const Task& task, trial::PointRecord& record);
  core::Result<void> end_launch();
  void rule_out(const Task& task);
  bool flag_is_in_fixed_part(const engine::Failure& failure) const;
  double elapsed_s();
  core::Result<Summary> finish(End end);

  const spec::StudySpec& spec_;
  trial::Target& target_;
  store::Store& store_;
  Observer& observer_;
  std::stop_token stop_;

  std::unique_ptr<search::Searcher> searcher_;
  std::deque<Task> queue_;
  std::set<space::Point> measured_;           ///< points that have a row in the store
  std::set<space::Configuration> ruled_out_;  ///< cannot be launched, or died under load
  std::optional<trial::LaunchRecord> running_;
  double running_since_s_ = 0;
  int launches_ = 0;     ///< that count against the budget
  int last_launch_ = 0;  ///< highest number given
  int points_ = 0;
  double begin_s_ = 0;
  double earlier_s_ = 0;  ///< of earlier runs of this study
  std::string explanation_;
  std::optional<End> forced_end_;
};

}  // namespace paretune::study
