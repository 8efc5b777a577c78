#include "paretune/core/hash.hpp"

#include <gtest/gtest.h>

namespace paretune::core {
namespace {

TEST(ContentHash, IsTheSameOnEveryMachine) {
  // XXH3 128 of the empty text and of "a", as `xxhsum -H2` prints them.
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(content_hash("a"), "a96faf705af16834e6c632b61e964e1f");
}

TEST(ShortHash, IsTheBeginningOfTheContentHash) {
  EXPECT_EQ(short_hash("a"), "a96faf705af1");
  EXPECT_NE(short_hash("a"), short_hash("b"));
}

}  // namespace
}  // namespace paretune::core
