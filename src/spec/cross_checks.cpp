#include "spec/cross_checks.hpp"

#include <algorithm>
#include <cmath>

#include "paretune/core/random.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::spec {

namespace {

using core::Diagnostics;
using core::Node;

/// More than anyone measures: without a budget such a study only ends by hand.
constexpr double kManyConfigurations = 1000;
/// Enough to prove that a space is empty, and done in well under a second.
constexpr std::size_t kCountLimit = 2'000'000;

struct Missing {
  std::string message;
  std::string hint;
};

core::Position position_of(const Node& root, const char* section) {
  const Node* node = root.find(section);
  return node == nullptr ? root.position : node->position;
}

std::optional<double> constant_gpus(const engine::EngineSpec& engine) {
  if (!engine.gpus || !engine.gpus->names().empty()) return std::nullopt;
  return engine.gpus->number([](std::string_view) { return std::nullopt; });
}

std::optional<Missing> missing_gpus(const StudySpec& spec) {
  if (spec.engine.gpus_text.empty()) return Missing{"needs the number of GPUs", "add engine.gpus: 1"};
  if (constant_gpus(spec.engine) == 0.0) return Missing{"cannot be computed with engine.gpus: 0", ""};
  return std::nullopt;
}

std::optional<Missing> missing_price(const StudySpec& spec) {
  if (!spec.price) return Missing{"needs the price of a GPU", "add price: {gpu_hour: 2.5}"};
  return missing_gpus(spec);
}

bool is_between_tokens(const std::string& metric) {
  return metric.starts_with("tpot:") || metric.starts_with("itl:") || metric.starts_with("event_gap:") ||
         metric == "output_throughput_per_user";
}

bool has_one_token(const load::LengthModel& length) {
  return length.max == 1 || (length.kind == load::LengthModel::Kind::Fixed && length.mean <= 1);
}

std::optional<Missing> missing_for(const std::string& metric, const StudySpec& spec) {
  if (metric == "quality_loss") {
    return Missing{"cannot be measured by this version", "leave it out"};
  }
  if (metric == "goodput" && spec.workload.slo.empty()) {
    return Missing{"needs the bounds that a good request meets", "add workload.slo: [\"ttft <= 200ms\"]"};
  }
  if (metric == "cost_per_million_tokens") return missing_price(spec);
  if (metric == "output_throughput_per_gpu" || metric == "gpus") return missing_gpus(spec);
  if (is_between_tokens(metric) && has_one_token(spec.workload.output_tokens)) {
    return Missing{"needs answers of two tokens or more", "raise workload.output_tokens"};
  }
  return std::nullopt;
}

const Node* space_member(const Node& root, const std::string& name) {
  const Node* section = root.find("space");
  return section == nullptr ? nullptr : section->find(name);
}

core::Position position_of_parameter(const StudySpec& spec, const Node& root, const std::string& name) {
  const auto known = spec.positions.find("space." + name);
  return known == spec.positions.end() ? position_of(root, "space") : known->second;
}

/// The baseline's own value where it is outside, else the space's: 4 and 4.0 are one server.
space::Value in_kind_of(const space::Domain& domain, const space::Value& value) {
  if (!level_count(domain)) return space::is_number(value) ? space::Value(space::as_number(value)) : value;
  const std::optional<std::size_t> index = level_index(domain, value);
  return index ? level_at(domain, *index).value : value;
}

bool is_inside(const space::Domain& domain, const space::Value& value) {
  if (const auto* range = std::get_if<space::RealRange>(&domain)) {
    if (!space::is_number(value)) return false;
    const double number = space::as_number(value);
    return number >= range->min && number <= range->max;
  }
  return level_index(domain, value).has_value();
}

void unknown_in_baseline(const core::Member& member, const StudySpec& spec,
                         const std::vector<space::Parameter>& parameters, Diagnostics& diagnostics) {
  const std::string path = "baseline." + member.key;
  const space::Configuration fixed = spec.engine.fixed();
  if (fixed.count(member.key) > 0) {
    diagnostics.fault(member.position, path, "is fixed by engine.args", "leave it out: every launch has it");
    return;
  }
  if (member.key == spec.workload.live_name()) {
    diagnostics.fault(member.position, path, "is no part of a configuration",
                      "the baseline is measured at every load level of workload." + member.key);
    return;
  }
  std::vector<std::string> names;
  for (const space::Parameter& parameter : parameters) names.push_back(parameter.name);
  std::string hint = core::did_you_mean(member.key, names);
  diagnostics.fault(
      member.position, path, "unknown parameter '" + member.key + "'",
      hint.empty()
          ? "the baseline names parameters of space; a flag that never changes belongs in engine.args"
          : std::move(hint));
}

void check_end(const Node& root, const StudySpec& spec, Diagnostics& diagnostics) {
  if (spec.budget.launches || spec.budget.points || spec.budget.time_s) return;
  const core::Position position = position_of(root, "space");
  if (spec.space.continuous()) {
    diagnostics.fault(position, "budget", "is missing, and a continuous range has no last value",
                      "add budget: {launches: 20}, or give the range a step");
    return;
  }
  const core::Count count = spec.space.raw_configurations();
  if (count.approximate() <= kManyConfigurations) return;
  diagnostics.warn(position, "budget",
                   "is missing: all of " + count.to_string() + " configurations would be launched",
                   "add budget: {launches: 20}");
}

void check_not_empty(const Node& root, const StudySpec& spec, Diagnostics& diagnostics) {
  if (spec.space.constraints().empty()) return;
  const char* message = "no configuration meets the constraints";
  if (spec.space.continuous()) {
    core::Random random(1);
    if (!spec.space.sample(random)) {
      diagnostics.warn(position_of(root, "constraints"), "constraints",
                       "none of 10,000 drawn points meets them");
    }
    return;
  }
  const std::optional<core::Count> count = spec.space.count_points(kCountLimit);
  if (count && *count == core::Count(0) && !count->saturated()) {
    diagnostics.fault(position_of(root, "constraints"), "constraints", message);
  }
}

void check_baseline(const Node& root, const StudySpec& spec, Diagnostics& diagnostics) {
  if (!spec.baseline) return;
  const space::Lookup lookup = [&](std::string_view name) -> std::optional<space::Value> {
    for (const space::Configuration* part : {&*spec.baseline, &spec.space.fixed()}) {
      const auto found = part->find(std::string(name));
      if (found != part->end()) return found->second;
    }
    return std::nullopt;
  };
  for (const space::Expression& constraint : spec.space.constraints()) {
    if (constraint.holds_or_inactive(lookup)) continue;
    diagnostics.warn(position_of(root, "baseline"), "baseline",
                     "does not meet the constraint '" + constraint.text() + "'; it is measured all the same");
  }
  for (const auto& [name, value] : *spec.baseline) {
    const space::Parameter* parameter = spec.space.find(name);
    if (parameter == nullptr || !parameter->when || parameter->when->holds(lookup)) continue;
    diagnostics.warn(position_of(root, "baseline"), "baseline." + name,
                     "is given although its condition '" + parameter->when->text() + "' does not hold there");
  }
}

}  // namespace

