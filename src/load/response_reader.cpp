#include "paretune/load/response_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "paretune/core/text.hpp"

namespace paretune::load {

namespace {

constexpr std::size_t kMaxWholeBody = std::size_t{64} << 20;
constexpr std::size_t kShownBytes = 160;

/// The start of foreign text on one line, for a message.
std::string shown(std::string_view bytes) {
  std::string text = core::printable(core::trim(bytes.substr(0, kShownBytes)));
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (bytes.size() > kShownBytes) text += "…";
  return text;
}

Outcome outcome_of_status(int status) {
  if (status == 429 || status == 503) return Outcome::Rejected;
  if (status >= 500) return Outcome::Http5xx;
  if (status >= 400) return Outcome::Http4xx;
  return Outcome::BadResponse;
}

std::string status_message(int status, const std::string& body) {
  std::string detail = error_message_of(body);
  if (detail.empty()) detail = body;
  std::string message = "HTTP " + std::to_string(status);
  if (status >= 300 && status < 400) message += " (redirects are not followed)";
  if (!core::trim(detail).empty()) message += ": " + shown(detail);
  return message;
}

}  // namespace

std::vector<std::uint32_t> spread_tokens(std::uint32_t total, const std::vector<std::uint32_t>& weights) {
  const std::size_t n = weights.size();
  std::vector<std::uint32_t> shares(n, 0);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double weight = 0;
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < n; ++i) {
    weight += weights[i];
    const double part = sum > 0 ? weight / sum : static_cast<double>(i + 1) / static_cast<double>(n);
    // Rounded on the running total, so that the sum comes out exactly.
    const auto target = static_cast<std::uint32_t>(std::lround(part * total));
    const auto left = static_cast<std::uint32_t>(n - 1 - i);
    const std::uint32_t least = total >= n ? 1 : 0;
    const std::uint32_t most = total - given - std::min(total - given, least * left);
    shares[i] = std::clamp(target > given ? target - given : 0, std::min(least, most), most);
    given += shares[i];
  }
  if (n > 0) shares.back() += total - given;
  return shares;
}

void ResponseReader::start(RequestRecord record) {
  *this = ResponseReader(keep_text_);
  record_ = std::move(record);
  const std::size_t expected = std::min<std::size_t>(record_.requested_output_tokens, 1U << 20);
  record_.events.reserve(expected + 1);
  weights_.reserve(expected + 1);
  last_activity_ns_ = record_.sent_ns;
}

void ResponseReader::on_headers(int status, std::int64_t now_ns) {
  record_.http_status = status;
  if (record_.first_byte_ns < 0) record_.first_byte_ns = now_ns;
  last_activity_ns_ = now_ns;
}

void ResponseReader::on_bytes(std::string_view bytes, std::int64_t now_ns) {
  if (bytes.empty()) return;
  if (record_.first_byte_ns < 0) record_.first_byte_ns = now_ns;
  last_activity_ns_ = now_ns;
  body_bytes_ += bytes.size();
  if (body_ == Body::Unknown) {
    // Looking at the bytes is surer than Content-Type: no event stream starts with a brace.
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    const bool whole = record_.http_status != 200 ||
                       (first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '<'));
    body_ = whole ? Body::Whole : Body::EventStream;
  }
  if (body_ == Body::Whole) {
    if (whole_.size() + bytes.size() <= kMaxWholeBody) whole_.append(bytes);
    return;
  }
  parser_.feed(bytes);
  read_events(now_ns, false);
}

void ResponseReader::read_events(std::int64_t now_ns, bool at_end) {
  while (const auto event = parser_.next()) read_event(*event, now_ns, at_end);
}

void ResponseReader::read_event(const SseEvent& event, std::int64_t now_ns, bool at_end) {
  const std::string_view data = core::trim(event.data);
  if (data.empty() || saw_done_) return;
  ++data_events_;
  if (data == "[DONE]") {
    saw_done_ = true;
    return;
  }
  const StreamEvent parsed = read_stream_event(data, keep_text_);
  if (event.type == "error" || parsed.error) {
    if (error_.empty()) error_ = parsed.error ? shown(*parsed.error) : shown(data);
    if (error_.empty()) error_ = "error event";
    return;
  }
  if (!parsed.valid) {
    // The last event of a stream that was cut is no sign of a bad server.
    if (!at_end && bad_event_.empty()) bad_event_ = shown(data);
    return;
  }
  text_ += parsed.text;
  if (!parsed.finish_reason.empty()) finish_reason_ = parsed.finish_reason;
  read_delta(parsed, now_ns);
}

void ResponseReader::read_delta(const StreamEvent& event, std::int64_t now_ns) {
  std::uint32_t growth = 0;
  if (event.usage) {
    if (event.usage->prompt_tokens) usage_.prompt_tokens = event.usage->prompt_tokens;
    if (event.usage->cached_prompt_tokens) usage_.cached_prompt_tokens = event.usage->cached_prompt_tokens;
    if (const auto now_counted = event.usage->completion_tokens) {
      usage_.completion_tokens = now_counted;
      growth = *now_counted > counted_ ? *now_counted - counted_ : 0;
      counted_ = *now_counted;
      // Usage beside a piece that is not the last one: the server counts along, and growth is what the piece
      // holds.
      if (event.has_choices && event.finish_reason.empty()) usage_per_event_ = true;
    }
  }
  if (!event.has_choices) return;
  const bool counted_piece = usage_per_event_ && growth > 0;
  if (event.text_bytes > 0 || counted_piece) {
    const std::uint32_t known = counted_piece ? growth : event.known_tokens;
    add_token_event(now_ns, std::max(known, 1U), known > 0, event.text_bytes);
  } else if (event.empty_piece) {
    empty_pieces_ns_.push_back(now_ns);
  }
}

