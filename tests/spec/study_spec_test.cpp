#include "paretune/spec/study_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/support.hpp"

namespace paretune::spec {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::faults_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read;
using testing::study_with;
using testing::Variable;
using testing::warnings_of;

TEST(ReadStudy, FillsInEveryDefault) {
  const auto spec = read(study_with(""), {}, "configs/my study.yaml");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "my-study");
  EXPECT_EQ(spec->search.method, "nsga2");
  EXPECT_EQ(spec->search.seed, 1U);
  EXPECT_FALSE(spec->budget.launches || spec->budget.points || spec->budget.time_s);
  EXPECT_FALSE(spec->baseline);
  EXPECT_FALSE(spec->price);
  EXPECT_THAT(spec->warnings, IsEmpty());
}

TEST(ReadStudy, ReadsEverySection) {
  const auto spec = read(study_with(R"(
name: whole
space:
  max-num-seqs: [8, 16, 32]
  tensor-parallel-size: [1, 2]
constraints: ["max-num-seqs >= 8 * tensor-parallel-size"]
objectives:
  - {metric: tps, direction: maximize}
  - metric: p95_ttft_ms
limits: ["tpot:p95 <= 80ms", "error_rate <= 1%"]
baseline: {max-num-seqs: 16}
search: {method: grid, seed: 7}
budget: {launches: 12, points: 40, time: 20m}
price: {gpu_hour: 2.5, currency: EUR}
reference_point: {output_throughput: 0, "ttft:p95": 2s}
)"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "whole");
  ASSERT_EQ(spec->objectives.size(), 2U);
  EXPECT_EQ(spec->objectives[0].metric.name, "output_throughput");
  EXPECT_TRUE(spec->objectives[0].maximize);
  EXPECT_EQ(spec->objectives[1].metric.name, "ttft:p95");
  EXPECT_FALSE(spec->objectives[1].maximize);
  ASSERT_EQ(spec->limits.size(), 2U);
  EXPECT_EQ(spec->limits[1].value, 0.01);
  ASSERT_TRUE(spec->baseline);
  EXPECT_EQ(spec->baseline->at("max-num-seqs"), space::Value(std::int64_t{16}));
  EXPECT_EQ(spec->search.method, "grid");
  EXPECT_EQ(spec->search.seed, 7U);
  EXPECT_EQ(spec->budget.launches, 12);
  EXPECT_EQ(spec->budget.points, 40);
  EXPECT_EQ(spec->budget.time_s, 1200);
  EXPECT_EQ(spec->price->gpu_hour, 2.5);
  EXPECT_EQ(spec->price->currency, "EUR");
  EXPECT_EQ(spec->reference_point.at("ttft:p95"), 2000);
  EXPECT_EQ(spec->space.count_configurations(), core::Count(5));
}

TEST(ReadStudy, AddsTheLoadLevelAsALiveParameter) {
  const auto closed = read(study_with("space: {max-num-seqs: [8, 16]}"));
  ASSERT_TRUE(closed) << closed.error().message;
  const space::Parameter* concurrency = closed->space.find("concurrency");
  ASSERT_NE(concurrency, nullptr);
  EXPECT_TRUE(concurrency->live);
  EXPECT_EQ(space::level_at(concurrency->domain, 1).value, space::Value(std::int64_t{4}));
  EXPECT_EQ(closed->space.count_points(), core::Count(4));

  const auto open = read("engine: {kind: sim}\nworkload: {rate: [0.5, 2], requests: 10}\nobjectives: [qps]");
  ASSERT_TRUE(open) << open.error().message;
  const space::Parameter* rate = open->space.find("rate");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(space::level_at(rate->domain, 1).value, space::Value(2.0)) << "a whole rate is still a real";
}

TEST(ReadStudy, MeasuresOneConfigurationWithoutASpace) {
  const auto spec = read(study_with(""));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->space.count_configurations(), core::Count(1));
}

