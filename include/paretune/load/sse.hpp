// Incremental reader of server-sent events. Bytes go in as they come off the socket, cut anywhere (inside a
// line end, a multi-byte character, the word "data"); whole events come out. One thread. Source: WHATWG HTML,
// "Server-sent events", parsing; leniency at the end of the stream is ours (finish()).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace paretune::load {

/// Views are valid until the next call of the parser.
struct SseEvent {
  std::string_view type;  ///< of the `event:` line; empty if there was none
  std::string_view data;  ///< `data:` lines joined with "\n"; may be empty (a heartbeat)
};

class SseParser {
 public:
  /// @param max_event_bytes  a longer event (or line) ends the stream with overflowed().
  explicit SseParser(std::size_t max_event_bytes = std::size_t{64} << 20);

  void feed(std::string_view bytes);
  /// The next whole event of what was fed; nullopt when more bytes are needed.
  std::optional<SseEvent> next();
  /// End of the stream: what is left counts as a whole event, although the standard would drop it, since
  /// servers close right after "data: [DONE]". Call next() afterwards.
  void finish();

  bool overflowed() const { return overflowed_; }
  /// Bytes received that belong to no event yet; after next() gave nullopt these are the torn end.
  std::string_view unfinished() const;
  void reset();

 private:
  bool next_line(std::string_view& line);
  void skip_byte_order_mark();
  void read_field(std::string_view line);
  void compact();

  std::size_t max_event_bytes_;
  std::string buffer_;
  std::size_t position_ = 0;  ///< start of the unread line
  std::size_t scanned_ = 0;   ///< no line end before this
  std::string data_;
  std::string type_;
  bool has_data_ = false;
  bool emitted_ = false;  ///< data_ belongs to the event given out last
  bool at_start_ = true;
  bool skip_line_feed_ = false;
  bool finished_ = false;
  bool overflowed_ = false;
};

}  // namespace paretune::load