void check_metrics(const StudySpec& spec, const std::vector<MetricUse>& uses, Diagnostics& diagnostics) {
  for (const MetricUse& use : uses) {
    if (const std::optional<Missing> missing = missing_for(use.name, spec)) {
      diagnostics.fault(use.position, use.path, use.name + " " + missing->message, missing->hint);
    }
  }
}

void check_parameters(const Node& root, const StudySpec& spec, const space::SpaceSection& section,
                      Diagnostics& diagnostics) {
  if (spec.engine.kind == engine::Kind::Endpoint && !section.parameters.empty()) {
    diagnostics.fault(position_of(root, "space"), "space",
                      "an endpoint already runs: its parameters cannot be changed",
                      "leave space out; the load levels of workload are measured");
    return;
  }
  const space::Configuration fixed = spec.engine.fixed();
  for (const space::Parameter& parameter : section.parameters) {
    const core::Position position = position_of_parameter(spec, root, parameter.name);
    const std::string path = "space." + parameter.name;
    if (fixed.count(parameter.name) > 0) {
      diagnostics.fault(position, path, "is also in engine.args", "leave one of them out");
    }
    if (parameter.name == spec.workload.live_name()) {
      diagnostics.fault(position, path, "is the name of the load level of this workload",
                        "load levels stand in workload." + parameter.name);
    }
    const Node* member = space_member(root, parameter.name);
    const Node* live = member == nullptr ? nullptr : member->find("live");
    if (parameter.live) {
      diagnostics.fault(live == nullptr ? position : live->position, path + ".live",
                        "a study changes nothing of a running server but its load", "leave live out");
    }
  }
}

