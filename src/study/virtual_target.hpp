// The in-process twin of the simulated server as a trial::Target: no sockets, virtual time.
#pragma once

#include <memory>
#include <optional>

#include "paretune/spec/study_spec.hpp"
#include "paretune/trial/target.hpp"

namespace paretune::study {

std::unique_ptr<trial::Target> make_virtual_target(const spec::StudySpec& spec,
                                                   std::optional<double> gpu_hour_price);

}  // namespace paretune::study
