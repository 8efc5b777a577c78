// The study loop against a scripted target and a real database.
#include "paretune/study/study.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "paretune/core/document.hpp"
#include "paretune/study/observation.hpp"

namespace paretune::study {
namespace {

constexpr const char* kStudy = R"(
name: loop
engine: {kind: command, command: [server, --port, "{port}"]}
space: {a: [1, 2, 3]}
workload: {prompt_tokens: 8, output_tokens: 8, concurrency: [1, 2], requests: 4}
objectives: [{metric: output_throughput, direction: max}, {metric: "ttft:p95", direction: min}]
search: {method: grid, seed: 1}
)";

spec::StudySpec study_of(const std::string& more = {}) {
  auto document = core::parse_document(std::string(kStudy) + more, "study.yaml");
  auto spec = spec::read_study(std::move(document).value());
  if (!spec) throw std::runtime_error(spec.error().message);
  return std::move(spec).value();
}

std::int64_t number(const space::Value& value) {
  return static_cast<std::int64_t>(space::as_number(value));
}

engine::Failure failure(engine::FailureClass cls, engine::Phase phase = engine::Phase::Start) {
  engine::Failure result;
  result.cls = cls;
  result.phase = phase;
  result.cause = "scripted";
  return result;
}

/// Throughput a * concurrency, ttft a + concurrency; failures by script. Every second of virtual time is
/// counted.
class ScriptedTarget final : public trial::Target {
 public:
  std::function<std::optional<engine::Failure>(const space::Configuration&, int launch)> launch_failure;
  std::function<trial::TargetMeasurement(const space::Configuration&, const space::LiveSetting&)> measurement;
  std::function<void()> before_measure;
  std::vector<space::Configuration> launches;
  std::vector<space::Point> measured;
  std::vector<std::uint64_t> seeds;

  trial::TargetLaunch launch(int number, const space::Configuration& configuration, std::stop_token,
                             const trial::SpawnCallback& on_spawn) override {
    running_ = configuration;
    launches.push_back(configuration);
    on_spawn({.pid = 100 + number, .start_ticks = 1, .boot_id = "b", .token = "t"}, {"server"});
    trial::TargetLaunch result;
    result.argv = {"server", "--api-key", "hidden"};
    result.pid = 100 + number;
    result.seconds = 5;
    now_ += 5;
    if (launch_failure) result.failure = launch_failure(configuration, static_cast<int>(launches.size()));
    result.up = !result.failure;
    return result;
  }

  trial::TargetMeasurement measure(const space::LiveSetting& live, std::uint64_t seed, std::stop_token stop,
                                   const trial::ProgressCallback&) override {
    if (before_measure) before_measure();
    now_ += 1;
    seeds.push_back(seed);
    if (stop.stop_requested()) return {.interrupted = true};
    measured.push_back({running_, live});
    if (measurement) return measurement(running_, live);
    return good(running_, live);
  }

  static trial::TargetMeasurement good(const space::Configuration& configuration,
                                       const space::LiveSetting& live) {
    trial::TargetMeasurement result;
    const double a = space::as_number(configuration.at("a"));
    const double c = space::as_number(live.at("concurrency"));
    result.measurement.ok = 4;
    result.measurement.metrics = {{"output_throughput", a * c}, {"ttft:p95", a + c}};
    result.seconds = 1;
    return result;
  }

  core::Result<void> stop() override { return {}; }
  double now_s() override { return now_; }

 private:
  space::Configuration running_;
  double now_ = 0;
};

class StudyLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() /
                 ("paretune-study-" + std::to_string(::getpid()) + "-" +
                  testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory_);
    store_ = std::move(store::Store::create(directory_.string(), "{}")).value();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  Summary run(const spec::StudySpec& spec, std::stop_token stop = {}) {
    auto summary = run_study(spec, target_, *store_, observer_, std::move(stop));
    if (!summary) throw std::runtime_error(summary.error().message);
    return *summary;
  }
  store::StudyData data() { return std::move(store_->load()).value(); }

  std::filesystem::path directory_;
  std::unique_ptr<store::Store> store_;
  ScriptedTarget target_;
  Observer observer_;
};

TEST_F(StudyLoopTest, MeasuresEveryLiveSettingOfOneLaunch) {
  const Summary summary = run(study_of());
  EXPECT_EQ(summary.end, End::Exhausted);
  EXPECT_EQ(target_.launches.size(), 3u);
  EXPECT_EQ(summary.points, 6);
  const auto stored = data();
  ASSERT_EQ(stored.points.size(), 6u);
  EXPECT_EQ(stored.points[0].launch, stored.points[1].launch);
  EXPECT_EQ(stored.points[0].pid, 101);
  EXPECT_TRUE(stored.launches[2].ended);
}

TEST_F(StudyLoopTest, MasksSecretsInStoredCommands) {
  run(study_of());
  EXPECT_EQ(data().launches[0].argv, (std::vector<std::string>{"server", "--api-key", "***"}));
}

