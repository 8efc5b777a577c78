#include "paretune/core/count.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace paretune::core {
namespace {

Count power(std::uint64_t base, int exponent) {
  Count product = 1;
  for (int i = 0; i < exponent; ++i) product *= base;
  return product;
}

TEST(Count, PrintsProductsBeyond64BitsExactly) {
  EXPECT_EQ(power(10, 20).to_string(), "100000000000000000000");
  EXPECT_FALSE(power(10, 20).as_uint64());
  EXPECT_EQ(power(10, 38).to_string(), "1" + std::string(38, '0'));
  EXPECT_EQ(Count().to_string(), "0");
}

TEST(Count, SaturatesInsteadOfWrapping) {
  const Count large = power(10, 39);
  EXPECT_TRUE(large.saturated());
  EXPECT_EQ(large.to_string(), "more than 3.4e38");
  EXPECT_EQ((large + 1).to_string(), "more than 3.4e38");
  EXPECT_EQ((power(2, 127) + power(2, 127)).to_string(), "more than 3.4e38");
  EXPECT_EQ((large * 0).to_string(), "0") << "nothing times anything is nothing";
}

TEST(Count, FitsTheLargestUnsigned64BitNumber) {
  const Count largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(largest.as_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE((largest + 1).as_uint64());
  EXPECT_TRUE(largest < largest + 1);
}

TEST(Count, KeepsALowerBoundALowerBound) {
  const Count bound = Count::at_least(12);
  EXPECT_EQ(bound.to_string(), "at least 12");
  EXPECT_EQ((bound * 3 + 1).to_string(), "at least 37");
  EXPECT_EQ((Count(2) * bound).to_string(), "at least 24");
  EXPECT_EQ((Count::at_least(0) * 5).to_string(), "at least 0");
  EXPECT_FALSE(bound.as_uint64());
}

}  // namespace
}  // namespace paretune::core