TEST(ReadStudy, ReportsTheFaultsOfAllSectionsTogetherByLine) {
  const std::string message = faults_of(
      "nmae: x\n"
      "engine: {kind: vlm}\n"
      "space:\n"
      "  a: {min: 4, max: 2}\n"
      "workload: {concurrency: 0, duration: 5s}\n"
      "objectives: [{metric: ttft_p95, direction: up}, {metric: output_throughputt}]\n"
      "limits: ['tpot <= 80ms']\n"
      "budget: {launches: 0}\n"
      "search: {seed: -1}\n"
      "price: {}\n");
  std::vector<int> lines;
  for (const std::string& line :
       std::vector<std::string>{"1:1: nmae: unknown key 'nmae' (did you mean 'name'?)", "2:16: engine.kind",
                                "4:", "5:", "6:", "8:", "9:", "10:"}) {
    EXPECT_THAT(message, HasSubstr("study.yaml:" + line)) << message;
  }
  EXPECT_LT(message.find("study.yaml:4:"), message.find("study.yaml:6:"));
  EXPECT_THAT(message, HasSubstr("output_throughput"));
  EXPECT_THAT(message, HasSubstr("tpot:p95"));
}

TEST(ReadStudy, NamesTheMissingSections) {
  const std::string message = faults_of("name: x\n");
  for (const char* section : {"engine: is missing", "workload: is missing", "objectives: is missing"}) {
    EXPECT_THAT(message, HasSubstr(section));
  }
}

TEST(ReadStudy, RefusesWhatIsNoMapping) {
  EXPECT_THAT(faults_of("[1, 2]"), HasSubstr("must be a mapping"));
  EXPECT_THAT(faults_of("just text"), HasSubstr("must be a mapping"));
}

TEST(ReadStudy, TakesSetsInOrderAndReportsBadOnes) {
  const std::string text = study_with("search: {seed: 1}\nbudget: {points: 3}\nspace: {max-num-seqs: [8]}");
  const auto spec = read(text, {"search.seed=5", "search.seed=6", "objectives[0].metric=qps",
                                "space.max-num-seqs=[1, 2]", "budget.launches=4"});
  ASSERT_FALSE(spec) << "objectives[0] is a plain name there";
  EXPECT_THAT(spec.error().message, HasSubstr("--set objectives[0].metric=qps"));
  const auto good = read(text, {"search.seed=5", "search.seed=6", "objectives[0]=qps",
                                "space.max-num-seqs=[1, 2]", "budget.launches=4", "name=other"});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->search.seed, 6U);
  EXPECT_EQ(good->objectives[0].metric.name, "request_throughput");
  EXPECT_EQ(good->space.count_configurations(), core::Count(2));
  EXPECT_EQ(good->budget.launches, 4);
  EXPECT_EQ(good->name, "other");
  EXPECT_THAT(faults_of(text, {"budget.lanches=4"}), HasSubstr("did you mean 'launches'?"));
}

TEST(ReadStudy, ReplacesEnvironmentVariables) {
  const Variable port("PT_SEQS", "24");
  const auto spec =
      read(study_with("name: ${PT_NAME:-fallback}\nspace: {max-num-seqs: [8, \"${PT_SEQS}\"]}"));
  EXPECT_THAT(spec ? "" : spec.error().message, HasSubstr("mixes")) << "a quoted variable stays a text";
  const auto plain = read(study_with("name: ${PT_NAME:-fallback}\nsearch:\n  seed: ${PT_SEQS}"));
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->name, "fallback");
  EXPECT_EQ(plain->search.seed, 24U);
  EXPECT_THAT(faults_of(study_with("name: ${PT_NOT_SET}")), HasSubstr("PT_NOT_SET is not set"));
}

TEST(Name, MustServeAsADirectory) {
  for (const char* name : {"a/b", "..", ".hidden", "-flag", "a b", "''"}) {
    EXPECT_THAT(faults_of(study_with(std::string("name: ") + name)), HasSubstr("cannot name a directory"))
        << name;
  }
  EXPECT_EQ(read(study_with("name: 1.10"))->name, "1.10");
}

