#include "paretune/sim/block_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "paretune/core/random.hpp"

namespace paretune::sim {
namespace {

TEST(BlockPool, RefusesMoreThanItHasAndTakesNothingThen) {
  BlockPool pool(10);
  EXPECT_TRUE(pool.take(7));
  EXPECT_FALSE(pool.take(4));
  EXPECT_EQ(pool.used(), 7U);
  pool.give_back(7);
  EXPECT_TRUE(pool.take(10));
}

TEST(BlockPool, FindsPublishedBlocksUntilTheyAreNeededForOthers) {
  BlockPool pool(4);
  ASSERT_TRUE(pool.take(2));
  const auto a = pool.publish(11);
  const auto b = pool.publish(12);
  const std::array<std::uint64_t, 3> hashes = {11, 12, 13};
  EXPECT_EQ(pool.match(hashes, 3), 2U);
  EXPECT_EQ(pool.match(hashes, 1), 1U);
  pool.release(b);
  pool.release(a);
  EXPECT_EQ(pool.used(), 0U);
  EXPECT_EQ(pool.match(hashes, 3), 2U);
  ASSERT_TRUE(pool.take(3));  // evicts one: block 12 was let go first
  EXPECT_EQ(pool.match(hashes, 3), 1U);
  EXPECT_EQ(pool.hold(12), BlockPool::kNone);
}

TEST(BlockPool, NeverEvictsABlockThatIsHeld) {
  BlockPool pool(2);
  ASSERT_TRUE(pool.take(1));
  const auto entry = pool.publish(5);
  EXPECT_FALSE(pool.take(2));
  EXPECT_EQ(pool.hold(5), entry);
  pool.release(entry);
  EXPECT_FALSE(pool.take(2));
  pool.release(entry);
  EXPECT_TRUE(pool.take(2));
}

TEST(BlockPool, KeepsASecondCopyPrivate) {
  BlockPool pool(4);
  ASSERT_TRUE(pool.take(2));
  ASSERT_NE(pool.publish(5), BlockPool::kNone);
  EXPECT_EQ(pool.publish(5), BlockPool::kNone);
  EXPECT_EQ(pool.used(), 2U);
}

TEST(BlockPool, AgreesWithASlowCountOverRandomUse) {
  core::Random random(7);
  BlockPool pool(40);
  std::size_t private_blocks = 0;
  std::vector<BlockPool::Entry> held;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t hash = 1 + random.index(60);
    switch (random.index(4)) {
      case 0:
        if (pool.take(1)) ++private_blocks;
        break;
      case 1:
        if (private_blocks > 0 && pool.publish(hash) != BlockPool::kNone) {
          --private_blocks;
          held.push_back(pool.hold(hash));
          pool.release(held.back());  // hold and release leave the first hold
        }
        break;
      case 2:
        if (const auto entry = pool.hold(hash); entry != BlockPool::kNone) held.push_back(entry);
        break;
      default:
        if (!held.empty()) {
          std::swap(held[random.index(held.size())], held.back());
          pool.release(held.back());
          held.pop_back();
        } else if (private_blocks > 0) {
          pool.give_back(1);
          --private_blocks;
        }
    }
    std::vector<BlockPool::Entry> distinct = held;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    ASSERT_EQ(pool.used(), private_blocks + distinct.size());
    ASSERT_LE(pool.used(), pool.total());
  }
}

}  // namespace
}  // namespace paretune::sim