void resolve_gpus(const Node& root, const std::vector<std::string>& known, StudySpec& spec,
                  Diagnostics& diagnostics) {
  if (spec.engine.gpus_text.empty()) return;
  core::Result<space::Expression> gpus = space::Expression::parse(spec.engine.gpus_text, known);
  if (gpus) {
    spec.engine.gpus = std::move(*gpus);
    return;
  }
  const Node* engine = root.find("engine");
  const Node* node = engine == nullptr ? nullptr : engine->find("gpus");
  diagnostics.fault(node == nullptr ? root.position : node->position, "engine.gpus", gpus.error().message,
                    gpus.error().hint);
}

std::optional<space::Configuration> read_baseline(const Node* node, const StudySpec& spec,
                                                  const std::vector<space::Parameter>& parameters,
                                                  Diagnostics& diagnostics) {
  if (node == nullptr || node->kind == Node::Kind::Null) return std::nullopt;
  if (node->kind != Node::Kind::Mapping) {
    diagnostics.fault(node->position, "baseline", "must be a mapping, not " + core::describe(*node),
                      "for example {parallel: 1}; {} is the engine with its defaults");
    return std::nullopt;
  }
  if (spec.engine.kind == engine::Kind::Endpoint && !node->members.empty()) {
    diagnostics.fault(node->position, "baseline", "an endpoint has no parameters to set", "leave it out");
    return std::nullopt;
  }
  space::Configuration baseline;
  for (const core::Member& member : node->members) {
    const std::string path = "baseline." + member.key;
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const space::Parameter& p) { return p.name == member.key; });
    if (parameter == parameters.end()) {
      unknown_in_baseline(member, spec, parameters, diagnostics);
      continue;
    }
    const std::optional<space::Level> level = space::read_level(member.value, path, diagnostics);
    if (!level) continue;
    if (!is_inside(parameter->domain, level->value)) {
      diagnostics.warn(member.value.position, path,
                       level->text + " is not in the space; it is measured all the same");
    }
    baseline[member.key] = in_kind_of(parameter->domain, level->value);
  }
  return baseline;
}

void check_space(const Node& root, const StudySpec& spec, Diagnostics& diagnostics) {
  check_end(root, spec, diagnostics);
  check_not_empty(root, spec, diagnostics);
  check_baseline(root, spec, diagnostics);
}

space::Parameter live_parameter(const load::Workload& workload) {
  space::LevelList levels;
  for (const double value : workload.levels()) {
    // A rate is a real even where it is whole, so that 1 and 1.5 are values of one kind.
    levels.levels.push_back(
        {workload.open_loop() ? space::Value(value) : space::Value(std::int64_t{std::llround(value)}),
         core::format_number(value)});
  }
  space::Parameter parameter;
  parameter.name = workload.live_name();
  parameter.domain = std::move(levels);
  parameter.live = true;
  return parameter;
}

}  // namespace paretune::spec
