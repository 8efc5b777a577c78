#include "paretune/trial/record.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "paretune/core/hash.hpp"

namespace paretune::trial {

namespace {

constexpr std::array kStatuses{PointStatus::Ok, PointStatus::Infeasible, PointStatus::Failed,
                               PointStatus::Invalid};

}  // namespace

const char* to_string(PointStatus status) {
  switch (status) {
    case PointStatus::Ok:
      return "ok";
    case PointStatus::Infeasible:
      return "infeasible";
    case PointStatus::Failed:
      return "failed";
    case PointStatus::Invalid:
      return "invalid";
  }
  return "failed";
}

std::optional<PointStatus> point_status_from(std::string_view word) {
  for (const PointStatus status : kStatuses) {
    if (word == to_string(status)) return status;
  }
  return std::nullopt;
}

std::string point_id(const space::Point& point) {
  // Two members, so that a parameter cannot be mistaken for a live setting of the same name.
  core::Json content = core::Json::object();
  content["configuration"] = space::to_json(point.configuration);
  content["live"] = space::to_json(point.live);
  return core::short_hash(content.dump());
}

}  // namespace paretune::trial
