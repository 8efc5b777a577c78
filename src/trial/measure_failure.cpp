#include "paretune/trial/measure_failure.hpp"

#include <spdlog/fmt/fmt.h>

namespace paretune::trial {
namespace {

std::size_t count_of(const load::Measurement& measurement, std::initializer_list<load::Outcome> outcomes) {
  std::size_t count = 0;
  for (const load::Outcome outcome : outcomes) {
    const auto found = measurement.failures.find(load::to_string(outcome));
    if (found != measurement.failures.end()) count += found->second;
  }
  return count;
}

}  // namespace

std::optional<engine::Failure> failure_of_window(const load::Window& window,
                                                 const load::Measurement& measurement) {
  // The few that got through would make a broken server look fast.
  const bool mostly_failed = measurement.ok == 0 || measurement.failed > measurement.ok;
  if (!window.aborted && !mostly_failed) return std::nullopt;

  using load::Outcome;
  const std::size_t timeouts = count_of(measurement, {Outcome::TimeoutConnect, Outcome::TimeoutFirstToken,
                                                      Outcome::TimeoutGap, Outcome::TimeoutTotal});
  const std::size_t server_errors = count_of(measurement, {Outcome::Http5xx});

  engine::Failure failure;
  failure.phase = engine::Phase::Measure;
  // No failure at all and nothing finished: the window was over before the first answer, or its hard end
  // came.
  if (timeouts * 2 > measurement.failed || measurement.failed == 0) {
    failure.cls = engine::FailureClass::TimeoutMeasure;
    failure.advice = "give the window more time (workload.duration, workload.timeouts) or a lower load";
  } else if (server_errors == measurement.failed) {
    failure.cls = engine::FailureClass::Unhealthy;
    failure.advice = "see the server log; the server answers but cannot serve this load";
  } else {
    failure.cls = engine::FailureClass::TooManyErrors;
    failure.advice = "see the server log and the first error";
  }
  failure.cause =
      fmt::format("{} of {} requests failed", measurement.failed, measurement.ok + measurement.failed);
  if (measurement.failed == 0) failure.cause = "no request finished in the window";
  if (!measurement.first_error.empty()) failure.cause += "; first: " + measurement.first_error;
  return failure;
}

engine::Failure failure_of_error(const core::Error& error) {
  engine::Failure failure;
  failure.phase = engine::Phase::Measure;
  failure.cls = error.code == core::ErrorCode::Timeout ? engine::FailureClass::TimeoutMeasure
                                                       : engine::FailureClass::TooManyErrors;
  failure.cause = error.message;
  failure.advice = error.hint;
  return failure;
}

std::optional<double> gpus_of(const engine::EngineSpec& spec, const space::Configuration& configuration) {
  if (!spec.gpus) return std::nullopt;
  const space::Configuration fixed = spec.fixed();
  return spec.gpus->number([&](std::string_view name) -> std::optional<space::Value> {
    if (const auto found = configuration.find(std::string(name)); found != configuration.end())
      return found->second;
    if (const auto found = fixed.find(std::string(name)); found != fixed.end()) return found->second;
    return std::nullopt;
  });
}

}  // namespace paretune::trial
