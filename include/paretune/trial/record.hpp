// What one launch and one measured point leave behind: plain data, written to the store as they come.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/json.hpp"
#include "paretune/core/result.hpp"
#include "paretune/engine/failure.hpp"
#include "paretune/engine/server.hpp"
#include "paretune/load/measure.hpp"
#include "paretune/space/value.hpp"

namespace paretune::trial {

enum class PointStatus {
  Ok,          ///< measured, meets the limits
  Infeasible,  ///< measured, breaks a limit
  Failed,      ///< could not be measured
  Invalid,     ///< measured, but a finding invalidates it (client was the bottleneck …)
};

const char* to_string(PointStatus status);
std::optional<PointStatus> point_status_from(std::string_view word);

struct LaunchRecord {
  int number = 0;  ///< 1, 2, … within the study
  space::Configuration configuration;
  std::vector<std::string> argv;    ///< secrets masked
  engine::ProcessIdentity process;  ///< pid 0 for endpoints and the virtual twin
  std::string started;              ///< UTC
  double ready_s = 0;               ///< until ready or failed
  double seconds = 0;               ///< whole life; 0 while it runs
  bool ended = false;
  std::optional<engine::Failure> failure;
  std::string log;      ///< relative to the study directory
  std::string version;  ///< of the engine, if known
};

struct PointRecord {
  std::string id;  ///< of configuration + live setting (content hash), stable over resume
  int launch = 0;
  int repeat = 0;  ///< 0 for the first measurement of this point
  pid_t pid = 0;
  space::Point point;
  PointStatus status = PointStatus::Failed;
  double violation = 0;  ///< summed relative violation of the limits
  load::Measurement measurement;
  std::optional<engine::Failure> failure;
  std::optional<double> gpus;
  std::string started;  ///< UTC
  double seconds = 0;   ///< warm-up and window
  std::string reason;   ///< why the searcher asked for it
};

/// First 12 hex digits of a hash over engine-visible content: configuration and live setting.
std::string point_id(const space::Point& point);

/// The stored form. Doubles read back bit for bit; infinities and NaN are the words "inf", "-inf", "nan".
core::Json to_json(const LaunchRecord& launch);
core::Json to_json(const PointRecord& point);
/// @return Error{Io} for JSON that does not hold such a record. Unknown members are ignored.
core::Result<LaunchRecord> launch_from_json(const core::Json& json);
core::Result<PointRecord> point_from_json(const core::Json& json);

}  // namespace paretune::trial
