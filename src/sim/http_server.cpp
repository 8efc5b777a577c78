#include "sim/http_server.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

namespace paretune::sim {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

class Connection;

/// What all connections of one server share.
struct Shared {
  HttpLimits limits;
  HttpServer::Handler handler;
  std::unordered_set<std::shared_ptr<Connection>> connections;
  bool stopping = false;
};

std::string_view reason(int status) {
  const auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

/// One client. Reads ahead of the answer in progress, both to see the client go and to keep a pipelined
/// request.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared) : socket_(std::move(socket)), shared_(shared) {}

  void start() {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    read_header();
  }

  void close() {
    if (!open_) return;
    open_ = false;
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
    if (auto gone = std::exchange(gone_, {})) gone();
    if (!shared_.stopping) shared_.connections.erase(shared_from_this());
  }

  // The answer side, called by Reply.
  void send(int status, std::string_view content_type, std::string_view body) {
    append_head(status, content_type, fmt::format("content-length: {}\r\n", body.size()));
    if (!head_request_) unsent_.append(body);
    end_answer({});
  }
  void begin_stream(std::string_view content_type) {
    chunked_ = version_ >= 11;
    if (!chunked_) keep_alive_ = false;
    append_head(200, content_type, chunked_ ? "transfer-encoding: chunked\r\n" : "");
    flush();
  }
  void write(std::string_view data) {
    if (!open_ || data.empty()) return;
    if (chunked_) {
      fmt::format_to(std::back_inserter(unsent_), "{:x}\r\n", data.size());
      unsent_.append(data);
      unsent_.append("\r\n");
    } else {
      unsent_.append(data);
    }
    if (unsent_.size() > shared_.limits.unsent_bytes) return close();
    flush();
  }
  void finish(std::function<void()> flushed) {
    if (chunked_) unsent_.append("0\r\n\r\n");
    end_answer(std::move(flushed));
  }
  void on_gone(std::function<void()> callback) { gone_ = std::move(callback); }

 private:
  using Parser = http::request_parser<http::string_body>;

  void read_header() {
    reading_ = true;
    parser_.emplace();
    parser_->body_limit(shared_.limits.body_bytes);
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
    http::async_read_header(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->on_header(error); });
  }
  void on_header(error_code error) {
    if (error) return on_read_error(error);
    if (parser_->get()[http::field::expect] == "100-continue" && !answering_) {
      unsent_.append("HTTP/1.1 100 Continue\r\n\r\n");
      flush();
    }
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](error_code failed, std::size_t) {
      failed ? self->on_read_error(failed) : self->on_request();
    });
  }
  void on_request() {
    reading_ = false;
    if (!open_) return;
    if (!keep_alive_) return answering_ ? void() : close();  // the last answer was announced as such
    ready_ = parser_->release();
    if (!answering_) dispatch();
  }
  void dispatch();

  /// A request that is no HTTP or too large gets an answer; a client that has gone does not.
  void on_read_error(error_code error) {
    reading_ = false;
    if (!open_) return;
    const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category() &&
                           keep_alive_ && error != http::error::end_of_stream &&
                           error != http::error::partial_message;
    if (!malformed || answering_) return close();  // an answer in progress cannot be followed by an error
    int status = 400;
    if (error == http::error::body_limit) status = 413;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) status = 431;
    answering_ = true;
    keep_alive_ = false;
    version_ = 11;
    send(status, "text/plain; charset=utf-8", reason(status));
  }

  void append_head(int status, std::string_view content_type, std::string_view length) {
    fmt::format_to(std::back_inserter(unsent_), "HTTP/1.1 {} {}\r\nserver: paretune-sim\r\n", status,
                   reason(status));
    if (!content_type.empty())
      fmt::format_to(std::back_inserter(unsent_), "content-type: {}\r\n", content_type);
    unsent_.append(length);
    unsent_.append(keep_alive_ ? (version_ >= 11 ? "\r\n" : "connection: keep-alive\r\n\r\n")
                               : "connection: close\r\n\r\n");
  }
  void end_answer(std::function<void()> flushed) {
    gone_ = {};
    ended_ = true;
    flushed_ = std::move(flushed);
    flush();
  }
  void flush() {
    if (!open_ || writing_) return;
    if (unsent_.empty()) return on_drained();
    writing_ = true;
    std::swap(sending_, unsent_);
    unsent_.clear();
    asio::async_write(socket_, asio::buffer(sending_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        self->writing_ = false;
                        self->sending_.clear();
                        error ? self->close() : self->flush();
                      });
  }
  void on_drained() {
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
  void close_gently() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    if (reading_) return;  // the read in flight ends with the peer's close
    drain();
  }
  void drain() {
    buffer_.consume(buffer_.size());
    socket_.async_read_some(buffer_.prepare(16384),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              error || !self->open_ ? self->close() : self->drain();
                            });
  }

  tcp::socket socket_;
  Shared& shared_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<http::request<http::string_body>> ready_;  ///< read, not yet dispatched
  std::string unsent_, sending_;
  std::function<void()> gone_, flushed_;
  unsigned version_ = 11;
  bool open_ = true;
  bool reading_ = false;
  bool answering_ = false;
  bool ended_ = false;
  bool writing_ = false;
  bool chunked_ = false;
  bool keep_alive_ = true;
  bool head_request_ = false;
};

