#include "paretune/study/study.hpp"

#include "study/study_loop.hpp"
#include "study/virtual_target.hpp"

namespace paretune::study {

const char* to_string(End end) {
  switch (end) {
    case End::Exhausted:
      return "every configuration of the space was measured or ruled out";
    case End::BudgetLaunches:
      return "the budget of launches is used up";
    case End::BudgetPoints:
      return "the budget of points is used up";
    case End::BudgetTime:
      return "the budget of time is used up";
    case End::Interrupted:
      return "interrupted";
    case End::Hopeless:
      return "no configuration of this study can start";
  }
  return "";
}

core::Result<Summary> run_study(const spec::StudySpec& spec, trial::Target& target, store::Store& store,
                                Observer& observer, std::stop_token stop) {
  return StudyLoop(spec, target, store, observer, std::move(stop)).run();
}

core::Result<std::unique_ptr<trial::Target>> make_target(const spec::StudySpec& spec,
                                                         const std::string& directory, bool virtual_time) {
  std::optional<double> price;
  if (spec.price) price = spec.price->gpu_hour;
  if (!virtual_time) {
    return trial::make_real_target({.engine = spec.engine,
                                    .space = spec.space,
                                    .workload = spec.workload,
                                    .directory = directory,
                                    .gpu_hour_price = price});
  }
  if (spec.engine.kind != engine::Kind::Sim) {
    return core::invalid_input(
        std::string("--virtual needs an engine of kind sim, not ") + engine::to_string(spec.engine.kind),
        "leave --virtual out, or set engine.kind: sim");
  }
  return make_virtual_target(spec, price);
}

}  // namespace paretune::study
