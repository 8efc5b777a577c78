#include "sim/fault.hpp"

#include <array>
#include <string_view>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::sim {

namespace {

constexpr std::uint64_t kStallAfterTokens = 1000;
constexpr double kSlowStartFactor = 10;

core::Error bad_fault(const std::string& text) {
  const std::vector<std::string> known = {"oom-at-launch", "crash-after", "stall", "http-500", "slow-start"};
  const std::string name = text.substr(0, text.find('='));
  std::string hint = core::did_you_mean(name, known);
  if (hint.empty())
    hint = "faults are none, oom-at-launch, crash-after=N, stall[=TOKENS], http-500=P, slow-start";
  return core::invalid_input("bad fault '" + text + "'", hint);
}

}  // namespace

core::Result<Faults> parse_faults(const std::string& text) {
  Faults faults;
  if (text.empty() || text == "none") return faults;
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool has_value = equals != std::string::npos;
  const std::string value = has_value ? text.substr(equals + 1) : "";
  const auto count = core::parse_integer(value);
  const bool positive = has_value && count.ok() && *count > 0;

  if (name == "oom-at-launch" && !has_value) {
    faults.oom_at_launch = true;
  } else if (name == "slow-start" && !has_value) {
    faults.start_factor = kSlowStartFactor;
  } else if (name == "stall" && (!has_value || positive)) {
    faults.stall_after = has_value ? static_cast<std::uint64_t>(*count) : kStallAfterTokens;
  } else if (name == "crash-after" && positive) {
    faults.crash_after = static_cast<std::uint64_t>(*count);
  } else if (name == "http-500" && has_value) {
    const auto probability = core::parse_fraction(value);
    if (!probability.ok() || *probability < 0 || *probability > 1) return bad_fault(text);
    faults.http_500 = *probability;
  } else {
    return bad_fault(text);
  }
  return faults;
}

Faults faults_of(const SimOptions& options) {
  auto faults = parse_faults(options.fault);
  return faults.ok() ? *faults : Faults{};
}

}  // namespace paretune::sim
