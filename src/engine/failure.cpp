#include "paretune/engine/failure.hpp"

#include <nlohmann/json.hpp>

#include "engine/words.hpp"

namespace paretune::engine {
namespace {

constexpr WordTable<FailureClass, 12> kClasses{{{FailureClass::OutOfMemory, "out_of_memory"},
                                                {FailureClass::BadFlag, "bad_flag"},
                                                {FailureClass::BadConfiguration, "bad_configuration"},
                                                {FailureClass::Unsupported, "unsupported"},
                                                {FailureClass::PortInUse, "port_in_use"},
                                                {FailureClass::DeviceBusy, "device_busy"},
                                                {FailureClass::Crash, "crash"},
                                                {FailureClass::TimeoutStart, "timeout_start"},
                                                {FailureClass::TimeoutMeasure, "timeout_measure"},
                                                {FailureClass::Unhealthy, "unhealthy"},
                                                {FailureClass::TooManyErrors, "too_many_errors"},
                                                {FailureClass::Interrupted, "interrupted"}}};

constexpr WordTable<Phase, 4> kPhases{
    {{Phase::Start, "start"}, {Phase::Warmup, "warmup"}, {Phase::Measure, "measure"}, {Phase::Stop, "stop"}}};

template <class T>
core::Json or_null(const std::optional<T>& value) {
  return value ? core::Json(*value) : core::Json(nullptr);
}

std::optional<int> optional_int(const core::Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int>();
}

}  // namespace

const char* to_string(FailureClass failure) {
  return word_of(kClasses, failure);
}
const char* to_string(Phase phase) {
  return word_of(kPhases, phase);
}

std::optional<FailureClass> failure_class_from(std::string_view word) {
  return value_of(kClasses, word);
}
std::optional<Phase> phase_from(std::string_view word) {
  return value_of(kPhases, word);
}

bool Failure::deterministic() const {
  if (environment) return false;
  return cls == FailureClass::OutOfMemory || cls == FailureClass::BadFlag ||
         cls == FailureClass::BadConfiguration || cls == FailureClass::Unsupported;
}

core::Json to_json(const Failure& failure) {
  core::Json json = {{"class", to_string(failure.cls)},
                     {"phase", to_string(failure.phase)},
                     {"exit_code", or_null(failure.exit_code)},
                     {"signal", or_null(failure.signal)},
                     {"cause", failure.cause},
                     {"advice", failure.advice},
                     {"log", failure.log}};
  if (!failure.flag.empty()) json["flag"] = failure.flag;
  if (!failure.last_lines.empty()) json["last_lines"] = failure.last_lines;
  if (failure.flaky) json["flaky"] = true;
  if (failure.environment) json["environment"] = true;
  return json;
}

Failure failure_from_json(const core::Json& json) {
  Failure failure;
  failure.cls = failure_class_from(json.value("class", "")).value_or(FailureClass::Crash);
  failure.phase = phase_from(json.value("phase", "")).value_or(Phase::Start);
  failure.exit_code = optional_int(json, "exit_code");
  failure.signal = optional_int(json, "signal");
  failure.cause = json.value("cause", "");
  failure.advice = json.value("advice", "");
  failure.log = json.value("log", "");
  failure.flag = json.value("flag", "");
  failure.last_lines = json.value("last_lines", std::vector<std::string>{});
  failure.flaky = json.value("flaky", false);
  failure.environment = json.value("environment", false);
  return failure;
}

}  // namespace paretune::engine
