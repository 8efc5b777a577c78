#include "paretune/load/record.hpp"

namespace paretune::load {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Ok:
      return "ok";
    case Outcome::Connect:
      return "connect";
    case Outcome::Tls:
      return "tls";
    case Outcome::Rejected:
      return "rejected";
    case Outcome::Http4xx:
      return "http_4xx";
    case Outcome::Http5xx:
      return "http_5xx";
    case Outcome::StreamError:
      return "stream_error";
    case Outcome::Truncated:
      return "truncated";
    case Outcome::Empty:
      return "empty";
    case Outcome::BadResponse:
      return "bad_response";
    case Outcome::TimeoutConnect:
      return "timeout_connect";
    case Outcome::TimeoutFirstToken:
      return "timeout_first_token";
    case Outcome::TimeoutGap:
      return "timeout_gap";
    case Outcome::TimeoutTotal:
      return "timeout_total";
    case Outcome::Cancelled:
      return "cancelled";
  }
  return "unknown";
}

bool is_failure(Outcome outcome) {
  return outcome != Outcome::Ok && outcome != Outcome::Cancelled;
}

const char* to_string(TokenSource source) {
  switch (source) {
    case TokenSource::Usage:
      return "usage";
    case TokenSource::Events:
      return "events";
    case TokenSource::None:
      return "none";
  }
  return "none";
}

}  // namespace paretune::load
