// From the bytes of one HTTP answer, with the times they came in, to a RequestRecord. Knows nothing of
// sockets, so every transport (libcurl, a later native one, tests that feed bytes by hand) gives the same
// numbers. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/load/openai_stream.hpp"
#include "paretune/load/record.hpp"
#include "paretune/load/sse.hpp"

namespace paretune::load {

/// Call order: start, on_headers, on_bytes …, then once end, fail or cancel. Times are ns on the record's
/// axis.
class ResponseReader {
 public:
  /// @param keep_text  collect the generated text too (text()); off in measurements.
  explicit ResponseReader(bool keep_text = false) : keep_text_(keep_text) {}

  /// @param record  index, times of schedule and send, requested lengths; the rest is filled in here.
  void start(RequestRecord record);
  /// First byte of the answer; may come again for interim answers.
  void on_headers(int status, std::int64_t now_ns);
  void on_bytes(std::string_view bytes, std::int64_t now_ns);

  /// The body is over as HTTP means it.
  RequestRecord end(std::int64_t now_ns);
  /// The transport failed or timed out. If the answer was already complete ([DONE] or a finish_reason), it is
  /// Ok.
  RequestRecord fail(Outcome outcome, std::string message, std::int64_t now_ns);
  /// Cut off by us. Ok if the answer was already complete.
  RequestRecord cancel(std::int64_t now_ns);

  bool saw_done() const { return saw_done_; }  ///< [DONE] came
  bool saw_finish() const { return !finish_reason_.empty(); }
  bool has_token() const { return record_.first_token_ns >= 0; }
  std::int64_t last_activity_ns() const { return last_activity_ns_; }
  const std::string& text() const { return text_; }
  const std::string& finish_reason() const { return finish_reason_; }

 private:
  enum class Body { Unknown, EventStream, Whole };

  void read_events(std::int64_t now_ns, bool at_end);
  void read_event(const SseEvent& event, std::int64_t now_ns, bool at_end);
  void read_delta(const StreamEvent& event, std::int64_t now_ns);
  void read_whole(std::int64_t now_ns);
  void add_token_event(std::int64_t now_ns, std::uint32_t tokens, bool known, std::size_t weight);
  void promote_empty_pieces();
  void settle_usage();
  void decide();
  void decide_without_tokens();
  void set(Outcome outcome, std::string message);
  RequestRecord take(std::int64_t now_ns);

  bool keep_text_;
  RequestRecord record_;
  SseParser parser_;
  Body body_ = Body::Unknown;
  std::string whole_;                   ///< body of an error or of an answer that was not streamed
  std::vector<std::uint32_t> weights_;  ///< text bytes per event
  std::vector<std::int64_t> empty_pieces_ns_;
  std::string text_;
  std::string finish_reason_;
  std::string error_;      ///< of an error object in the stream
  std::string bad_event_;  ///< head of the first event that was no JSON
  Usage usage_;
  std::uint32_t counted_ = 0;  ///< completion_tokens of the latest usage
  bool usage_per_event_ = false;
  bool all_counts_known_ = true;
  bool saw_done_ = false;
  std::size_t data_events_ = 0;
  std::size_t body_bytes_ = 0;
  std::int64_t last_activity_ns_ = -1;
};

/// Spreads `total` tokens over events in proportion to `weights` (bytes of text): at least 1 each where they
/// suffice. The sum is `total` exactly.
std::vector<std::uint32_t> spread_tokens(std::uint32_t total, const std::vector<std::uint32_t>& weights);

}  // namespace paretune::load
