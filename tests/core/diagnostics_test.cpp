#include "paretune/core/diagnostics.hpp"

#include <gtest/gtest.h>

namespace paretune::core {
namespace {

TEST(Diagnostics, ReportsAllFaultsInTheOrderOfTheFile) {
  Diagnostics diagnostics;
  diagnostics.fault({7, 3}, "b", "second");
  diagnostics.fault({2, 9}, "a", "first", "do this");
  diagnostics.warn({1, 1}, "c", "only a warning");
  const Error error = diagnostics.to_error("study.yaml");
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_EQ(error.message, "study.yaml:2:9: a: first (do this)\nstudy.yaml:7:3: b: second");
  EXPECT_FALSE(diagnostics.ok());
  EXPECT_EQ(diagnostics.warnings().size(), 1U);
}

TEST(Diagnostics, IsGoodWithWarningsOnly) {
  Diagnostics diagnostics;
  diagnostics.warn({1, 1}, "c", "careful");
  EXPECT_TRUE(diagnostics.ok());
}

TEST(FormatFault, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(format_fault({{}, "a.b", "is bad", ""}, "f"), "f: a.b: is bad");
  EXPECT_EQ(format_fault({{3, 0}, "", "is bad", "fix it"}, "f"), "f:3: is bad (fix it)");
  EXPECT_EQ(format_fault({{3, 4}, "", "is bad", ""}, ""), "3:4: is bad");
}

}  // namespace
}  // namespace paretune::core
