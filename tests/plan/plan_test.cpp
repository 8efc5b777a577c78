#include "paretune/plan/plan.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paretune/core/document.hpp"

namespace paretune::plan {
namespace {

spec::StudySpec study_of(const std::string& space, const std::string& more = {}) {
  const std::string text = R"(
name: plan
engine: {kind: command, command: [server, --port, "{port}"], gpus: tp}
workload: {prompt_tokens: 8, output_tokens: 8, concurrency: [1, 2, 4], warmup: 1s, duration: 9s}
objectives: [{metric: output_throughput}]
)" + space + more;
  auto spec = spec::read_study(std::move(core::parse_document(text, "study.yaml")).value());
  if (!spec) throw std::runtime_error(spec.error().message);
  return std::move(spec).value();
}

constexpr const char* kSpace = "space: {tp: [1, 2, 4], batch: [1, 2, 3, 4]}\n";

TEST(Plan, CountsWhatEachConstraintRemovesAfterTheOnesBefore) {
  const auto plan = make_plan(study_of(kSpace, "constraints: [\"batch <= 3\", \"batch >= tp\"]\n"));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total->to_string(), "12");
  EXPECT_EQ(plan->after->to_string(), "5");  // tp 1: 1 2 3, tp 2: 2 3, tp 4: none
  ASSERT_EQ(plan->cuts.size(), 2u);
  EXPECT_EQ(plan->cuts[0].count->to_string(), "3");
  EXPECT_EQ(plan->cuts[1].count->to_string(), "4");
  ASSERT_TRUE(plan->cuts[0].example);
  EXPECT_EQ(space::as_number(plan->cuts[0].example->at("batch")), 4);
}

TEST(Plan, BoundsLaunchesAndWindowsByBudgetAndSpace) {
  const auto free = make_plan(study_of(kSpace));
  EXPECT_EQ(free->launches->to_string(), "12");
  EXPECT_EQ(free->windows->to_string(), "36");
  const auto launches = make_plan(study_of(kSpace, "budget: {launches: 5}\n"));
  EXPECT_EQ(launches->launches->to_string(), "5");
  EXPECT_EQ(launches->windows->to_string(), "15");
  const auto points = make_plan(study_of(kSpace, "budget: {points: 7}\n"));
  EXPECT_EQ(points->launches->to_string(), "7");
  EXPECT_EQ(points->windows->to_string(), "7");
}

TEST(Plan, TimeIsAtLeastTheWindowsAndAtMostTheTimeBudgetWithItsOverrun) {
  const auto plan = make_plan(study_of(kSpace));
  ASSERT_TRUE(plan->wall_s);
  EXPECT_GE(plan->wall_s->low, 36 * 10);
  const auto bounded = make_plan(study_of(kSpace, "budget: {time: 60s}\n"));
  EXPECT_LE(bounded->wall_s->low, 60);
  EXPECT_LT(bounded->wall_s->high, plan->wall_s->high);
}

TEST(Plan, MoneyFollowsGpusAndPrice) {
  const auto plan = make_plan(study_of(kSpace, "price: {gpu_hour: 2, currency: EUR}\n"));
  ASSERT_TRUE(plan->money && plan->gpu_hours);
  EXPECT_NEAR(plan->money->high, 2 * plan->gpu_hours->high, 1e-9);
  EXPECT_NEAR(plan->gpu_hours->high, plan->wall_s->high / 3600 * 4, 1e-9);
  EXPECT_EQ(to_json(*plan)["currency"], "EUR");
}

TEST(Plan, CountsAboveTwoToThe53AreStrings) {
  std::string space = "space:\n  tp: [1]\n";
  for (int i = 0; i < 20; ++i) space += "  p" + std::to_string(i) + ": {min: 0, max: 9}\n";
  const auto plan = make_plan(study_of(space));
  ASSERT_TRUE(plan);
  EXPECT_EQ(to_json(*plan)["configurations"]["total"], "100000000000000000000");
  const auto small = to_json(*make_plan(study_of(kSpace)));
  EXPECT_EQ(small["configurations"]["total"], 12);
}

TEST(Plan, UnknownMoneyIsNull) {
  EXPECT_TRUE(to_json(*make_plan(study_of(kSpace)))["money"].is_null());
}

}  // namespace
}  // namespace paretune::plan
