#include "paretune/core/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "paretune/core/random.hpp"

namespace paretune::core {
namespace {

TEST(ParseDuration, ReadsSecondsAndUnits) {
  EXPECT_DOUBLE_EQ(parse_duration_s("12").value(), 12);
  EXPECT_DOUBLE_EQ(parse_duration_s("90s").value(), 90);
  EXPECT_DOUBLE_EQ(parse_duration_s("10m").value(), 600);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5h").value(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration_s("250ms").value(), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration_s("2h30m").value(), 9000);
  EXPECT_DOUBLE_EQ(parse_duration_s("1d 2h").value(), 93600);
  EXPECT_DOUBLE_EQ(parse_duration_s(" 5 s ").value(), 5);
  EXPECT_DOUBLE_EQ(parse_duration_s("0").value(), 0);
}

TEST(ParseDuration, RefusesWhatIsNone) {
  for (const char* text :
       {"", "s", "5x", "-5", "-5s", "30m2h", "5s5s", "1e400", "nan", "inf", "5 5", "ten", "2h30", "1..5s"}) {
    const auto seconds = parse_duration_s(text);
    EXPECT_FALSE(seconds) << text;
    if (!seconds) {
      EXPECT_FALSE(seconds.error().hint.empty());
    }
  }
}

TEST(ParseFraction, ReadsPercentAndPlainNumbers) {
  EXPECT_DOUBLE_EQ(parse_fraction("1%").value(), 0.01);
  EXPECT_DOUBLE_EQ(parse_fraction("2.5 %").value(), 0.025);
  EXPECT_DOUBLE_EQ(parse_fraction("0.01").value(), 0.01);
  EXPECT_FALSE(parse_fraction("%"));
  EXPECT_FALSE(parse_fraction("one"));
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_DOUBLE_EQ(parse_number("1e-3").value(), 0.001);
  EXPECT_DOUBLE_EQ(parse_number("+2.5").value(), 2.5);
  for (const char* text : {"", "+", "+-2", "1,5", "1 ", " 1", "1x", "nan", "inf", "1e999", "0x10"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(ParseInteger, NamesANumberThatIsTooLarge) {
  EXPECT_EQ(parse_integer("-42").value(), -42);
  EXPECT_EQ(parse_integer("+42").value(), 42);
  EXPECT_EQ(parse_integer("9223372036854775807").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_NE(parse_integer("9223372036854775808").error().message.find("too large"), std::string::npos);
  for (const char* text : {"", "+", "+-1", "1.0", "1e3", "x"}) EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(FormatNumber, IsShortAndReadsBackTheSame) {
  EXPECT_EQ(format_number(0.95), "0.95");
  EXPECT_EQ(format_number(1e-05), "0.00001");
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(-0.0), "0");
  EXPECT_EQ(format_number(1e300), "1e+300");
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double value = random.normal() * std::pow(10.0, random.uniform(-300, 300));
    EXPECT_EQ(parse_number(format_number(value)).value(), value);
  }
}

TEST(FormatShort, ShowsFourDigits) {
  EXPECT_EQ(format_short(1234.567), "1235");
  EXPECT_EQ(format_short(12.3456), "12.35");
  EXPECT_EQ(format_short(0.0012341), "0.001234");
  EXPECT_EQ(format_short(123456.7), "123457");
  EXPECT_EQ(format_short(2), "2");
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(-0.5), "-0.5");
  EXPECT_EQ(format_short(9.99999), "10");
  EXPECT_EQ(format_short(100000), "100000");
  EXPECT_EQ(format_short(2e15), "2.000e+15");
  EXPECT_EQ(format_short(std::nan("")), "nan");
  EXPECT_EQ(format_short(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(FormatDuration, NeverShowsSixtySeconds) {
  EXPECT_EQ(format_duration(0.85), "850 ms");
  EXPECT_EQ(format_duration(0.9999), "1.0 s");
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(59.97), "1m 00s");
  EXPECT_EQ(format_duration(245), "4m 05s");
  EXPECT_EQ(format_duration(3599.7), "1h 00m");
  EXPECT_EQ(format_duration(3720), "1h 02m");
  EXPECT_EQ(format_duration(-12), "-12.0 s");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "unlimited");
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1024.0 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(16.0 * 1024 * 1024 * 1024), "16.0 GiB");
}

}  // namespace
}  // namespace paretune::core
