// Terminal output: aligned tables, the summary of a study, the scatter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paretune/core/text.hpp"
#include "paretune/report/report_data.hpp"
#include "report/studies.hpp"
#include "report/text_table.hpp"

namespace paretune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DisplayWidth, CountsWhatIsSeen) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("µs ±3"), 5u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);
  EXPECT_EQ(display_width("\xFF\xFE"), 2u) << "broken bytes are one column each";
}

TEST(Elide, CutsAtColumns) {
  EXPECT_EQ(elide("abcdef", 6), "abcdef");
  EXPECT_EQ(elide("abcdef", 4), "abc…");
  EXPECT_EQ(elide("漢字漢字", 5), "漢字…");
  EXPECT_EQ(elide("abc", 0), "");
}

TEST(TextTable, AlignsNumbersRightAndTextLeft) {
  TextTable table({{"name", "", false, 0}, {"ttft", "ms", true, 0}});
  table.add_row({"é", "5"});
  table.add_row({"longer", "1234.5"});
  EXPECT_EQ(table.render(false), "  name      ttft\n              ms\n  é            5\n  longer  1234.5\n");
}

TEST(TextTable, KeepsCellsOnOneLine) {
  TextTable table({{"a", "", false, 0}});
  table.add_row({"x\ny\tz"});
  EXPECT_EQ(table.render(false, 0), "a\nx y z\n");
  EXPECT_THROW(table.add_row({"1", "2"}), std::invalid_argument);
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_EQ(wrap("aa bb cc", 5, 0), "aa bb\ncc");
  EXPECT_EQ(wrap("aa bb cc", 6, 2), "aa\n  bb\n  cc");
  EXPECT_EQ(wrap("averylongword", 5, 0), "averylongword");
}

TEST(RenderTable, MatchesTheGoldenFile) {
  testing::expect_golden("table.txt", render_table(testing::example_report(), false, 120));
}

TEST(RenderTable, FitsNarrowTerminals) {
  for (const int width : {90, 100, 110, 120}) {
    const std::string table = render_table(testing::example_report(), false, width);
    const std::string rows = table.substr(0, table.find("  hypervolume"));
    for (const std::string& line : core::split(rows, '\n')) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(RenderTable, UsesColourOnlyWhenAsked) {
  EXPECT_THAT(render_table(testing::example_report(), false, 100), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_table(testing::example_report(), true, 100), HasSubstr("\x1b[32m"));
}

TEST(RenderTable, ShowsCommandsReadyToPaste) {
  EXPECT_THAT(render_table(testing::example_report(), false, 100),
              HasSubstr("llama-server --parallel 4 --api-key '***' --port 8080\n"));
}

TEST(RenderTable, SaysWhatMissesWhenNothingIsFeasible) {
  spec::StudySpec spec = testing::two_objectives();
  spec.limits = {load::parse_bound("ttft:p95 <= 10").value()};
  const auto point = testing::measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 15}});
  const std::string table = render_table(build_report(spec, {{}, {point}}, 1, ""), false, 100);
  EXPECT_THAT(table, HasSubstr("No measured point meets the limits."));
  EXPECT_THAT(table, HasSubstr("nearest: " + point.id));
  EXPECT_THAT(table, HasSubstr("ttft:p95 <= 10"));
  EXPECT_THAT(table, HasSubstr("missed by 50 %"));
}

TEST(RenderPlot, MatchesTheGoldenFile) {
  testing::expect_golden("plot.txt", render_plot(testing::example_report(), false, 70, 12));
}

TEST(RenderPlot, PutsEveryPointInsideItsFrame) {
  for (const int width : {0, 10, 30, 200}) {
    const std::string plot = render_plot(testing::example_report(), false, width, 3);
    EXPECT_THAT(plot, HasSubstr("●"));
    EXPECT_THAT(plot, HasSubstr("◆"));
  }
}

TEST(RenderPlot, NeedsTwoObjectives) {
  ReportData data = testing::example_report();
  data.spec.objectives.pop_back();
  EXPECT_EQ(render_plot(data, false, 80, 20), "");
}

TEST(RenderPlot, SurvivesASinglePoint) {
  const auto data =
      build_report(testing::two_objectives(),
                   {{}, {testing::measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 0}})}}, 1, "");
  EXPECT_THAT(render_plot(data, false, 60, 10), HasSubstr("◆"));
}

}  // namespace
}  // namespace paretune::report
