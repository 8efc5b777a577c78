#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>

#include "paretune/core/units.hpp"
#include "paretune/plan/plan.hpp"

namespace paretune::plan {
namespace {

constexpr std::uint64_t kExactInDouble = std::uint64_t{1} << 53;

/// JSON readers hold numbers as doubles: counts above 2^53 are written as strings (design §5).
core::Json json_of(const std::optional<core::Count>& count) {
  if (!count) return nullptr;
  const auto small = count->as_uint64();
  if (small && *small <= kExactInDouble) return *small;
  return count->to_string();
}

core::Json json_of(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return core::Json::array({range->low, range->high});
}

std::string text_of(const std::optional<core::Count>& count, const char* otherwise) {
  return count ? count->to_string() : otherwise;
}

}  // namespace

core::Json to_json(const Plan& plan) {
  core::Json json;
  json["configurations"] = {{"total", json_of(plan.total)}, {"after", json_of(plan.after)}};
  json["cuts"] = core::Json::array();
  for (const Cut& cut : plan.cuts) {
    json["cuts"].push_back({{"reason", cut.reason},
                            {"count", json_of(cut.count)},
                            {"example", cut.example ? space::to_json(*cut.example) : core::Json(nullptr)}});
  }
  json["launches"] = json_of(plan.launches);
  json["windows"] = json_of(plan.windows);
  json["wall_seconds"] = json_of(plan.wall_s);
  json["gpu_hours"] = json_of(plan.gpu_hours);
  json["money"] = json_of(plan.money);
  json["currency"] = plan.currency.empty() ? core::Json(nullptr) : core::Json(plan.currency);
  json["assumptions"] = plan.assumptions;
  return json;
}

std::string render(const Plan& plan) {
  const char* uncounted = plan.continuous ? "continuous (no count)" : "too many to count exactly";
  std::string text;
  text += fmt::format("configurations  {} before, {} after the cuts\n", text_of(plan.total, uncounted),
                      text_of(plan.after, uncounted));
  for (const Cut& cut : plan.cuts) {
    text += fmt::format("  cut {:>12}  {}\n", text_of(cut.count, "?"), cut.reason);
    if (cut.example) text += fmt::format("  {:>16}  e.g. {}\n", "", space::describe(*cut.example));
  }
  text +=
      fmt::format("launches        at most {}\n", text_of(plan.launches, "no bound (set budget.launches)"));
  text += fmt::format("windows         at most {}\n", text_of(plan.windows, "no bound (set budget.points)"));
  if (plan.wall_s) {
    text += fmt::format("wall time       {} to {}\n", core::format_duration(plan.wall_s->low),
                        core::format_duration(plan.wall_s->high));
  }
  if (plan.gpu_hours) {
    text += fmt::format("GPU-hours       {} to {}\n", core::format_short(plan.gpu_hours->low),
                        core::format_short(plan.gpu_hours->high));
  }
  if (plan.money) {
    text += fmt::format("money           {} to {} {}\n", core::format_short(plan.money->low),
                        core::format_short(plan.money->high), plan.currency);
  }
  for (const std::string& assumption : plan.assumptions) text += "  assuming: " + assumption + "\n";
  return text;
}

}  // namespace paretune::plan
