// One record per request: every number of a measurement can be recomputed from these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace paretune::load {

/// How a request ended. Everything but Ok is a failure, except Cancelled (cut off by our own end of the
/// window).
enum class Outcome {
  Ok,
  Connect,  ///< refused, reset before a byte, DNS
  Tls,
  Rejected,  ///< 429 or 503
  Http4xx,
  Http5xx,
  StreamError,  ///< an error object inside a 200 stream
  Truncated,    ///< ended without [DONE], finish_reason or a whole body
  Empty,        ///< a clean end without one token
  BadResponse,  ///< not the expected JSON or event stream
  TimeoutConnect,
  TimeoutFirstToken,
  TimeoutGap,
  TimeoutTotal,
  Cancelled,
};

/// The word used in files: "ok", "timeout_first_token" …
const char* to_string(Outcome outcome);
/// Everything but Ok and Cancelled.
bool is_failure(Outcome outcome);

/// Where output_tokens comes from: the server's usage, our own count of events (an estimate), or nowhere.
enum class TokenSource { Usage, Events, None };

const char* to_string(TokenSource source);

struct TokenEvent {
  std::int64_t time_ns = 0;  ///< on the axis of RequestRecord
  std::uint32_t tokens = 1;  ///< carried by this event; sums to output_tokens after normalisation
};

/// Times are nanoseconds since the start of the measurement (its clock's zero); -1 = did not happen.
struct RequestRecord {
  std::uint64_t index = 0;         ///< position in the schedule
  std::int64_t scheduled_ns = -1;  ///< when it was due (closed loop: when the slot became free = sent)
  std::int64_t sent_ns = -1;       ///< handed to the transport
  std::int64_t first_byte_ns = -1;
  std::int64_t first_token_ns = -1;
  std::int64_t last_token_ns = -1;
  std::int64_t done_ns = -1;        ///< stream closed or failed
  std::uint32_t prompt_tokens = 0;  ///< from usage, else the requested length
  std::uint32_t output_tokens = 0;
  std::uint32_t requested_prompt_tokens = 0;  ///< 0 = not known
  std::uint32_t requested_output_tokens = 0;  ///< 0 = not known
  TokenSource token_source = TokenSource::None;
  std::optional<std::uint32_t> cached_prompt_tokens;
  std::vector<TokenEvent> events;
  Outcome outcome = Outcome::Cancelled;
  int http_status = 0;
  std::string error;    ///< one line for people; empty if ok
  bool warmup = false;  ///< due before the measured window opened
  bool new_connection = false;
  bool missing_done = false;  ///< ok, but the stream had no [DONE]
};

}  // namespace paretune::load
