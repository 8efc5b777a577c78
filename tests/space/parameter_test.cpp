#include "paretune/space/parameter.hpp"

#include <gtest/gtest.h>

#include "paretune/core/random.hpp"
#include "paretune/core/units.hpp"

namespace paretune::space {
namespace {

TEST(LevelIndex, UndoesLevelAt) {
  const std::vector<Domain> domains{
      LevelList{{{std::string("a"), "a"}, {std::string("b"), "b"}}},
      SteppedRange{0.9, 0.95, 0.01, false, 2, 6},
      SteppedRange{-10, 10, 5, true, 0, 5},
      PowerRange{3, 96, 6},
  };
  for (const Domain& domain : domains) {
    for (std::size_t i = 0; i < *level_count(domain); ++i) {
      EXPECT_EQ(level_index(domain, level_at(domain, i).value), i);
    }
    EXPECT_THROW(level_at(domain, *level_count(domain)), std::out_of_range);
  }
}

TEST(LevelIndex, ComparesNumbersByValue) {
  const Domain list = LevelList{{{std::int64_t{16}, "16"}, {0.5, "0.5"}}};
  EXPECT_EQ(level_index(list, Value(16.0)), 0U);
  EXPECT_EQ(level_index(list, Value(std::string("16"))), std::nullopt);
  const Domain reals = SteppedRange{0.1, 0.5, 0.1, false, 1, 5};
  EXPECT_EQ(level_index(reals, Value(0.1 + 0.2)), 2U) << "computed elsewhere with a rounding error";
  EXPECT_EQ(level_index(reals, Value(0.25)), std::nullopt);
  EXPECT_EQ(level_index(reals, Value(0.6)), std::nullopt);
  EXPECT_EQ(level_index(reals, Value(true)), std::nullopt);
  EXPECT_EQ(level_index(Domain(PowerRange{1, 8, 4}), Value(std::int64_t{3})), std::nullopt);
  EXPECT_EQ(level_index(Domain(PowerRange{1, 8, 4}), Value(8.0)), 3U);
}

TEST(LevelAt, RoundsEveryStepToTheDecimalsOfTheFile) {
  const SteppedRange range{0.01, 9.99, 0.01, false, 2, 999};
  for (std::size_t i = 0; i < range.count; ++i) {
    const Level level = level_at(range, i);
    EXPECT_LE(level.text.size(), 4U) << level.text;
    EXPECT_EQ(core::parse_number(level.text).value(), std::get<double>(level.value));
  }
}

TEST(LevelCount, IsAbsentForAContinuousRange) {
  EXPECT_EQ(level_count(RealRange{0, 1, Scale::Linear}), std::nullopt);
  EXPECT_THROW(level_at(RealRange{0, 1, Scale::Linear}, 0), std::invalid_argument);
  EXPECT_EQ(level_index(Domain(RealRange{0, 1, Scale::Linear}), Value(0.5)), std::nullopt);
}

}  // namespace
}  // namespace paretune::space
