#include "paretune/trial/record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace paretune::trial {
namespace {

PointRecord whole_point() {
  PointRecord point;
  point.point.configuration = {{"threads", std::int64_t{2}},
                               {"fraction", 0.1 + 0.2},
                               {"flag", true},
                               {"type", std::string("f16")},
                               {"rope", space::Nested{R"({"a":[1,2]})"}}};
  point.point.live = {{"rate", 2.0}};
  point.id = point_id(point.point);
  point.launch = 3;
  point.repeat = 1;
  point.pid = 77;
  point.status = PointStatus::Infeasible;
  point.violation = 1.0 / 3.0;
  point.measurement.ok = 9;
  point.measurement.failures = {{"timeout_gap", 1}};
  point.measurement.metrics = {{"ttft:p95", 123.456}};
  point.measurement.ci95 = {{"ttft:p95", {120.1, 130.9}}};
  point.measurement.findings = {{"client_limited", true, std::nullopt, "m", "r"},
                                {"short", false, 2.5, "m", "r"}};
  point.failure = engine::Failure{};
  point.failure->cls = engine::FailureClass::TimeoutMeasure;
  point.failure->phase = engine::Phase::Measure;
  point.gpus = 0.5;
  point.started = "2026-12-01T17:34:00Z";
  point.seconds = 12.25;
  point.reason = "baseline";
  return point;
}

TEST(PointStatus, HasAWordThatReadsBack) {
  for (const PointStatus status :
       {PointStatus::Ok, PointStatus::Infeasible, PointStatus::Failed, PointStatus::Invalid}) {
    EXPECT_EQ(point_status_from(to_string(status)), status);
  }
  EXPECT_EQ(point_status_from("OK"), std::nullopt);
}

TEST(PointId, TellsConfigurationsAndLiveSettingsApart) {
  const space::Point point{{{"a", std::int64_t{1}}}, {{"concurrency", std::int64_t{4}}}};
  space::Point other = point;
  EXPECT_EQ(point_id(point), point_id(other));
  EXPECT_EQ(point_id(point).size(), 12U);
  other.live["concurrency"] = std::int64_t{8};
  EXPECT_NE(point_id(point), point_id(other));
  const space::Point moved{{{"a", std::int64_t{1}}, {"concurrency", std::int64_t{4}}}, {}};
  EXPECT_NE(point_id(point), point_id(moved));
  // Pinned: ids stand in result files, so they must not change between versions.
  EXPECT_EQ(point_id(point), "4d29d001bfaa");
}

TEST(PointRecord, ReadsBackWhole) {
  const PointRecord point = whole_point();
  const core::Json json = to_json(point);
  const auto again = point_from_json(core::Json::parse(json.dump()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), json);
  EXPECT_EQ(again->point, point.point);
  EXPECT_EQ(again->violation, point.violation);
  EXPECT_EQ(again->measurement.metrics, point.measurement.metrics);
  EXPECT_EQ(again->measurement.ci95, point.measurement.ci95);
  EXPECT_EQ(again->measurement.findings.size(), 2U);
  EXPECT_EQ(again->failure->cls, engine::FailureClass::TimeoutMeasure);
  EXPECT_EQ(again->gpus, 0.5);
}

TEST(PointRecord, SaysWhatIsWrongWithBadJson) {
  core::Json json = to_json(whole_point());
  json["status"] = "great";
  EXPECT_NE(point_from_json(json).error().message.find("great"), std::string::npos);
  json.erase("status");
  EXPECT_NE(point_from_json(json).error().message.find("status"), std::string::npos);
  EXPECT_FALSE(point_from_json(core::Json(nullptr)));
  EXPECT_FALSE(launch_from_json(core::Json::array()));
}

TEST(PointRecord, IgnoresMembersOfLaterVersions) {
  core::Json json = to_json(whole_point());
  json["colour"] = "blue";
  EXPECT_TRUE(point_from_json(json));
}

TEST(LaunchRecord, ReadsBackWhole) {
  LaunchRecord launch;
  launch.number = 4;
  launch.configuration = {{"threads", std::int64_t{2}}};
  launch.argv = {"srv", "--threads", "2"};
  launch.process = {123, 18'446'744'073'709'551'615U, "boot", "token"};
  launch.started = "2026-12-01T17:34:00Z";
  launch.ready_s = 0.1;
  launch.seconds = 1e-9;
  launch.ended = true;
  launch.failure = engine::Failure{};
  launch.log = "logs/4/server.log";
  launch.version = "1.2";
  const core::Json json = to_json(launch);
  const auto again = launch_from_json(core::Json::parse(json.dump()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), json);
  EXPECT_EQ(again->process.start_ticks, launch.process.start_ticks);
  EXPECT_EQ(again->seconds, 1e-9);
}

}  // namespace
}  // namespace paretune::trial