void ResponseReader::add_token_event(std::int64_t now_ns, std::uint32_t tokens, bool known,
                                     std::size_t weight) {
  if (record_.first_token_ns < 0) record_.first_token_ns = now_ns;
  record_.last_token_ns = now_ns;
  record_.events.push_back({now_ns, tokens});
  weights_.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(weight, 1U << 30)));
  all_counts_known_ = all_counts_known_ && known;
}

/// An answer in one piece: everything arrives at once, when the body ends.
void ResponseReader::read_whole(std::int64_t now_ns) {
  const StreamEvent parsed = read_stream_event(whole_, keep_text_);
  if (parsed.error) {
    error_ = shown(*parsed.error);
    return;
  }
  if (!parsed.valid || !parsed.has_choices) {
    bad_event_ = shown(whole_);
    if (bad_event_.empty()) bad_event_ = "no text";
    return;
  }
  ++data_events_;
  saw_done_ = true;
  text_ += parsed.text;
  finish_reason_ = parsed.finish_reason;
  if (parsed.usage) usage_ = *parsed.usage;
  if (parsed.text_bytes > 0) add_token_event(now_ns, 1, false, parsed.text_bytes);
}

/// Only empty pieces came, yet the server counted tokens: they were special tokens without text.
void ResponseReader::promote_empty_pieces() {
  if (!record_.events.empty() || usage_.completion_tokens.value_or(0) == 0) return;
  for (const std::int64_t time_ns : empty_pieces_ns_) add_token_event(time_ns, 1, false, 1);
}

void ResponseReader::settle_usage() {
  promote_empty_pieces();
  record_.prompt_tokens = usage_.prompt_tokens.value_or(record_.requested_prompt_tokens);
  record_.cached_prompt_tokens = usage_.cached_prompt_tokens;
  if (record_.events.empty()) return;
  std::uint32_t sum = 0;
  for (const TokenEvent& event : record_.events) sum += event.tokens;
  const std::uint32_t total = usage_.completion_tokens.value_or(0);
  record_.output_tokens = total > 0 ? total : sum;
  record_.token_source = total > 0 ? TokenSource::Usage : TokenSource::Events;
  if (total == 0 || total == sum) return;
  if (total == sum + 1) {
    // The end-of-sequence token is counted by the server but carries no text; it came with the last piece.
    ++record_.events.back().tokens;
    return;
  }
  const std::vector<std::uint32_t> shares = spread_tokens(total, weights_);
  for (std::size_t i = 0; i < shares.size(); ++i) record_.events[i].tokens = shares[i];
}

void ResponseReader::set(Outcome outcome, std::string message) {
  record_.outcome = outcome;
  record_.error = std::move(message);
}

void ResponseReader::decide_without_tokens() {
  if (body_bytes_ == 0) return set(Outcome::Empty, "empty body");
  if (saw_done_ || saw_finish() || data_events_ == 0) {
    if (!parser_.unfinished().empty()) return set(Outcome::Truncated, "cut off inside the first event");
    return set(Outcome::Empty, "no tokens");
  }
  set(Outcome::Truncated, "ended without a token, [DONE] or a finish_reason");
}

void ResponseReader::decide() {
  if (record_.http_status != 200) {
    return set(outcome_of_status(record_.http_status), status_message(record_.http_status, whole_));
  }
  if (!error_.empty()) return set(Outcome::StreamError, error_);
  if (parser_.overflowed()) return set(Outcome::BadResponse, "an event larger than the limit");
  if (!bad_event_.empty()) return set(Outcome::BadResponse, "not the expected JSON: " + bad_event_);
  if (record_.events.empty()) return decide_without_tokens();
  if (saw_done_ || saw_finish()) {
    record_.missing_done = !saw_done_;
    return set(Outcome::Ok, "");
  }
  set(Outcome::Truncated,
      "ended without [DONE] or a finish_reason after " + std::to_string(record_.output_tokens) + " tokens");
}

RequestRecord ResponseReader::take(std::int64_t now_ns) {
  record_.done_ns = now_ns;
  return std::move(record_);
}

RequestRecord ResponseReader::end(std::int64_t now_ns) {
  if (body_ == Body::EventStream) {
    parser_.finish();
    read_events(now_ns, true);
  } else if (body_ == Body::Whole && record_.http_status == 200) {
    read_whole(last_activity_ns_);
  }
  settle_usage();
  decide();
  return take(now_ns);
}

RequestRecord ResponseReader::fail(Outcome outcome, std::string message, std::int64_t now_ns) {
  settle_usage();
  const bool complete = record_.http_status == 200 && !record_.events.empty() && (saw_done_ || saw_finish());
  const bool known_reason = (record_.http_status != 200 && record_.http_status != 0) || !error_.empty();
  if (complete || known_reason) {
    decide();
    return take(now_ns);
  }
  const std::string_view torn = parser_.unfinished();
  if (!torn.empty()) message += "; last bytes: " + shown(torn);
  set(outcome, std::move(message));
  return take(now_ns);
}

RequestRecord ResponseReader::cancel(std::int64_t now_ns) {
  settle_usage();
  if (saw_done_ && record_.http_status == 200) {
    decide();
    return take(now_ns);
  }
  set(Outcome::Cancelled, "");
  return take(now_ns);
}

}  // namespace paretune::load
