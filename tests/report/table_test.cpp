#include "paretune/report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/studies.hpp"

namespace paretune::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ReadTable, ReadsTheReportOfCase41) {
  const Table table = read_table(testing::read_data("cases/41-report.csv"), "41-report.csv").value();
  ASSERT_EQ(table.rows.size(), 3u);
  const auto cell = [&](std::size_t row, const char* column) {
    return table.rows[row].cells[*table.find(column)];
  };
  EXPECT_EQ(cell(0, "server_args").text, R"({"max-num-seqs": 16, "max-num-batched-tokens": 512})");
  EXPECT_EQ(cell(0, "note").text, "a, b \"c\"");
  EXPECT_EQ(cell(1, "note").text, "line1\nline2");
  EXPECT_EQ(cell(2, "rank").text, "");
  EXPECT_FALSE(cell(2, "rank").number);
  EXPECT_EQ(cell(0, "score").text, "1082.2693392419908");
  EXPECT_EQ(cell(0, "score").number, 1082.2693392419908);
}

TEST(ReadTable, TakesNumbersOnlyWhereTheWholeCellIsOne) {
  const Table table = read_table("x\n 5 \n1e3\n12ms\nnan\ninf\n-0.5\n\"\"\n0x10\n", "t.csv").value();
  std::vector<std::optional<double>> numbers;
  for (const TableRow& row : table.rows) numbers.push_back(row.cells[0].number);
  const std::optional<double> none;
  EXPECT_THAT(numbers, ElementsAre(5, 1000, none, none, none, -0.5, none, none));
}

TEST(ReadTable, FillsShortRowsAndPutsLongOnesAside) {
  const Table table = read_table("a,b\n1\n1,2,3\n4,5,\n6,7\n", "t.csv").value();
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].cells[1].text, "");
  EXPECT_EQ(table.rows[1].number, 2u);
  EXPECT_EQ(table.rows[2].number, 3u);
  EXPECT_THAT(table.messages,
              ElementsAre(HasSubstr("1 row with more cells than the header left out (first at line 3)")));
}

TEST(ReadTable, NamesRepeatedAndEmptyHeaders) {
  const Table table = read_table("a,,a\n1,2,3\n", "t.csv").value();
  EXPECT_THAT(table.columns, ElementsAre("a", "column 2", "a (2)"));
  EXPECT_THAT(table.ambiguous, ElementsAre("a"));
}

TEST(ReadTable, ReadsSemicolonsTabsAndAByteOrderMark) {
  EXPECT_THAT(read_table("\xEF\xBB\xBFid;x\na;1\n", "t.csv").value().columns, ElementsAre("id", "x"));
  EXPECT_THAT(read_table("id\tx\na\t1\n", "t.tsv").value().columns, ElementsAre("id", "x"));
}

TEST(ReadTable, RefusesEmptyTextAndUtf16) {
  EXPECT_THAT(read_table("", "t.csv").error().message, HasSubstr("t.csv is empty"));
  EXPECT_THAT(read_table("\xFF\xFE"
                         "a",
                         "t.csv")
                  .error()
                  .message,
              HasSubstr("UTF-16"));
}

TEST(ReadTable, HasNoRowsForAHeaderAlone) {
  EXPECT_THAT(read_table("a,b\n", "t.csv").value().rows, IsEmpty());
}

TEST(ReadJson, FindsTheListOfRows) {
  EXPECT_EQ(read_table(R"([{"a":1},{"a":2}])", "t.json").value().rows.size(), 2u);
  EXPECT_EQ(read_table(R"({"x":1,"results":[{"a":1},{"a":2},{"a":3}]})", "t.json").value().rows.size(), 3u);
  EXPECT_EQ(read_table(R"({"a":1,"b":2})", "t.json").value().rows.size(), 1u);
}

TEST(ReadJson, FlattensObjectsAndKeepsNull) {
  const Table table = read_table(R"([{"p":{"x":1.5,"q":{"y":"7"}},"n":null,"l":[1,2]}])", "t.json").value();
  EXPECT_THAT(table.columns, ElementsAre("p.x", "p.q.y", "n", "l"));
  const auto& cells = table.rows[0].cells;
  EXPECT_EQ(cells[0].number, 1.5);
  EXPECT_EQ(cells[1].number, 7);
  EXPECT_EQ(cells[2].text, "");
  EXPECT_EQ(cells[3].text, "[1,2]");
}

TEST(ReadJson, GivesRowsOfDifferentKeysEmptyCells) {
  const Table table = read_table(R"([{"a":1},{"b":2}])", "t.json").value();
  EXPECT_EQ(table.rows[0].cells.size(), 2u);
  EXPECT_EQ(table.rows[0].cells[1].text, "");
  EXPECT_EQ(table.rows[1].cells[0].text, "");
}

TEST(ReadJson, NamesTheLineOfAFault) {
  EXPECT_THAT(read_table("[{\"a\":1},\n {\"a\":}]", "t.json").error().message, HasSubstr("t.json:2:"));
}

TEST(ReadJsonLines, SplitsOnLineFeedOnly) {
  const Table table = read_table(testing::read_data("cases/37-line-separators.jsonl"), "a.jsonl").value();
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.messages, IsEmpty());
}

TEST(ReadJsonLines, PutsATornLastLineAside) {
  const Table table = read_table(testing::read_data("cases/37-torn.jsonl"), "a.jsonl").value();
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.messages, ElementsAre(HasSubstr("a.jsonl:3: the last line was cut off (31 bytes)")));
}

TEST(ReadJsonLines, NamesATornMiddleLine) {
  const Table table = read_table(testing::read_data("cases/37-torn-middle.jsonl"), "a.jsonl").value();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].number, 2u);
  EXPECT_THAT(table.messages, ElementsAre(HasSubstr("a.jsonl:2:")));
}

TEST(ReadJsonLines, IsRecognisedInAFileCalledJson) {
  EXPECT_EQ(read_table("{\"a\":1}\n{\"a\":2}\n", "t.json").value().rows.size(), 2u);
}

TEST(GuessFormat, GoesByNameThenByText) {
  EXPECT_EQ(guess_format("x.CSV", "{"), TableFormat::Csv);
  EXPECT_EQ(guess_format("standard input", "  [1]"), TableFormat::Json);
  EXPECT_EQ(guess_format("-", "{\"a\":1}\n{\"a\":2}\n"), TableFormat::JsonLines);
  EXPECT_EQ(guess_format("-", "{\n\"a\":1}\n"), TableFormat::Json);
  EXPECT_EQ(guess_format("-", "a,b\n"), TableFormat::Csv);
}

TEST(AppendTable, MatchesColumnsByName) {
  Table table = read_table("a,b\n1,2\n", "one.csv").value();
  append(table, read_table("b,c\n3,4\n", "two.csv").value());
  EXPECT_THAT(table.columns, ElementsAre("a", "b", "c"));
  EXPECT_EQ(table.rows[0].cells[2].text, "");
  EXPECT_EQ(table.rows[1].cells[0].text, "");
  EXPECT_EQ(table.rows[1].cells[1].number, 3);
}

}  // namespace
}  // namespace paretune::report