TEST_F(StudyLoopTest, GivesEveryWindowItsOwnSeedAndRepeatsItForTheSameStudySeed) {
  run(study_of());
  const std::set<std::uint64_t> distinct(target_.seeds.begin(), target_.seeds.end());
  EXPECT_EQ(distinct.size(), 6u);
}

TEST_F(StudyLoopTest, StopsAtTheBudgetOfPoints) {
  EXPECT_EQ(run(study_of("budget: {points: 3}\n")).end, End::BudgetPoints);
  EXPECT_EQ(data().points.size(), 3u);
}

TEST_F(StudyLoopTest, StopsAtTheBudgetOfLaunchesAfterTheWholeCurve) {
  EXPECT_EQ(run(study_of("budget: {launches: 2}\n")).end, End::BudgetLaunches);
  EXPECT_EQ(target_.launches.size(), 2u);
  EXPECT_EQ(data().points.size(), 4u);
}

TEST_F(StudyLoopTest, StopsAtTheBudgetOfTimeByTheTargetsClock) {
  EXPECT_EQ(run(study_of("budget: {time: 8s}\n")).end,
            End::BudgetTime);  // 5 + 1 + 1, then 5 + 1 + 1 is begun at 7
  EXPECT_EQ(target_.launches.size(), 2u);
}

TEST_F(StudyLoopTest, MeasuresTheBaselineFirst) {
  run(study_of("baseline: {a: 3}\n"));
  EXPECT_EQ(number(target_.launches.front().at("a")), 3);
  EXPECT_EQ(target_.launches.size(), 3u);
}

TEST_F(StudyLoopTest, GoesOnAfterALaunchFailureAndNeverTriesThatConfigurationAgain) {
  target_.launch_failure = [](const space::Configuration& configuration,
                              int) -> std::optional<engine::Failure> {
    if (number(configuration.at("a")) == 2) return failure(engine::FailureClass::OutOfMemory);
    return std::nullopt;
  };
  const Summary summary = run(study_of());
  EXPECT_EQ(summary.end, End::Exhausted);
  EXPECT_EQ(target_.launches.size(), 3u);
  EXPECT_EQ(data().points.size(), 4u);
  EXPECT_EQ(data().launches[1].failure->cls, engine::FailureClass::OutOfMemory);
}

TEST_F(StudyLoopTest, TriesAStartThatDiedByASignalOnceMoreAndMarksItFlaky) {
  target_.launch_failure = [](const space::Configuration&, int launch) -> std::optional<engine::Failure> {
    if (launch != 1) return std::nullopt;
    auto crash = failure(engine::FailureClass::Crash);
    crash.signal = 11;
    return crash;
  };
  const Summary summary = run(study_of("budget: {launches: 1}\n"));
  EXPECT_EQ(target_.launches.size(), 2u);
  EXPECT_EQ(summary.launches, 1);
  EXPECT_TRUE(data().launches[0].failure->flaky);
  EXPECT_EQ(data().points.size(), 2u);
}

TEST_F(StudyLoopTest, GivesUpAtOnceWhenAFixedFlagIsUnknown) {
  target_.launch_failure = [](const space::Configuration&, int) -> std::optional<engine::Failure> {
    auto bad = failure(engine::FailureClass::BadFlag);
    bad.flag = "disable-log-requests";
    return bad;
  };
  const Summary summary = run(study_of());
  EXPECT_EQ(summary.end, End::Hopeless);
  EXPECT_EQ(target_.launches.size(), 1u);
  EXPECT_NE(summary.explanation.find("disable-log-requests"), std::string::npos);
}

TEST_F(StudyLoopTest, TheMachinesFaultEndsTheStudyAndIsHeldAgainstNoConfiguration) {
  target_.launch_failure = [](const space::Configuration& configuration,
                              int) -> std::optional<engine::Failure> {
    if (number(configuration.at("a")) != 2) return std::nullopt;
    auto missing = failure(engine::FailureClass::Unsupported);
    missing.environment = true;
    missing.advice = "install it";
    return missing;
  };
  const auto first = run_study(study_of(), target_, *store_, observer_, {});
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, core::ErrorCode::Environment);
  EXPECT_EQ(first.error().message, "scripted");
  EXPECT_EQ(first.error().hint, "install it");
  EXPECT_EQ(data().points.size(), 2u);

  target_.launch_failure = {};
  const Summary second = run(study_of("budget: {launches: 3}\n"));
  EXPECT_EQ(second.end, End::Exhausted) << "the launch that never was takes nothing of the budget";
  EXPECT_EQ(data().points.size(), 6u);
}

