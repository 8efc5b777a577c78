#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "load/case_data.hpp"
#include "paretune/load/endpoint.hpp"

namespace paretune::load {
namespace {

using ::testing::HasSubstr;

/// "host=::1 port=8000" or a URL.
core::Result<std::string> chat_url_of(const std::string& input) {
  if (!input.starts_with("host=")) return request_url_of(input, Api::Chat);
  const std::size_t blank = input.find(' ');
  const auto base = base_url_of(input.substr(5, blank - 5), std::stoi(input.substr(input.find("port=") + 5)));
  if (!base) return base.error();
  return request_url_of(*base, Api::Chat);
}

TEST(BaseUrl, ReadsEveryRowOfTheCase) {
  std::istringstream rows(read_case("17-urls.csv"));
  std::string row;
  std::getline(rows, row);
  int count = 0;
  while (std::getline(rows, row)) {
    const std::size_t comma = row.find(',');
    const std::string input = row.substr(0, comma);
    const std::string expected = row.substr(comma + 1);
    const auto url = chat_url_of(input);
    if (expected == "ERROR") {
      EXPECT_FALSE(url.ok()) << input << " gave " << (url ? *url : "");
    } else {
      ASSERT_TRUE(url.ok()) << input << ": " << url.error().message;
      EXPECT_EQ(*url, expected) << input;
    }
    ++count;
  }
  EXPECT_EQ(count, 21);
}

TEST(BaseUrl, HasExactlyOneVersionPartAndStaysAsItIs) {
  for (const char* url :
       {"http://h:8000", "http://h:8000/v1/", "HTTP://h/proxy//", "https://h/api/v4/models"}) {
    const auto once = normalise_base_url(url);
    ASSERT_TRUE(once.ok()) << url;
    EXPECT_EQ(*normalise_base_url(*once), *once);
  }
  EXPECT_EQ(*normalise_base_url(" http://h:8000/ "), "http://h:8000/v1");
  EXPECT_EQ(*normalise_base_url("https://h/api/v4/models"), "https://h/api/v4");
  EXPECT_EQ(*request_url_of("http://h", Api::Completions), "http://h/v1/completions");
}

TEST(BaseUrl, RefusesWhatLeaksOrCannotWork) {
  for (const char* url : {"", "h", "http://user:secret@h", "http://h:0", "http://h:80x",
                          "http://h:", "http://h?x=1", "http://[::1", "http://[]:80", "http://a b",
                          "http://h/a b", "http://[::1]8000", "file:///x", "http://h:+80"}) {
    EXPECT_FALSE(normalise_base_url(url).ok()) << url;
  }
  EXPECT_THAT(normalise_base_url("http://user:secret@h").error().message,
              ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(normalise_base_url("h:8000").error().hint, HasSubstr("http://h:8000"));
  EXPECT_THAT(normalise_base_url("http://::1:8000").error().hint, HasSubstr("[::1]"));
  EXPECT_FALSE(base_url_of("", 80).ok());
  EXPECT_FALSE(base_url_of("h", 0).ok());
  EXPECT_FALSE(base_url_of("h", 70000).ok());
}

TEST(ServerRoot, LiesBesideTheVersionPart) {
  EXPECT_EQ(*server_root_of("http://h:8000"), "http://h:8000");
  EXPECT_EQ(*server_root_of("http://h:8000/proxy/v1/"), "http://h:8000/proxy");
  EXPECT_EQ(*server_root_of(*base_url_of("::", 80)), "http://[::1]:80");
}

}  // namespace
}  // namespace paretune::load
