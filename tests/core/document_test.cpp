#include "paretune/core/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace paretune::core {
namespace {

using testing::HasSubstr;

std::string case_file(const std::string& name) {
  return std::string(PARETUNE_TEST_DATA "/cases/") + name;
}

TEST(ParseDocument, NamesBothLinesOfADuplicateKey) {
  const auto document = load_document(case_file("01-yaml-duplicate-key.yaml"));
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().message, HasSubstr("max_num_seqs"));
  EXPECT_THAT(document.error().message, HasSubstr("line 2"));
  EXPECT_THAT(document.error().message, HasSubstr("line 4"));
}

TEST(ParseDocument, NamesLineAndColumnOfAJsonFault) {
  const auto document = load_document(case_file("07-json-with-comment.json"));
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().message, HasSubstr("07-json-with-comment.json:4:21: "));
}

}  // namespace
}  // namespace paretune::core
