// When a window counts as failed although some of its requests succeeded.
#include "paretune/trial/measure_failure.hpp"

#include <gtest/gtest.h>

namespace paretune::trial {
namespace {

using engine::FailureClass;

load::Measurement counted(std::size_t ok, std::size_t failed, load::Outcome outcome) {
  load::Measurement measurement;
  measurement.ok = ok;
  measurement.failed = failed;
  if (failed > 0) measurement.failures[load::to_string(outcome)] = failed;
  measurement.first_error = "first words";
  return measurement;
}

std::optional<engine::Failure> judged(std::size_t ok, std::size_t failed, load::Outcome outcome) {
  return failure_of_window({}, counted(ok, failed, outcome));
}

TEST(FailureOfWindow, FailsWhenMoreRequestsFailedThanSucceeded) {
  EXPECT_FALSE(judged(10, 0, load::Outcome::Http5xx));
  EXPECT_FALSE(judged(10, 10, load::Outcome::Http5xx)) << "half: shown by error_rate and limits";
  const auto failure = judged(10, 11, load::Outcome::Http5xx);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->phase, engine::Phase::Measure);
  EXPECT_EQ(failure->cause, "11 of 21 requests failed; first: first words");
}

TEST(FailureOfWindow, TheClassSaysWhatKindOfFailurePrevailed) {
  EXPECT_EQ(judged(0, 3, load::Outcome::Http5xx)->cls, FailureClass::Unhealthy);
  EXPECT_EQ(judged(0, 3, load::Outcome::TimeoutGap)->cls, FailureClass::TimeoutMeasure);
  EXPECT_EQ(judged(0, 3, load::Outcome::Truncated)->cls, FailureClass::TooManyErrors);
}

TEST(FailureOfWindow, AWindowInWhichNothingEndedTimedOut) {
  const auto failure = judged(0, 0, load::Outcome::Ok);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cls, FailureClass::TimeoutMeasure);
  EXPECT_NE(failure->cause.find("no request finished in the window"), std::string::npos);
}

TEST(FailureOfWindow, AnAbortedWindowFailsWhateverSucceededBefore) {
  load::Window window;
  window.aborted = true;
  EXPECT_TRUE(failure_of_window(window, counted(100, 20, load::Outcome::Connect)));
}

}  // namespace
}  // namespace paretune::trial