TEST(Objectives, MustBeThereKnownAndDifferent) {
  EXPECT_THAT(faults_of(study_with("objectives: []")), HasSubstr("names no metric"));
  EXPECT_THAT(faults_of(study_with("objectives: [ttft]")), HasSubstr("ttft:p95"));
  EXPECT_THAT(faults_of(study_with("objectives: [ttft_p99ms]")),
              AllOf(HasSubstr("unknown metric"), HasSubstr("ttft")));
  EXPECT_THAT(faults_of(study_with("objectives: [tps, {metric: output_throughput}]")),
              HasSubstr("output_throughput is an objective already"));
  EXPECT_THAT(faults_of(study_with("objectives: [{metric: tps, direction: bigger}]")),
              HasSubstr("unknown direction"));
  EXPECT_THAT(faults_of(study_with("objectives: [{direction: max}]")), HasSubstr("metric: is missing"));
  EXPECT_THAT(faults_of(study_with("objectives: [{metric: tps, weight: 2}]")),
              HasSubstr("unknown key 'weight'"));
  EXPECT_THAT(faults_of(study_with("objectives: [7]")), HasSubstr("must be the name of a metric"));
}

TEST(Objectives, TakeAnySpellingOfADirection) {
  for (const char* word : {"max", "maximize", "maximise"}) {
    const auto spec = read(study_with(std::string("objectives: [{metric: tps, direction: ") + word + "}]"));
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_TRUE(spec->objectives[0].maximize);
  }
  const auto turned = read(study_with("objectives: [{metric: tps, direction: min}]"));
  EXPECT_THAT(warnings_of(turned), HasSubstr("although higher is better"));
}

TEST(Metrics, AreRefusedWhereTheStudyCannotComputeThem) {
  const auto fault = [](const std::string& metric, const std::string& more = "") {
    return faults_of(study_with("objectives: [" + metric + "]\n" + more));
  };
  EXPECT_THAT(fault("goodput"), HasSubstr("workload.slo"));
  EXPECT_THAT(fault("quality_loss"), HasSubstr("cannot be measured"));
  EXPECT_THAT(fault("output_throughput_per_gpu"), HasSubstr("engine.gpus"));
  EXPECT_THAT(fault("gpus"), HasSubstr("engine.gpus"));
  EXPECT_THAT(fault("cost"), HasSubstr("price"));
  EXPECT_THAT(fault("cost", "price: {gpu_hour: 1}"), HasSubstr("engine.gpus"));
  EXPECT_THAT(faults_of(study_with("limits: ['goodput >= 1']")), HasSubstr("limits[0]"));
  const std::string one_token =
      "engine: {kind: sim, gpus: 1}\nworkload: {output_tokens: 1, concurrency: 1, duration: 1s}\n"
      "price: {gpu_hour: 1}\n";
  EXPECT_THAT(faults_of(one_token + "objectives: ['tpot:p95']"), HasSubstr("two tokens or more"));
  EXPECT_EQ(faults_of(one_token + "objectives: [cost, output_throughput_per_gpu, gpus]"), "");
  EXPECT_THAT(faults_of("engine: {kind: sim, gpus: 0}\nworkload: {concurrency: 1, duration: 1s}\nobjectives: "
                        "[tps_per_gpu]"),
              HasSubstr("engine.gpus: 0"));
}

TEST(Limits, AreCheckedOneByOneAndAgainstEachOther) {
  EXPECT_THAT(faults_of(study_with("limits: ['ttft <= 1s']")), HasSubstr("limits[0]"));
  EXPECT_THAT(faults_of(study_with("limits: ['ttft:p95 = 1s']")), HasSubstr("needs <= or >="));
  EXPECT_THAT(faults_of(study_with("limits: [5]")), HasSubstr("must be a bound"));
  EXPECT_THAT(faults_of(study_with("limits: ['tps >= 5', 'output_throughput >= 7']")),
              HasSubstr("second lower limit"));
  EXPECT_THAT(faults_of(study_with("limits: ['tps >= 5', 'tps <= 4']")), HasSubstr("nothing meets both"));
  const auto single = read(study_with("limits: 'ttft:p95 <= 1s'"));
  ASSERT_TRUE(single) << single.error().message;
  EXPECT_EQ(single->limits[0].value, 1000);
}

TEST(ReferencePoint, NamesObjectivesOnly) {
  EXPECT_THAT(faults_of(study_with("reference_point: {e2e:p95: 100}")), HasSubstr("is no objective"));
  EXPECT_THAT(faults_of(study_with("reference_point: {ttft:p95: 100, p95_ttft: 90}")),
              HasSubstr("given twice"));
  EXPECT_THAT(faults_of(study_with("reference_point: {output_throughput: [1]}")),
              HasSubstr("must be a number"));
  EXPECT_THAT(faults_of(study_with("reference_point: 5")), HasSubstr("must be a mapping"));
}

