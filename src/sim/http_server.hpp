// A small HTTP/1.1 server on one thread: keep-alive, chunked streams, one timer. Knows nothing of what it
// serves, so that only http_server.cpp includes Boost. A slow reader holds up nobody: its answer waits in its
// own buffer.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "paretune/core/clock.hpp"
#include "paretune/core/result.hpp"

namespace paretune::sim {

struct HttpRequest {
  std::string method;
  std::string target;  ///< as sent, query included
  std::string body;
};

/// The answer to one request: send(), or begin_stream(), write()…, finish(). Calls after the client has gone
/// do nothing. Used on the server's thread only.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  virtual void send(int status, std::string_view content_type, std::string_view body) = 0;
  virtual void begin_stream(std::string_view content_type) = 0;
  virtual void write(std::string_view data) = 0;  ///< one chunk
  /// @param flushed  called once every byte has been handed to the kernel.
  virtual void finish(std::function<void()> flushed = {}) = 0;
  /// Called once if the client goes away before the answer is complete.
  virtual void on_gone(std::function<void()> callback) = 0;
};

struct HttpLimits {
  std::size_t body_bytes = 32u << 20;
  std::size_t header_bytes = 64u << 10;
  std::size_t unsent_bytes = 16u << 20;  ///< a reader that lags further behind is cut off
};

class HttpServer {
 public:
  using Handler = std::function<void(const HttpRequest&, const std::shared_ptr<HttpReply>&)>;

  /// @return Error{Environment}: the address is no address, or the port is taken.
  static core::Result<std::unique_ptr<HttpServer>> listen(const std::string& host, int port,
                                                          const HttpLimits& limits);
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
  /// Calls `callback` once at `when` (replaces the timer set before).
  virtual void set_timer(core::TimePoint when, std::function<void()> callback) = 0;
  /// Serves on the calling thread until `stop` or finish_run(); then every connection is closed.
  virtual void run(Handler handler, std::stop_token stop) = 0;
  virtual void finish_run() = 0;
};

}  // namespace paretune::sim
