#include "paretune/load/sse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace paretune::load {
namespace {

using Events = std::vector<std::string>;  // "type|data"

Events drain(SseParser& parser) {
  Events events;
  while (const auto event = parser.next())
    events.push_back(std::string(event->type) + "|" + std::string(event->data));
  return events;
}

Events parse(const std::vector<std::string>& reads) {
  SseParser parser;
  Events all;
  const auto collect = [&] {
    for (std::string& event : drain(parser)) all.push_back(std::move(event));
  };
  for (const std::string& read : reads) {
    parser.feed(read);
    collect();
  }
  parser.finish();
  collect();
  return all;
}

struct Example {
  const char* what;
  std::string bytes;
  Events events;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"plain", "data: a\n\ndata: b\n\n", {"|a", "|b"}},
      {"no blank after the colon", "data:a\n\n", {"|a"}},
      {"only one blank is stripped", "data:  a\n\n", {"| a"}},
      {"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", {"|a", "|b"}},
      {"lone CR", "data: a\r\rdata: b\r\r", {"|a", "|b"}},
      {"mixed line ends", "data: a\r\ndata: b\n\r\ndata: c\r\r\n", {"|a\nb", "|c"}},
      {"several data lines", "data: a\ndata: b\ndata\n\n", {"|a\nb\n"}},
      {"comments", ":\n\n: ping\ndata: a\n: ping - x\n\n:\n", {"|a"}},
      {"event, id, retry and unknown fields",
       "event: error\nid: 1\nretry: 3\nfoo: x\ndata: a\n\ndata: b\n\n",
       {"error|a", "|b"}},
      {"an event line without data", "event: error\n\ndata: b\n\n", {"|b"}},
      {"bare data", "data:\n\ndata: a\n\n", {"|", "|a"}},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       {"|a"}},
      {"byte order mark only at the start",
       "data: \xEF\xBB\xBF"
       "a\n\n",
       {"|\xEF\xBB\xBF"
        "a"}},
      {"UTF-8", "data: \xC3\xA9\xF0\x9F\x98\x80\n\n", {"|\xC3\xA9\xF0\x9F\x98\x80"}},
      {"end without a blank line", "data: a\n\ndata: [DONE]", {"|a", "|[DONE]"}},
      {"end after one line feed", "data: [DONE]\n", {"|[DONE]"}},
      {"nothing", "", {}},
      {"blank lines only", "\n\r\n\r\n\n", {}},
      {"colon in the data", "data: {\"a\": 1}\n\n", {"|{\"a\": 1}"}},
  };
  return all;
}

TEST(SseParser, ReadsEachExampleInOnePiece) {
  for (const Example& example : examples()) EXPECT_EQ(parse({example.bytes}), example.events) << example.what;
}

TEST(SseParser, GivesTheSameEventsWhereverTheBytesAreCut) {
  for (const Example& example : examples()) {
    const std::string& bytes = example.bytes;
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      EXPECT_EQ(parse({bytes.substr(0, cut), bytes.substr(cut)}), example.events)
          << example.what << " cut at " << cut;
    }
    std::vector<std::string> single;
    for (const char byte : bytes) single.emplace_back(1, byte);
    EXPECT_EQ(parse(single), example.events) << example.what << " byte by byte";
  }
}

TEST(SseParser, GivesAnEventOutAsSoonAsItsBlankLineIsThere) {
  SseParser parser;
  parser.feed("data: a\r\n\r");
  EXPECT_EQ(drain(parser), Events{"|a"});
  parser.feed("\ndata: b\n\n");
  EXPECT_EQ(drain(parser), Events{"|b"});
}

TEST(SseParser, KeepsTheTornEnd) {
  SseParser parser;
  parser.feed("data: a\n\ndata: {\"to");
  EXPECT_EQ(drain(parser), Events{"|a"});
  EXPECT_EQ(parser.unfinished(), "data: {\"to");
}

TEST(SseParser, ReadsAnEventLargerThanAnyBuffer) {
  const std::string big(300'000, 'x');
  std::vector<std::string> reads;
  const std::string bytes = "data: " + big + "\n\n";
  for (std::size_t i = 0; i < bytes.size(); i += 1000) reads.push_back(bytes.substr(i, 1000));
  EXPECT_EQ(parse(reads), Events{"|" + big});
}

TEST(SseParser, StopsAtItsLimit) {
  SseParser line_limit(100);
  for (int i = 0; i < 20; ++i) {
    line_limit.feed("data: 4567890");
    drain(line_limit);
  }
  EXPECT_TRUE(line_limit.overflowed());
  SseParser event_limit(100);
  for (int i = 0; i < 20; ++i) {
    event_limit.feed("data: 4567890\n");
    drain(event_limit);
  }
  EXPECT_TRUE(event_limit.overflowed());
}

}  // namespace
}  // namespace paretune::load
