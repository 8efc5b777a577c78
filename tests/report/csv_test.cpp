#include "paretune/report/csv.hpp"

#include <gtest/gtest.h>

namespace paretune::report {
namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> rows(std::string_view text, char separator = ',') {
  std::vector<Cells> result;
  const CsvText csv = parse_csv(text, separator).value();
  for (const CsvRecord& record : csv.records) result.push_back(record.cells);
  return result;
}

TEST(ParseCsv, ReadsQuotesLineBreaksAndDoubledQuotes) {
  EXPECT_EQ(rows("a,b\n\"x, \"\"y\"\"\",\"line1\nline2\"\n"),
            (std::vector<Cells>{{"a", "b"}, {"x, \"y\"", "line1\nline2"}}));
}

TEST(ParseCsv, TreatsCrLfAsOneLineEndAndKeepsItInsideQuotes) {
  EXPECT_EQ(rows("a,b\r\n1,\"x\r\ny\"\r\n"), (std::vector<Cells>{{"a", "b"}, {"1", "x\r\ny"}}));
}

TEST(ParseCsv, DropsTheByteOrderMarkAndBlankLines) {
  EXPECT_EQ(rows("\xEF\xBB\xBF"
                 "a,b\n\n  \n1,2"),
            (std::vector<Cells>{{"a", "b"}, {"1", "2"}}));
}

TEST(ParseCsv, KeepsEmptyCellsAndQuotesInsidePlainOnes) {
  EXPECT_EQ(rows(",\n5\" disk,\"\"\n"), (std::vector<Cells>{{"", ""}, {"5\" disk", ""}}));
}

TEST(ParseCsv, CountsLinesThroughQuotedLineBreaks) {
  const auto csv = parse_csv("a\n\"1\n2\"\n3\n").value();
  EXPECT_EQ(csv.records[1].line, 2u);
  EXPECT_EQ(csv.records[2].line, 4u);
}

TEST(ParseCsv, PutsALastLineAsideThatWasCutInsideQuotes) {
  const auto csv = parse_csv("a,b\n1,2\n3,\"cut of").value();
  EXPECT_EQ(csv.records.size(), 2u);
  EXPECT_EQ(csv.torn_line, 3u);
}

TEST(ParseCsv, RefusesAQuoteThatSwallowsTheRest) {
  const auto csv = parse_csv("a,b\n1,\"open\n3,4\n");
  ASSERT_FALSE(csv);
  EXPECT_NE(csv.error().message.find("line 2"), std::string::npos) << csv.error().message;
}

TEST(ParseCsv, GivesNothingForNothing) {
  EXPECT_TRUE(rows("").empty());
  EXPECT_TRUE(rows("\n\n").empty());
}

TEST(GuessSeparator, TakesTheMostFrequentOutsideQuotes) {
  EXPECT_EQ(guess_separator("a,b;c,d\n;;;;;"), ',');
  EXPECT_EQ(guess_separator("a;b;c\n1,5;2;3"), ';');
  EXPECT_EQ(guess_separator("\"a,b,c\"\td\n"), '\t');
  EXPECT_EQ(guess_separator("one\n"), ',');
}

TEST(CsvCell, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a, b \"c\""), "\"a, b \"\"c\"\"\"");
  EXPECT_EQ(csv_cell("line1\nline2"), "\"line1\nline2\"");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(CsvCell, DefusesFormulasButNotNumbers) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("-fa on"), "'-fa on");
  EXPECT_EQ(csv_cell("\t=1"), "'\t=1");
  EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
  EXPECT_EQ(csv_cell("=A1,B1"), "\"'=A1,B1\"");
  EXPECT_EQ(csv_cell("-12.5"), "-12.5");
  EXPECT_EQ(csv_cell("1e-3"), "1e-3");
}

TEST(CsvLine, ReadsBackAsWritten) {
  const Cells cells{"a", "", "x,y", "\"", "1\n2", "\xE2\x82\xAC"};
  EXPECT_EQ(rows(csv_line(cells)), std::vector<Cells>{cells});
}

}  // namespace
}  // namespace paretune::report
