#include "paretune/plan/plan.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "paretune/core/units.hpp"
#include "paretune/space/space.hpp"

namespace paretune::plan {
namespace {

constexpr std::size_t kExampleVisits = 200'000;

/// The restart part of the study's space under its first `rules` constraints.
core::Result<space::Space> space_under(const space::Space& space, std::size_t rules) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < rules; ++i) texts.push_back(space.constraints()[i].text());
  return space.with_constraints(std::move(texts));
}

std::optional<core::Count> difference(const std::optional<core::Count>& more,
                                      const std::optional<core::Count>& fewer) {
  if (!more || !fewer || more->saturated() || fewer->saturated()) return std::nullopt;
  const auto a = more->as_uint64();
  const auto b = fewer->as_uint64();
  if (!a || !b) return std::nullopt;
  return core::Count(*a - *b);
}

/// A configuration of `before` that `after` refuses.
std::optional<space::Configuration> find_example(const space::Space& before, const space::Space& after) {
  std::optional<space::Configuration> example;
  if (before.continuous()) return example;
  std::size_t visits = 0;
  before.for_each_configuration([&](const space::Code& code) {
    if (!after.valid(code)) example = before.decode(code).configuration;
    return !example && ++visits < kExampleVisits;
  });
  return example;
}

core::Result<void> count_cuts(const spec::StudySpec& spec, Plan& plan) {
  const space::Space& space = spec.space;
  auto before = space_under(space, 0);
  if (!before) return before.error();
  plan.continuous = space.continuous();
  plan.total = before->count_configurations();
  std::optional<core::Count> count = plan.total;
  for (std::size_t i = 0; i < space.constraints().size(); ++i) {
    auto after = space_under(space, i + 1);
    if (!after) return after.error();
    const auto left = after->count_configurations();
    Cut cut;
    cut.reason = "constraint: " + space.constraints()[i].text();
    cut.count = difference(count, left);
    if (!cut.count || *cut.count != core::Count(0)) cut.example = find_example(*before, *after);
    plan.cuts.push_back(std::move(cut));
    before = std::move(after);
    count = left;
  }
  plan.after = count;
  return {};
}

core::Count smaller(const core::Count& a, const core::Count& b) {
  return a < b ? a : b;
}

void bound_work(const spec::StudySpec& spec, Plan& plan) {
  const core::Count levels(spec.workload.levels().size());
  std::optional<core::Count> launches;
  if (spec.budget.launches) launches = core::Count(static_cast<std::uint64_t>(*spec.budget.launches));
  if (plan.after) launches = launches ? smaller(*launches, *plan.after) : *plan.after;
  std::optional<core::Count> windows;
  if (spec.budget.points) {
    const core::Count points(static_cast<std::uint64_t>(*spec.budget.points));
    windows = points;
    launches = launches ? smaller(*launches, points) : points;  // a launch without a window buys nothing
  }
  if (launches) windows = windows ? smaller(*windows, *launches * levels) : *launches * levels;
  plan.launches = launches;
  plan.windows = windows;
}

/// Start-up of one server, in seconds. Low and high of what is usual, not limits.
Range usual_start_s(engine::Kind kind) {
  switch (kind) {
    case engine::Kind::Endpoint:
      return {0, 1};
    case engine::Kind::Sim:
      return {0.1, 10};
    case engine::Kind::LlamaCpp:
      return {1, 60};
    case engine::Kind::Command:
      return {1, 120};
    default:
      return {30, 600};
  }
}

Range window_s(const load::Workload& workload) {
  const double warmup = workload.warmup_s;
  if (workload.duration_s) {
    const double full = warmup + *workload.duration_s;
    return {workload.requests ? warmup : full, full * 1.2 + 1};
  }
  // A count of requests only: nobody knows how long they take; the request time-out bounds them.
  return {warmup, warmup + workload.timeouts.total_s};
}

void estimate_time(const spec::StudySpec& spec, Plan& plan) {
  const Range start = usual_start_s(spec.engine.kind);
  const Range window = window_s(spec.workload);
  if (plan.launches && plan.windows) {
    const double launches = plan.launches->approximate();
    const double windows = plan.windows->approximate();
    plan.wall_s =
        Range{launches * start.low + windows * window.low, launches * start.high + windows * window.high};
    plan.assumptions.push_back(
        fmt::format("a launch takes {} to {} (usual for {})", core::format_duration(start.low),
                    core::format_duration(start.high), engine::to_string(spec.engine.kind)));
    plan.assumptions.push_back(fmt::format("a window takes {} to {}", core::format_duration(window.low),
                                           core::format_duration(window.high)));
  }
  if (!spec.budget.time_s) return;
  // The clock is looked at between windows: the last launch and window may run over.
  const double most = *spec.budget.time_s + start.high + window.high;
  if (!plan.wall_s) plan.wall_s = Range{0, most};
  plan.wall_s->low = std::min(plan.wall_s->low, *spec.budget.time_s);
  plan.wall_s->high = std::min(plan.wall_s->high, most);
  plan.assumptions.push_back("budget.time ends the study at " + core::format_duration(*spec.budget.time_s) +
                             " plus the launch and window that are open then");
}

/// Smallest and largest number of GPUs over the space; nullopt if the study does not say.
std::optional<Range> gpu_range(const spec::StudySpec& spec) {
  if (!spec.engine.gpus) return std::nullopt;
  const space::Configuration fixed = spec.engine.fixed();
  std::optional<Range> range;
  const auto visit = [&](const space::Configuration& configuration) {
    const auto gpus = spec.engine.gpus->number([&](std::string_view name) -> std::optional<space::Value> {
      if (const auto found = configuration.find(std::string(name)); found != configuration.end())
        return found->second;
      if (const auto found = fixed.find(std::string(name)); found != fixed.end()) return found->second;
      return std::nullopt;
    });
    if (!gpus) return;
    if (!range) range = Range{*gpus, *gpus};
    range->low = std::min(range->low, *gpus);
    range->high = std::max(range->high, *gpus);
  };
  if (spec.space.continuous() || spec.space.axes().empty()) {
    visit({});
    return range;
  }
  std::size_t visits = 0;
  spec.space.for_each_configuration([&](const space::Code& code) {
    visit(spec.space.decode(code).configuration);
    return ++visits < kExampleVisits;
  });
  return range;
}

void estimate_money(const spec::StudySpec& spec, Plan& plan) {
  const auto gpus = gpu_range(spec);
  if (!plan.wall_s || !gpus) return;
  plan.gpu_hours = Range{plan.wall_s->low / 3600 * gpus->low, plan.wall_s->high / 3600 * gpus->high};
  if (!spec.price) return;
  plan.currency = spec.price->currency;
  plan.money = Range{plan.gpu_hours->low * spec.price->gpu_hour, plan.gpu_hours->high * spec.price->gpu_hour};
}

}  // namespace

core::Result<Plan> make_plan(const spec::StudySpec& spec) {
  Plan plan;
  if (auto counted = count_cuts(spec, plan); !counted) return counted.error();
  bound_work(spec, plan);
  estimate_time(spec, plan);
  estimate_money(spec, plan);
  return plan;
}

}  // namespace paretune::plan
