#include "paretune/core/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "paretune/core/version.hpp"

namespace paretune::core {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<std::string> good = std::string("yes");
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, "yes");
  const Result<std::string> bad = invalid_input("no", "try yes");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(bad.error().hint, "try yes");
  EXPECT_THROW((void)bad.value(), std::logic_error);
}

TEST(Result, MovesItsValueOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Result, OfVoidIsGoodUnlessMadeFromAnError) {
  EXPECT_TRUE(Result<void>().ok());
  EXPECT_FALSE(Result<void>(io_error("disk")).ok());
}

TEST(ErrorCode, HasAWordForEveryValue) {
  EXPECT_STREQ(to_string(ErrorCode::InvalidInput), "invalid input");
  EXPECT_STREQ(to_string(ErrorCode::OutOfMemory), "out of memory");
  EXPECT_STREQ(to_string(environment_error("x").code), "environment");
}

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(std::string(version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace paretune::core