TEST_F(StudyLoopTest, AnEndpointThatGoesAwayLosesTheOpenWindowOnly) {
  target_.measurement = [](const space::Configuration& configuration, const space::LiveSetting& live) {
    auto result = ScriptedTarget::good(configuration, live);
    if (number(live.at("concurrency")) == 1) return result;
    result.failure = failure(engine::FailureClass::Unhealthy, engine::Phase::Measure);
    result.failure->environment = true;
    result.server_down = true;
    return result;
  };
  EXPECT_FALSE(run_study(study_of(), target_, *store_, observer_, {}));
  EXPECT_EQ(data().points.size(), 1u);
  EXPECT_TRUE(data().launches[0].ended);
  target_.measurement = {};
  run(study_of());
  EXPECT_EQ(data().points.size(), 6u);
}

TEST_F(StudyLoopTest, OnlyThatValueFailsWhenASweptFlagIsUnknown) {
  target_.launch_failure = [](const space::Configuration&, int) -> std::optional<engine::Failure> {
    auto bad = failure(engine::FailureClass::BadFlag);
    bad.flag = "a";
    return bad;
  };
  EXPECT_EQ(run(study_of()).end, End::Exhausted);
  EXPECT_EQ(target_.launches.size(), 3u);
}

TEST_F(StudyLoopTest, ADeathUnderLoadEndsThatCurveOnly) {
  target_.measurement = [](const space::Configuration& configuration, const space::LiveSetting& live) {
    auto result = ScriptedTarget::good(configuration, live);
    if (number(configuration.at("a")) == 1) {
      result.failure = failure(engine::FailureClass::Crash, engine::Phase::Measure);
      result.failure->signal = 6;
      result.server_down = true;
    }
    return result;
  };
  run(study_of());
  const auto stored = data();
  EXPECT_EQ(target_.launches.size(), 3u);
  ASSERT_EQ(stored.points.size(), 5u);
  EXPECT_EQ(stored.points[0].status, trial::PointStatus::Failed);
  EXPECT_EQ(stored.points[0].failure->signal, 6);
}

TEST_F(StudyLoopTest, AnInterruptedWindowIsTheOnlyThingLost) {
  std::stop_source stop;
  int windows = 0;
  target_.before_measure = [&] {
    if (++windows == 4) stop.request_stop();
  };
  const Summary first = run(study_of(), stop.get_token());
  EXPECT_EQ(first.end, End::Interrupted);
  EXPECT_EQ(data().points.size(), 3u);
  EXPECT_FALSE(store_->fact("finished").has_value());

  target_.before_measure = {};
  const Summary second = run(study_of());
  EXPECT_EQ(second.end, End::Exhausted);
  const auto stored = data();
  ASSERT_EQ(stored.points.size(), 6u);
  std::set<space::Point> distinct;
  for (const auto& point : stored.points) distinct.insert(point.point);
  EXPECT_EQ(distinct.size(), 6u);
  EXPECT_TRUE(store_->fact("finished").has_value());
}

TEST_F(StudyLoopTest, AFinishedStudyMeasuresNothingWhenRunAgain) {
  run(study_of());
  const std::size_t launches = target_.launches.size();
  run(study_of());
  EXPECT_EQ(target_.launches.size(), launches);
}

TEST_F(StudyLoopTest, PointsThatBreakALimitAreInfeasibleWithTheirViolation) {
  run(study_of("limits: [\"ttft:p95 <= 4ms\"]\n"));
  for (const auto& point : data().points) {
    const double ttft = point.measurement.metrics.at("ttft:p95");
    EXPECT_EQ(point.status == trial::PointStatus::Ok, ttft <= 4) << ttft;
    EXPECT_NEAR(point.violation, std::max(0.0, (ttft - 4) / 4), 1e-12);
  }
}

TEST(Observation, AnInvalidatingFindingKeepsThePointOffTheFront) {
  const auto spec = study_of();
  auto measured = ScriptedTarget::good({{"a", std::int64_t{1}}}, {{"concurrency", std::int64_t{1}}});
  measured.measurement.findings.push_back({.code = "client_limited", .invalidates = true});
  EXPECT_EQ(status_of(spec, measured.measurement), trial::PointStatus::Invalid);
}

TEST(Observation, TurnsTheSignOfMaximisedObjectives) {
  const auto spec = study_of();
  trial::PointRecord point;
  point.point = {{{"a", std::int64_t{2}}}, {{"concurrency", std::int64_t{2}}}};
  point.status = trial::PointStatus::Ok;
  point.measurement = ScriptedTarget::good(point.point.configuration, point.point.live).measurement;
  EXPECT_EQ(observe(spec, point, 7).cost, (std::vector<double>{-4, 4}));
}

TEST(Observation, AnUnknownLimitMetricCountsAsBroken) {
  const auto spec = study_of("limits: [\"tpot:p95 <= 80ms\"]\n");
  EXPECT_DOUBLE_EQ(violation_of(spec, {{"output_throughput", 1.0}}), 1.0);
}

}  // namespace
}  // namespace paretune::study
