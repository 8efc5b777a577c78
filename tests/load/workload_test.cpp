#include "paretune/load/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace paretune::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Reading {
  Workload workload;
  std::vector<std::string> faults;
};

Reading read(const std::string& yaml) {
  const auto document = core::parse_document(yaml, "study.yaml");
  EXPECT_TRUE(document.ok()) << yaml;
  core::Diagnostics diagnostics;
  Reading reading{read_workload(document->root.find("workload"), diagnostics), {}};
  for (const core::Fault& fault : diagnostics.faults()) {
    reading.faults.push_back(core::format_fault(fault, "study.yaml"));
  }
  return reading;
}

/// Faults of a workload that is fine but for `line`.
std::vector<std::string> faults_of(const std::string& line) {
  return read("workload:\n  concurrency: 1\n  duration: 5s\n  " + line + "\n").faults;
}

TEST(ReadWorkload, ReadsTheExampleOfTheManual) {
  const Reading reading = read(R"(
workload:
  prompt_tokens: {mean: 128, stdev: 32}
  output_tokens: 64
  concurrency: [1, 2, 4, 8]
  warmup: 3s
  duration: 20s
)");
  EXPECT_THAT(reading.faults, IsEmpty());
  const Workload& workload = reading.workload;
  EXPECT_EQ(workload.prompt_tokens.kind, LengthModel::Kind::Normal);
  EXPECT_EQ(workload.prompt_tokens.stdev, 32);
  EXPECT_EQ(workload.output_tokens.kind, LengthModel::Kind::Fixed);
  EXPECT_EQ(workload.output_tokens.mean, 64);
  EXPECT_THAT(workload.concurrency, ElementsAre(1, 2, 4, 8));
  EXPECT_FALSE(workload.open_loop());
  EXPECT_EQ(workload.warmup_s, 3);
  EXPECT_EQ(workload.duration_s, 20);
  EXPECT_TRUE(workload.ignore_eos);
  EXPECT_EQ(workload.temperature, 0);
}

TEST(ReadWorkload, ReadsAnOpenLoop) {
  const Reading reading = read(R"(
workload: {rate: [0.5, 1, 2], max_concurrency: 32, arrival: gamma, burstiness: 0.5, requests: 100, warmup: 0,
           slo: ["ttft <= 200ms", "tpot <= 50"], temperature: 0.7, ignore_eos: false,
           prompt_tokens: {min: 10, max: 20}, timeouts: {first_token: 5s, gap: 2s}})");
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_THAT(reading.workload.rate, ElementsAre(0.5, 1, 2));
  EXPECT_EQ(reading.workload.max_concurrency, 32);
  EXPECT_EQ(reading.workload.arrival, Arrival::Gamma);
  EXPECT_EQ(reading.workload.burstiness, 0.5);
  EXPECT_EQ(reading.workload.slo.size(), 2u);
  EXPECT_EQ(reading.workload.prompt_tokens.kind, LengthModel::Kind::Uniform);
  EXPECT_STREQ(reading.workload.live_name(), "rate");
  EXPECT_EQ(reading.workload.timeouts.first_token_s, 5);
  EXPECT_EQ(reading.workload.timeouts.total_s, Timeouts{}.total_s);
}

