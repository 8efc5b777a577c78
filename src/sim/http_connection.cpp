#include "sim/http_connection.hpp"

#include <spdlog/fmt/fmt.h>

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <iterator>
#include <utility>

namespace paretune::sim {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string_view reason(int status) {
  const auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

/// A peer that sent something other than HTTP, as opposed to one that went away.
bool is_malformed(boost::system::error_code error) {
  const boost::system::error_code sample = http::error::bad_method;
  return error.category() == sample.category() && error != http::error::end_of_stream &&
         error != http::error::partial_message;
}

/// Keeps its connection alive; goes silent once the client has gone.
class Reply final : public HttpReply {
 public:
  explicit Reply(std::shared_ptr<HttpConnection> connection) : connection_(std::move(connection)) {}
  void send(int status, std::string_view content_type, std::string_view body) override {
    connection_->send(status, content_type, body);
  }
  void begin_stream(std::string_view content_type) override { connection_->begin_stream(content_type); }
  void write(std::string_view data) override { connection_->write(data); }
  void finish(std::function<void()> flushed) override { connection_->finish(std::move(flushed)); }
  void on_gone(std::function<void()> callback) override { connection_->on_gone(std::move(callback)); }

 private:
  std::shared_ptr<HttpConnection> connection_;
};

}  // namespace

void HttpConnection::start() {
  Error ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  read_header();
}

void HttpConnection::close() {
  if (!open_) return;
  open_ = false;
  Error ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  if (auto gone = std::exchange(gone_, {})) gone();
  if (!state_.stopping) state_.connections.erase(shared_from_this());
}

void HttpConnection::read_header() {
  reading_ = true;
  parser_.emplace();
  parser_->body_limit(state_.limits.body_bytes);
  parser_->header_limit(static_cast<std::uint32_t>(state_.limits.header_bytes));
  http::async_read_header(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
    error ? self->on_read_error(error) : self->on_header();
  });
}

void HttpConnection::on_header() {
  if (!open_) return;
  if (parser_->get()[http::field::expect] == "100-continue" && !answering_) {
    unsent_.append("HTTP/1.1 100 Continue\r\n\r\n");
    flush();
  }
  http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
    error ? self->on_read_error(error) : self->on_request();
  });
}

void HttpConnection::on_request() {
  reading_ = false;
  if (!open_) return;
  if (!keep_alive_) return answering_ ? void() : close();  // the last answer was announced as such
  ready_ = parser_->release();
  if (!answering_) dispatch();
}

void HttpConnection::on_read_error(Error error) {
  reading_ = false;
  if (!open_) return;
  // An answer in progress cannot be followed by an error.
  if (!is_malformed(error) || !keep_alive_ || answering_) return close();
  int status = 400;
  if (error == http::error::body_limit) status = 413;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) status = 431;
  answering_ = true;
  keep_alive_ = false;
  version_ = 11;
  head_request_ = false;
  send(status, "text/plain; charset=utf-8", reason(status));
}

void HttpConnection::dispatch() {
  Message message = std::move(*ready_);
  ready_.reset();
  answering_ = true;
  version_ = message.version();
  keep_alive_ = message.keep_alive();
  head_request_ = message.method() == http::verb::head;
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.body = std::move(message.body());
  state_.handler(request, std::make_shared<Reply>(shared_from_this()));
  if (open_) read_header();
}

void HttpConnection::send(int status, std::string_view content_type, std::string_view body) {
  append_head(status, content_type, fmt::format("content-length: {}\r\n", body.size()));
  if (!head_request_) unsent_.append(body);
  end_answer({});
}

void HttpConnection::begin_stream(std::string_view content_type) {
  chunked_ = version_ >= 11;
  if (!chunked_) keep_alive_ = false;
  append_head(200, content_type, chunked_ ? "transfer-encoding: chunked\r\n" : "");
  flush();
}

void HttpConnection::write(std::string_view data) {
  if (!open_ || data.empty()) return;
  if (chunked_) fmt::format_to(std::back_inserter(unsent_), "{:x}\r\n", data.size());
  unsent_.append(data);
  if (chunked_) unsent_.append("\r\n");
  if (unsent_.size() > state_.limits.unsent_bytes) return close();
  flush();
}

void HttpConnection::finish(std::function<void()> flushed) {
  if (chunked_) unsent_.append("0\r\n\r\n");
  end_answer(std::move(flushed));
}

void HttpConnection::append_head(int status, std::string_view content_type, std::string_view length) {
  fmt::format_to(std::back_inserter(unsent_), "HTTP/1.1 {} {}\r\nserver: paretune-sim\r\n", status,
                 reason(status));
  if (!content_type.empty()) {
    fmt::format_to(std::back_inserter(unsent_), "content-type: {}\r\n", content_type);
  }
  unsent_.append(length);
  if (!keep_alive_) {
    unsent_.append("connection: close\r\n");
  } else if (version_ < 11) {
    unsent_.append("connection: keep-alive\r\n");
  }
  unsent_.append("\r\n");
}

void HttpConnection::end_answer(std::function<void()> flushed) {
  gone_ = {};
  ended_ = true;
  flushed_ = std::move(flushed);
  flush();
}

void HttpConnection::flush() {
  if (!open_ || writing_) return;
  if (unsent_.empty()) return on_drained();
  writing_ = true;
  std::swap(sending_, unsent_);
  unsent_.clear();
  asio::async_write(socket_, asio::buffer(sending_), [self = shared_from_this()](Error error, std::size_t) {
    self->writing_ = false;
    self->sending_.clear();
    error ? self->close() : self->flush();
  });
}

void HttpConnection::on_drained() {
  if (!ended_) return;
  ended_ = false;
  answering_ = false;
  chunked_ = false;
  if (auto flushed = std::exchange(flushed_, {})) flushed();
  if (!open_) return;
  if (!keep_alive_) return close_gently();
  if (ready_) dispatch();
}

/// Lets the peer read the last answer: no reset while bytes of its request are still unread.
void HttpConnection::close_gently() {
  Error ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (!reading_) discard_input();  // else the read in flight ends with the peer's close
}

void HttpConnection::discard_input() {
  buffer_.consume(buffer_.size());
  constexpr std::size_t kBytes = 16384;
  socket_.async_read_some(buffer_.prepare(kBytes), [self = shared_from_this()](Error error, std::size_t) {
    error || !self->open_ ? self->close() : self->discard_input();
  });
}

}  // namespace paretune::sim
