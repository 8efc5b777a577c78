#include "paretune/load/sse.hpp"

#include <algorithm>

namespace paretune::load {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}

SseParser::SseParser(std::size_t max_event_bytes) : max_event_bytes_(max_event_bytes) {}

void SseParser::reset() {
  *this = SseParser(max_event_bytes_);
}

void SseParser::feed(std::string_view bytes) {
  if (overflowed_) return;
  compact();
  buffer_.append(bytes);
}

void SseParser::compact() {
  if (position_ == 0) return;
  buffer_.erase(0, position_);
  scanned_ -= position_;
  position_ = 0;
}

void SseParser::finish() {
  finished_ = true;
}

std::string_view SseParser::unfinished() const {
  const std::string_view rest = std::string_view(buffer_).substr(position_);
  return rest.empty() && has_data_ && !emitted_ ? std::string_view(data_) : rest;
}

void SseParser::skip_byte_order_mark() {
  const std::string_view head = std::string_view(buffer_).substr(0, kByteOrderMark.size());
  if (head != kByteOrderMark.substr(0, head.size())) {
    at_start_ = false;
  } else if (head.size() == kByteOrderMark.size()) {
    position_ = scanned_ = kByteOrderMark.size();
    at_start_ = false;
  } else if (finished_) {
    at_start_ = false;
  }
}

/// A line ends at LF, CR or CR LF. After a CR the line is given out at once; an LF that follows, perhaps in
/// the next read, is skipped then.
bool SseParser::next_line(std::string_view& line) {
  if (at_start_) skip_byte_order_mark();
  if (at_start_) return false;
  if (skip_line_feed_ && position_ < buffer_.size()) {
    if (buffer_[position_] == '\n') ++position_;
    skip_line_feed_ = false;
    scanned_ = std::max(scanned_, position_);
  }
  const std::size_t end = buffer_.find_first_of("\r\n", scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    if (buffer_.size() - position_ > max_event_bytes_) overflowed_ = true;
    if (!finished_ || position_ == buffer_.size() || overflowed_) return false;
    line = std::string_view(buffer_).substr(position_);
    position_ = buffer_.size();
    return true;
  }
  line = std::string_view(buffer_).substr(position_, end - position_);
  skip_line_feed_ = buffer_[end] == '\r';
  position_ = scanned_ = end + 1;
  return true;
}

void SseParser::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (!value.empty() && value[0] == ' ') value.remove_prefix(1);
  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
    if (data_.size() > max_event_bytes_) overflowed_ = true;
  } else if (name == "event") {
    type_ = value;
  }
  // id and retry are for reconnecting clients; other names are to be ignored.
}

std::optional<SseEvent> SseParser::next() {
  if (emitted_) {
    data_.clear();
    type_.clear();
    has_data_ = emitted_ = false;
  }
  std::string_view line;
  while (!overflowed_ && next_line(line)) {
    if (!line.empty()) {
      read_field(line);
      continue;
    }
    if (has_data_) {
      emitted_ = true;
      return SseEvent{type_, data_};
    }
    type_.clear();
  }
  if (finished_ && has_data_ && !overflowed_) {
    emitted_ = true;
    return SseEvent{type_, data_};
  }
  return std::nullopt;
}

}  // namespace paretune::load