TEST(ReadWorkload, ReadsRangesOfLevels) {
  const auto levels = [](const std::string& value) {
    return read("workload: {duration: 5s, concurrency: " + value + "}").workload.concurrency;
  };
  EXPECT_THAT(levels("{min: 1, max: 16, scale: log2}"), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(levels("{min: 2, max: 10, step: 4}"), ElementsAre(2, 6, 10));
  EXPECT_THAT(levels("{min: 2, max: 4}"), ElementsAre(2, 3, 4));
  EXPECT_THAT(read("workload: {duration: 5s, rate: {min: 0.1, max: 0.5, step: 0.2}}").workload.rate,
              ElementsAre(0.1, 0.3, 0.5));
}

TEST(ReadWorkload, NamesTheLineOfEachFault) {
  EXPECT_THAT(faults_of("arival: poisson"), ElementsAre(HasSubstr("study.yaml:4:3: workload.arival")));
  EXPECT_THAT(faults_of("arival: poisson")[0], HasSubstr("arrival"));
}

TEST(ReadWorkload, CollectsEveryFaultInOneGo) {
  const Reading reading = read(R"(
workload:
  prompt_tokens: 0
  output_tokens: {mean: 5, max: 3}
  concurrency: [1, 1, 0, 2.5, x]
  rate: -1
  arrival: poison
  burstiness: 2
  duration: -5s
  requests: none
  slo: ["ttft:p95 <= 5ms", "tpot < fast"]
  temperature: -1
  ignore_eos: 3
  dataset: {kind: sharegpt, file: /no/such/file}
  timeouts: {total: 0}
)");
  const auto mentions = [&](const std::string& path) {
    return std::any_of(reading.faults.begin(), reading.faults.end(),
                       [&](const std::string& fault) { return fault.find(path) != std::string::npos; });
  };
  for (const char* path :
       {"workload.prompt_tokens", "workload.output_tokens", "concurrency[1]", "concurrency[2]",
        "concurrency[3]", "concurrency[4]", "workload.rate", "workload.arrival", "workload.burstiness",
        "workload.duration", "workload.requests", "slo[0]", "slo[1]", "workload.temperature",
        "workload.ignore_eos", "dataset.kind", "dataset.file", "timeouts.total"}) {
    EXPECT_TRUE(mentions(path)) << path;
  }
}

TEST(ReadWorkload, WantsExactlyOneKindOfLoad) {
  EXPECT_THAT(read("workload: {duration: 5s}").faults, ElementsAre(HasSubstr("concurrency: [1, 2, 4, 8]")));
  EXPECT_THAT(read("workload: {duration: 5s, concurrency: 1, rate: 2}").faults,
              ElementsAre(HasSubstr("max_concurrency")));
  EXPECT_THAT(faults_of("max_concurrency: 5"), ElementsAre(HasSubstr("only goes with rate")));
  EXPECT_THAT(faults_of("arrival: constant"), ElementsAre(HasSubstr("only goes with rate")));
  EXPECT_THAT(read("workload: {duration: 5s, rate: 1, burstiness: 2}").faults,
              ElementsAre(HasSubstr("gamma")));
}

TEST(ReadWorkload, WantsAnEnd) {
  EXPECT_THAT(read("workload: {concurrency: 1}").faults,
              ElementsAre(HasSubstr("duration: 20s, requests: 100")));
  EXPECT_THAT(read("workload: {concurrency: 1, requests: 0}").faults,
              ElementsAre(HasSubstr("between 1 and")));
  EXPECT_THAT(read("name: x").faults, ElementsAre(HasSubstr("workload: is missing")));
  EXPECT_THAT(read("workload: 5").faults, ElementsAre(HasSubstr("mapping")));
}

TEST(ReadWorkload, RefusesLengthsThatMeanNothing) {
  EXPECT_THAT(faults_of("prompt_tokens: {stdev: 5}"), ElementsAre(HasSubstr("needs a mean")));
  EXPECT_THAT(faults_of("prompt_tokens: {min: 5}"), ElementsAre(HasSubstr("mean, or min and max")));
  EXPECT_THAT(faults_of("prompt_tokens: {min: 5, max: 4}"), ElementsAre(HasSubstr("greater than max")));
  EXPECT_THAT(faults_of("prompt_tokens: {mean: 50, min: 60, max: 90}"), ElementsAre(HasSubstr("outside")));
  EXPECT_THAT(faults_of("prompt_tokens: many"), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(faults_of("prompt_tokens: 12.5"), ElementsAre(HasSubstr("whole number")));
}

TEST(WorkloadToJson, ReadsBackToTheSame) {
  for (const char* yaml : {"workload: {concurrency: [1, 2], duration: 5s, warmup: 1500ms, prompt_tokens: "
                           "{mean: 100, stdev: 9, max: 150}}",
                           "workload: {rate: [0.25, 2], requests: 10, arrival: gamma, burstiness: 3, "
                           "max_concurrency: 4, slo: ttft <= 1s}",
                           "workload: {rate: 1, duration: 5, output_tokens: {min: 3, max: 9}, timeouts: "
                           "{gap: 3s}, ignore_eos: false}"}) {
    const core::Json first = to_json(read(yaml).workload);
    const core::Node node = core::from_json(first);
    core::Diagnostics diagnostics;
    const core::Json second = to_json(read_workload(&node, diagnostics));
    EXPECT_TRUE(diagnostics.ok()) << yaml;
    EXPECT_EQ(first.dump(), second.dump()) << yaml;
  }
}

}  // namespace
}  // namespace paretune::load
