#include "search/variation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "search/support.hpp"

namespace paretune::search {
namespace {

using space::Code;
using testing::space_of;

const char* const kMixed =
    "a: {min: 1, max: 9, step: 1}\nb: [p, q, r]\nu: {min: 10.0, max: 1000.0, type: real, scale: log}\none: "
    "[5]\n"
    "linked: {link: [tp, pp], values: [[1, 8], [2, 4], [4, 2]]}\nc: [1, 2, 4]";

void expect_in_range(const space::Space& space, const Code& code) {
  for (std::size_t axis = 0; axis < code.size(); ++axis) {
    const space::Axis& a = space.axes()[axis];
    if (a.levels) {
      EXPECT_EQ(code[axis], std::round(code[axis]));
      EXPECT_GE(code[axis], 0);
      EXPECT_LT(code[axis], static_cast<double>(*a.levels));
    } else {
      EXPECT_GE(code[axis], 10);
      EXPECT_LE(code[axis], 1000);
    }
  }
}

TEST(Variation, StaysInTheRangesOfAllAxes) {
  const space::Space space = space_of(kMixed);
  const Variation variation(space, false);
  core::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Code a = *space.sample(random);
    const Code b = *space.sample(random);
    Code child = variation.cross(a, b, random);
    expect_in_range(space, child);
    variation.mutate(child, random);
    expect_in_range(space, child);
  }
}

TEST(Variation, MutatesAtLeastOneGene) {
  const space::Space space = space_of(kMixed);
  const Variation variation(space, false);
  core::Random random(2);
  int changes = 0;
  for (int i = 0; i < 2000; ++i) {
    const Code before = *space.sample(random);
    Code after = before;
    variation.mutate(after, random);
    EXPECT_NE(after, before);
    for (std::size_t axis = 0; axis < after.size(); ++axis) changes += after[axis] != before[axis];
  }
  EXPECT_NEAR(changes / 2000.0, 4.0 / 3, 0.1);  // 1 + 1/4 + 1/16 …
}

TEST(Variation, MovesOrderedGenesMostlyToTheirNeighboursAndReachesAllLevels) {
  const space::Space space = space_of("a: {min: 1, max: 9, step: 1}");
  const Variation variation(space, false);
  core::Random random(3);
  std::set<double> reached;
  int neighbours = 0;
  for (int i = 0; i < 1000; ++i) {
    Code code{4};
    variation.mutate(code, random);
    reached.insert(code[0]);
    neighbours += std::abs(code[0] - 4) == 1;
  }
  EXPECT_EQ(reached.size(), 8U);
  EXPECT_GT(neighbours, 550);
}

TEST(Variation, ExchangesUnorderedGenesBetweenTheParents) {
  const space::Space space =
      space_of("b: [p, q, r, s, t]\nlinked: {link: [tp, pp], values: [[1, 8], [2, 4], [4, 2]]}");
  const Variation variation(space, false);
  core::Random random(4);
  std::set<Code> children;
  for (int i = 0; i < 200; ++i) children.insert(variation.cross({1, 0}, {4, 2}, random));
  EXPECT_EQ(children, (std::set<Code>{{1, 0}, {1, 2}, {4, 0}, {4, 2}}));
}

TEST(Variation, CrossesRealGenesAroundTheParentsOnTheirOwnScale) {
  const space::Space space = space_of("u: {min: 10.0, max: 1000.0, type: real, scale: log}");
  const Variation variation(space, false);
  core::Random random(5);
  double log_sum = 0;
  for (int i = 0; i < 4000; ++i) log_sum += std::log10(variation.cross({20}, {500}, random)[0]);
  EXPECT_NEAR(log_sum / 4000, (3 * std::log10(20.0) + std::log10(500.0)) / 4,
              0.03);  // half of the children are the first
}

TEST(Variation, LeavesLiveGenesAloneWhereSitesAreConfigurations) {
  const space::Space space = space_of("a: {min: 1, max: 9, step: 1}\nc: [1, 2, 4]", {"c"});
  const Variation variation(space, true);
  core::Random random(6);
  for (int i = 0; i < 100; ++i) {
    Code code{3, 0};
    variation.mutate(code, random);
    EXPECT_EQ(code[1], 0);
  }
  EXPECT_FALSE(Variation(space_of("a: [1]\nc: [1, 2]", {"c"}), true).possible());
}

}  // namespace
}  // namespace paretune::search
