#include "report/studies.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace paretune::report::testing {

namespace {

std::string data_path(const std::string& name) {
  return std::string(PARETUNE_TEST_DATA) + "/" + name;
}

space::Configuration configuration(int parallel) {
  return {{"parallel", std::int64_t{parallel}}, {"flash-attn", std::string("on")}};
}

space::Space small_space() {
  space::Parameter parallel;
  parallel.name = "parallel";
  parallel.domain = space::LevelList{
      {{std::int64_t{1}, "1"}, {std::int64_t{2}, "2"}, {std::int64_t{4}, "4"}, {std::int64_t{64}, "64"}}};
  space::Parameter flash;
  flash.name = "flash-attn";
  flash.domain = space::LevelList{{{std::string("on"), "on"}}};
  flash.ordered = false;
  space::Parameter concurrency;
  concurrency.name = "concurrency";
  concurrency.domain =
      space::LevelList{{{std::int64_t{1}, "1"}, {std::int64_t{4}, "4"}, {std::int64_t{8}, "8"}}};
  concurrency.live = true;
  return space::Space::create({parallel, flash, concurrency}, {}, {}).value();
}

}  // namespace

spec::StudySpec two_objectives() {
  spec::StudySpec spec;
  spec.name = "example";
  spec.engine.kind = engine::Kind::Sim;
  spec.space = small_space();
  spec.objectives = {{load::parse_metric("output_throughput").value(), true},
                     {load::parse_metric("ttft:p95").value(), false}};
  return spec;
}

trial::PointRecord measured(int launch, int parallel, int concurrency, load::MetricValues metrics) {
  trial::PointRecord record;
  record.point = {configuration(parallel), {{"concurrency", std::int64_t{concurrency}}}};
  record.id = trial::point_id(record.point);
  record.launch = launch;
  record.pid = 4200 + launch;
  record.status = trial::PointStatus::Ok;
  record.measurement.metrics = std::move(metrics);
  record.started = "2026-12-01T10:00:0" + std::to_string(launch) + "Z";
  record.seconds = 5;
  record.gpus = 1;
  return record;
}

trial::LaunchRecord launched(int number, int parallel) {
  trial::LaunchRecord launch;
  launch.number = number;
  launch.configuration = configuration(parallel);
  launch.argv = {"llama-server", "--parallel", std::to_string(parallel), "--api-key", "sk-123",
                 "--port",       "8080"};
  launch.process.pid = 4200 + number;
  launch.started = "2026-12-01T10:00:0" + std::to_string(number) + "Z";
  launch.ready_s = 2;
  launch.seconds = 20;
  launch.ended = true;
  launch.log = "logs/" + std::to_string(number) + "/server.log";
  return launch;
}

engine::Failure failure(engine::FailureClass cls, engine::Phase phase, std::string cause) {
  engine::Failure failure;
  failure.cls = cls;
  failure.phase = phase;
  failure.cause = std::move(cause);
  failure.advice = "lower it";
  return failure;
}

ReportData example_report() {
  spec::StudySpec spec = two_objectives();
  spec.limits = {load::parse_bound("error_rate <= 1%").value()};
  spec.baseline = configuration(1);
  store::StudyData data;
  data.launches = {launched(1, 1), launched(2, 4), launched(3, 64)};
  data.launches[2].failure =
      failure(engine::FailureClass::OutOfMemory, engine::Phase::Start, "failed to allocate 9.1 GiB, \"KV\"");
  data.launches[2].failure->exit_code = 1;
  data.points = {measured(1, 1, 1, {{"output_throughput", 50}, {"ttft:p95", 20}, {"error_rate", 0}}),
                 measured(1, 1, 4, {{"output_throughput", 100}, {"ttft:p95", 80}, {"error_rate", 0}}),
                 measured(2, 4, 1, {{"output_throughput", 60}, {"ttft:p95", 25}, {"error_rate", 0}}),
                 measured(2, 4, 4, {{"output_throughput", 200}, {"ttft:p95", 60}, {"error_rate", 0}}),
                 measured(2, 4, 8, {{"output_throughput", 260}, {"ttft:p95", 190}, {"error_rate", 0.2}})};
  for (trial::PointRecord& record : data.points) {
    const double ttft = record.measurement.metrics["ttft:p95"],
                 rate = record.measurement.metrics["output_throughput"];
    record.measurement.ci95 = {{"ttft:p95", {ttft * 0.95, ttft * 1.05}},
                               {"output_throughput", {rate * 0.98, rate * 1.02}}};
  }
  data.points[4].status = trial::PointStatus::Infeasible;
  trial::PointRecord invalid =
      measured(2, 2, 8, {{"output_throughput", 900}, {"ttft:p95", 5}, {"error_rate", 0}});
  invalid.status = trial::PointStatus::Invalid;
  invalid.measurement.findings = {
      {"client_limited", true, 0.98, "the load generator was the bottleneck", "use fewer requests"}};
  data.points.push_back(invalid);
  return build_report(spec, data, 812.5, R"({"cpu": "Test CPU", "cores": 2})");
}

std::string read_data(const std::string& name) {
  std::ifstream file(data_path(name), std::ios::binary);
  EXPECT_TRUE(file) << data_path(name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = data_path("golden/" + name);
  const char* update = std::getenv("PARETUNE_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(read_data("golden/" + name), text)
      << "refresh with PARETUNE_UPDATE_GOLDEN=1 if the change is meant";
}

}  // namespace paretune::report::testing