/// Keeps its connection alive; goes silent once the client has gone.
class Reply final : public HttpReply {
 public:
  explicit Reply(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  void send(int status, std::string_view content_type, std::string_view body) override {
    connection_->send(status, content_type, body);
  }
  void begin_stream(std::string_view content_type) override { connection_->begin_stream(content_type); }
  void write(std::string_view data) override { connection_->write(data); }
  void finish(std::function<void()> flushed) override { connection_->finish(std::move(flushed)); }
  void on_gone(std::function<void()> callback) override { connection_->on_gone(std::move(callback)); }

 private:
  std::shared_ptr<Connection> connection_;
};

void Connection::dispatch() {
  auto message = std::move(*ready_);
  ready_.reset();
  answering_ = true;
  version_ = message.version();
  keep_alive_ = message.keep_alive();
  head_request_ = message.method() == http::verb::head;
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.body = std::move(message.body());
  const auto self = shared_from_this();
  shared_.handler(request, std::make_shared<Reply>(self));
  if (open_) read_header();  // also to see the client go
}

class AsioServer final : public HttpServer {
 public:
  AsioServer(const HttpLimits& limits) : acceptor_(context_), retry_(context_), timer_(context_) {
    shared_.limits = limits;
  }

  core::Result<void> open(const std::string& host, int port) {
    error_code error;
    const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
    if (error) return core::environment_error("cannot listen on '" + host + "': not an address");
    const tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    if (!error) return {};
    return core::environment_error(fmt::format("cannot listen on {}:{}: {}", host, port, error.message()),
                                   "choose another port, or 0 for a free one");
  }

  int port() const override { return acceptor_.local_endpoint().port(); }

  void set_timer(core::TimePoint when, std::function<void()> callback) override {
    timer_.expires_at(when);
    timer_.async_wait([callback = std::move(callback)](error_code error) {
      if (!error) callback();
    });
  }

  void run(Handler handler, std::stop_token stop) override {
    shared_.handler = std::move(handler);
    accept();
    const std::stop_callback on_stop(stop, [this] { asio::post(context_, [this] { finish_run(); }); });
    context_.run();
    shared_.stopping = true;
    for (const auto& connection : shared_.connections) connection->close();
    shared_.connections.clear();
  }

  void finish_run() override { context_.stop(); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) {  // out of file descriptors: give connections time to close
        retry_.expires_after(std::chrono::milliseconds(20));
        retry_.async_wait([this](error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      const auto connection = std::make_shared<Connection>(std::move(socket), shared_);
      shared_.connections.insert(connection);
      connection->start();
      accept();
    });
  }

  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::steady_timer timer_;
  Shared shared_;
};

/// Thousands of streams need as many descriptors; the soft limit is often 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

core::Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& host, int port,
                                                             const HttpLimits& limits) {
  raise_descriptor_limit();
  auto server = std::make_unique<AsioServer>(limits);
  if (auto opened = server->open(host, port); !opened.ok()) return opened.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace paretune::sim
