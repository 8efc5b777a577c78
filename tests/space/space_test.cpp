#include "paretune/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "space/support.hpp"

namespace paretune::space {
namespace {

TEST(Space, CountsTheRangesOfARealStudyExactly) {
  const SpaceSection section = section_of(case_text("03-ranges.yaml"), "parameters");
  const auto space = Space::create(section.parameters, section.links, {});
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->count_configurations()->to_string(), "223741440");
  EXPECT_EQ(space->raw_configurations().to_string(), "223741440");
}

TEST(Space, LeavesOutWhatConditionsAndConstraintsForbid) {
  const Space space = space_of("{a: [1, 2, 3], b: {values: [x, y], when: a > 1}, c: [1, 2, 3]}", {"c <= a"});
  // a=1: c=1; a=2: 2 b times 2 c; a=3: 2 times 3.
  EXPECT_EQ(space.count_configurations()->to_string(), "11");
  std::size_t visited = 0;
  space.for_each_configuration([&](const Code& code) {
    EXPECT_TRUE(space.valid(code));
    EXPECT_EQ(space.canonical(code), code);
    EXPECT_EQ(space.encode(space.decode(code)), code);
    ++visited;
    return true;
  });
  EXPECT_EQ(visited, 11U);
}

}  // namespace
}  // namespace paretune::space