TEST(Budget, HoldsWholePositiveAmounts) {
  EXPECT_THAT(faults_of(study_with("budget: {points: 0}")), HasSubstr("budget.points"));
  EXPECT_THAT(faults_of(study_with("budget: {launches: 1.5}")), HasSubstr("budget.launches"));
  EXPECT_THAT(faults_of(study_with("budget: {time: 0s}")), HasSubstr("budget.time"));
  EXPECT_THAT(faults_of(study_with("budget: {trials: 3}")), HasSubstr("unknown key"));
}

TEST(Budget, MustEndAStudyThatHasNoLastConfiguration) {
  const std::string continuous = "space: {gpu-memory-utilization: {min: 0.8, max: 0.95}}\n";
  EXPECT_THAT(faults_of(study_with(continuous)), AllOf(HasSubstr("study.yaml:4"), HasSubstr("budget")));
  EXPECT_EQ(faults_of(study_with(continuous + "budget: {points: 5}")), "");
  const auto large = read(study_with("space: {max-num-seqs: {min: 1, max: 5000}}"));
  EXPECT_THAT(warnings_of(large), HasSubstr("5000 configurations"));
}

TEST(Baseline, MayLieOutsideTheSpaceButNamesOnlyParameters) {
  const std::string space = "space: {max-num-seqs: [8, 16], block-size: {min: 0.5, max: 1.0, step: 0.5}}\n";
  const auto outside = read(study_with(space + "baseline: {max-num-seqs: 12}"));
  EXPECT_THAT(warnings_of(outside), HasSubstr("12 is not in the space"));
  EXPECT_EQ(outside->baseline->at("max-num-seqs"), space::Value(std::int64_t{12}));
  EXPECT_THAT(faults_of(study_with(space + "baseline: {max-num-seq: 8}")),
              HasSubstr("did you mean 'max-num-seqs'?"));
  EXPECT_THAT(faults_of(study_with(space + "baseline: {max-model-len: 8}")),
              HasSubstr("fixed by engine.args"));
  EXPECT_THAT(faults_of(study_with(space + "baseline: {concurrency: 4}")), HasSubstr("workload.concurrency"));
  EXPECT_THAT(faults_of(study_with(space + "baseline: {block-size: }")), HasSubstr("a value is missing"));
  EXPECT_THAT(faults_of(study_with(space + "baseline: [8]")), HasSubstr("must be a mapping"));
  const auto defaults = read(study_with(space + "baseline: {}"));
  ASSERT_TRUE(defaults && defaults->baseline);
  EXPECT_TRUE(defaults->baseline->empty());
}

