#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "search/sobol_sequence.hpp"
#include "search/support.hpp"

namespace paretune::search {
namespace {

TEST(SobolSequence, HasOnePointInEachSliceOfEveryCoordinate) {
  for (std::size_t dimensions : {1U, 2U, 7U, 60U, 300U}) {
    SobolSequence sequence(dimensions, 5);
    const std::size_t n = 128;
    std::vector<std::set<std::size_t>> slices(dimensions);
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<double> point = sequence.next();
      for (std::size_t d = 0; d < dimensions; ++d) {
        ASSERT_GE(point[d], 0.0);
        ASSERT_LT(point[d], 1.0);
        slices[d].insert(static_cast<std::size_t>(point[d] * static_cast<double>(n)));
      }
    }
    for (const auto& slice : slices) EXPECT_EQ(slice.size(), n);
  }
}

/// A (0, m, 2)-net: every elementary box of area 1/64 holds one of the first 64 points, for any scramble.
TEST(SobolSequence, FillsEveryElementaryBoxOfThePlaneOnce) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SobolSequence sequence(2, seed);
    std::vector<std::vector<double>> points;
    for (int i = 0; i < 64; ++i) points.push_back(sequence.next());
    for (int k = 0; k <= 6; ++k) {
      std::set<std::pair<int, int>> boxes;
      for (const auto& p : points)
        boxes.insert({static_cast<int>(std::ldexp(p[0], k)), static_cast<int>(std::ldexp(p[1], 6 - k))});
      EXPECT_EQ(boxes.size(), 64U) << "seed " << seed << ", " << k;
    }
  }
}

TEST(SobolSequence, HasCoordinatesThatAreNotCorrelated) {
  const std::size_t dimensions = 40;
  SobolSequence sequence(dimensions, 3);
  const std::size_t n = 1024;
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < n; ++i) points.push_back(sequence.next());
  for (std::size_t a = 0; a < dimensions; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double sum = 0;
      for (const auto& p : points) sum += (p[a] - 0.5) * (p[b] - 0.5) * 12;
      EXPECT_LT(std::abs(sum / static_cast<double>(n)), 0.12) << a << ", " << b;
    }
  }
}

TEST(SobolSequence, DependsOnTheSeedAndOnNothingElse) {
  SobolSequence a(3, 1);
  SobolSequence same(3, 1);
  SobolSequence other(3, 2);
  const std::vector<double> first = a.next();
  EXPECT_EQ(first, same.next());
  EXPECT_NE(first, other.next());
}

TEST(SobolSequence, RefusesDimensionsWithoutDirectionNumbers) {
  EXPECT_THROW(SobolSequence(0, 1), std::invalid_argument);
  EXPECT_THROW(SobolSequence(SobolSequence::kMaxDimensions + 1, 1), std::invalid_argument);
  EXPECT_EQ(SobolSequence(SobolSequence::kMaxDimensions, 1).next().size(), SobolSequence::kMaxDimensions);
}

TEST(Sobol, CoversEveryLevelOfEveryParameterEvenly) {
  const auto sobol = testing::searcher_of(
      "sobol", testing::problem_of(testing::space_of("a: {min: 1, max: 8, step: 1}\nb: [p, q, r, s]\nu: "
                                                     "{min: 1.0, max: 1024.0, type: real, scale: log}")));
  std::map<double, int> a;
  std::map<space::Value, int> b;
  int low = 0;
  for (const space::Point& p : testing::run(*sobol, 32, [](const space::Point&) {
         return std::vector<double>{1, 1};
       })) {
    ++a[testing::number(p, "a")];
    ++b[p.configuration.at("b")];
    low += testing::number(p, "u") < 32;
  }
  for (const auto& [level, count] : a) EXPECT_EQ(count, 4) << level;
  for (const auto& [level, count] : b) EXPECT_EQ(count, 8);
  EXPECT_EQ(low, 16) << "half of the points in the lower half of the logarithmic axis";
}

}  // namespace
}  // namespace paretune::search
