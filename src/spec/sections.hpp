// Readers of the small sections of a study: plain values, and metrics by name. Each collects its faults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/spec/study_spec.hpp"

namespace paretune::spec {

/// A metric of the study and where it is named, for checks against the other sections.
struct MetricUse {
  std::string name;
  core::Position position;
  std::string path;
};

/// @param file  gives the default: "configs/demo.yaml" -> "demo".
std::string read_name(const core::Node* node, const std::string& file, core::Diagnostics& diagnostics);

std::vector<ObjectiveSpec> read_objectives(const core::Node* node, const core::Node& root,
                                           std::vector<MetricUse>& uses, core::Diagnostics& diagnostics);
std::vector<load::Bound> read_limits(const core::Node* node, std::vector<MetricUse>& uses,
                                     core::Diagnostics& diagnostics);
load::MetricValues read_reference_point(const core::Node* node, const std::vector<ObjectiveSpec>& objectives,
                                        core::Diagnostics& diagnostics);
SearchSpec read_search(const core::Node* node, core::Diagnostics& diagnostics);
BudgetSpec read_budget(const core::Node* node, core::Diagnostics& diagnostics);
std::optional<PriceSpec> read_price(const core::Node* node, core::Diagnostics& diagnostics);

}  // namespace paretune::spec