TEST(Baseline, UsesTheSpacesOwnKindOfNumber) {
  const auto spec =
      read(study_with("space: {a: {min: 0.5, max: 1.0, step: 0.5}, b: [1, 2], c: {min: 0.0, max: 1.0}}\n"
                      "budget: {points: 1}\nbaseline: {a: 1, b: 2.0, c: 1}"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->baseline->at("a"), space::Value(1.0));
  EXPECT_EQ(spec->baseline->at("b"), space::Value(std::int64_t{2}));
  EXPECT_EQ(spec->baseline->at("c"), space::Value(1.0));
}

TEST(Baseline, IsMeasuredEvenIfItBreaksARuleOfTheSpace) {
  const auto spec = read(study_with(
      "space: {a: [1, 2], b: [1, 2], mode: {values: [x, y], when: a == 2}}\nconstraints: [b <= a]\n"
      "baseline: {a: 1, b: 2, mode: x}"));
  EXPECT_THAT(warnings_of(spec), AllOf(HasSubstr("b <= a"), HasSubstr("a == 2")));
}

TEST(Parameters, BelongToOneSectionOnly) {
  EXPECT_THAT(faults_of(study_with("space: {max-model-len: [1024]}")), HasSubstr("is also in engine.args"));
  EXPECT_THAT(faults_of(study_with("space: {concurrency: [1, 2]}")), HasSubstr("load level"));
  EXPECT_THAT(faults_of(study_with("space: {a: {values: [1, 2], live: true}}")), HasSubstr("space.a.live"));
}

TEST(Expressions, NameParametersAndFixedArguments) {
  const auto spec =
      read(study_with("space: {max-num-seqs: [8, 16], chunk: {values: [1, 2], when: max-model-len > 1024}}\n"
                      "constraints: [max-num-seqs * 128 <= max-model-len, concurrency <= max-num-seqs]"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(faults_of(study_with("space: {max-num-seqs: [8]}\nconstraints: [max-num-sqs <= 8]")),
              AllOf(HasSubstr("study.yaml:5:"), HasSubstr("did you mean 'max-num-seqs'?")));
  EXPECT_THAT(faults_of(study_with("space: {a: {values: [1], when: max-model-lne > 1}}")),
              HasSubstr("did you mean 'max-model-len'?"));
}

TEST(Expressions, GiveTheNumberOfGpus) {
  const std::string rest =
      "workload: {concurrency: 1, duration: 1s}\nobjectives: [tps_per_gpu]\nspace: {tp: [1, 2], pp: [1, "
      "4]}\n";
  const auto spec = read("engine: {kind: sim, gpus: tp * pp}\n" + rest);
  ASSERT_TRUE(spec) << spec.error().message;
  ASSERT_TRUE(spec->engine.gpus);
  EXPECT_EQ(spec->engine.gpus->number(
                [](std::string_view name) { return space::Value(std::int64_t{name == "tp" ? 2 : 4}); }),
            8.0);
  EXPECT_THAT(faults_of("engine: {kind: sim, gpus: tpp * pp}\n" + rest),
              AllOf(HasSubstr("study.yaml:1:"), HasSubstr("engine.gpus")));
}

TEST(Constraints, MustLeaveSomethingToMeasure) {
  EXPECT_THAT(faults_of(study_with("space: {a: [1, 2]}\nconstraints: [a > 2]")),
              HasSubstr("no configuration meets the constraints"));
}

TEST(Endpoint, HasLiveSettingsOnly) {
  const std::string rest = "workload: {concurrency: [1, 2], duration: 1s}\nobjectives: [tps]\n";
  const std::string engine = "engine: {kind: endpoint, url: 'http://127.0.0.1:8000', model: m}\n";
  EXPECT_EQ(faults_of(engine + rest), "");
  EXPECT_THAT(faults_of(engine + rest + "space: {a: [1, 2]}"), HasSubstr("an endpoint already runs"));
  EXPECT_THAT(faults_of(engine + rest + "baseline: {a: 1}"), HasSubstr("an endpoint has no parameters"));
}

TEST(CheckFlags, NamesUnknownFlagsWithTheirLine) {
  const auto spec = read(
      "engine:\n  kind: vllm\n  model: m\n  args: {max-model-length: 10, compilation-config.level: 3}\n"
      "space:\n  max_num_seqs: [1, 2]\n  gpu-memory-utilisation: [0.9]\n"
      "workload: {concurrency: 1, duration: 1s}\nobjectives: [tps]\n");
  ASSERT_TRUE(spec) << spec.error().message;
  const std::vector<std::string> installed{"max-model-len", "max-num-seqs", "gpu-memory-utilization",
                                           "compilation-config"};
  const auto checked = check_flags(*spec, installed);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, core::ErrorCode::InvalidInput);
  EXPECT_THAT(checked.error().message,
              AllOf(HasSubstr("study.yaml:4:"), HasSubstr("did you mean 'max-model-len'?"),
                    HasSubstr("study.yaml:7:"), HasSubstr("gpu-memory-utilization")));
  EXPECT_THAT(checked.error().message, Not(HasSubstr("max_num_seqs")));
  EXPECT_THAT(checked.error().message, Not(HasSubstr("concurrency")));
  EXPECT_TRUE(check_flags(*spec, {})) << "nothing is known about the program";
}

TEST(CheckFlags, LeavesTemplatesAlone) {
  const auto spec = read(
      "engine: {kind: command, command: [srv, --port, '{port}']}\nspace: {x: [1, 2]}\n"
      "workload: {concurrency: 1, duration: 1s}\nobjectives: [tps]\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_TRUE(check_flags(*spec, {"y"}));
}

}  // namespace
}  // namespace paretune::spec
