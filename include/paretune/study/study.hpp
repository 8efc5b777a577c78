// The loop: ask, launch, measure, store, tell; budgets and interruption. Events go to an Observer; nothing is
// printed.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/spec/study_spec.hpp"
#include "paretune/store/store.hpp"
#include "paretune/trial/target.hpp"

namespace paretune::study {

/// Why the loop ended.
enum class End { Exhausted, BudgetLaunches, BudgetPoints, BudgetTime, Interrupted, Hopeless };
const char* to_string(End end);

struct Summary {
  End end = End::Exhausted;
  std::string explanation;  ///< one sentence for people
  int launches = 0;
  int points = 0;
  double seconds = 0;  ///< of this and earlier runs of the study
};

/// Called from the study's thread; default bodies do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_launch(const trial::LaunchRecord&) {}
  virtual void on_launch_ended(const trial::LaunchRecord&) {}
  virtual void on_ready(const trial::LaunchRecord&) {}
  virtual void on_progress(const space::Point&, const load::Progress&) {}
  virtual void on_point(const trial::PointRecord&) {}
  virtual void on_note(const std::string&) {}
};

/// Runs until a budget, exhaustion or `stop`. Points already in the store count and are not repeated.
core::Result<Summary> run_study(const spec::StudySpec& spec, trial::Target& target, store::Store& store,
                                Observer& observer, std::stop_token stop);

/// The target that a study asks for: real servers, or the in-process twin (kind sim only).
core::Result<std::unique_ptr<trial::Target>> make_target(const spec::StudySpec& spec,
                                                         const std::string& directory, bool virtual_time);

}  // namespace paretune::study
