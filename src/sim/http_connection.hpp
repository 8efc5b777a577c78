// One client of the HTTP server: reads requests, keeps the answer's unsent bytes, sees the client go.
// Includes Boost: only http_connection.cpp and http_server.cpp include this header. One thread, that of the
// server.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "sim/http_server.hpp"

namespace paretune::sim {

class HttpConnection;

/// What all connections of one server share.
struct HttpServerState {
  HttpLimits limits;
  HttpServer::Handler handler;
  std::unordered_set<std::shared_ptr<HttpConnection>> connections;
  bool stopping = false;
};

/// Always has a read in flight, also during an answer: so it sees the client go, and keeps one pipelined
/// request.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  /// Keeps a reference to `state`.
  HttpConnection(Socket socket, HttpServerState& state) : socket_(std::move(socket)), state_(state) {}

  void start();
  void close();

  // The answer side; see HttpReply.
  void send(int status, std::string_view content_type, std::string_view body);
  void begin_stream(std::string_view content_type);
  void write(std::string_view data);
  void finish(std::function<void()> flushed);
  void on_gone(std::function<void()> callback) { gone_ = std::move(callback); }

 private:
  using Error = boost::system::error_code;
  using Message = boost::beast::http::request<boost::beast::http::string_body>;

  void read_header();
  void on_header();
  void on_request();
  void on_read_error(Error error);
  void dispatch();
  void append_head(int status, std::string_view content_type, std::string_view length);
  void end_answer(std::function<void()> flushed);
  void flush();
  void on_drained();
  void close_gently();
  void discard_input();

  Socket socket_;
  HttpServerState& state_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::optional<Message> ready_;  ///< read, not yet dispatched
  std::string unsent_, sending_;
  std::function<void()> gone_, flushed_;
  unsigned version_ = 11;
  bool open_ = true;
  bool reading_ = false;    ///< a read is in flight
  bool writing_ = false;    ///< a write is in flight
  bool answering_ = false;  ///< from dispatch until the answer's last byte is written
  bool ended_ = false;      ///< the answer is complete in unsent_
  bool chunked_ = false;
  bool keep_alive_ = true;
  bool head_request_ = false;
};

}  // namespace paretune::sim
