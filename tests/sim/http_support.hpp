// A simulated server on a thread of the test, and a client that speaks raw bytes, so that tests see exactly
// what is sent.
#pragma once

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/sim/options.hpp"

namespace paretune::sim::test {

/// Serves on a free port of 127.0.0.1 from construction to destruction.
class RunningServer {
 public:
  /// @param wait_ready  returns once /health answers 200.
  explicit RunningServer(const SimOptions& options, bool wait_ready = true);
  ~RunningServer() { (void)stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Ends it and waits. @return what serve() returned.
  core::Result<void> stop();

 private:
  int port_ = 0;
  core::Result<void> result_;
  std::jthread thread_;
};

struct RawReply {
  int status = 0;         ///< 0: nothing that looks like HTTP came
  std::string head;       ///< status line and headers
  std::string body;       ///< decoded if chunked
  bool complete = false;  ///< ended as announced (length, last chunk, or close)
};

/// One connection. Reads give up after 10 s.
class RawClient {
 public:
  explicit RawClient(int port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view bytes);
  /// Reads one answer.
  RawReply read();
  /// Reads whatever comes until `mark` was seen or the peer closed.
  std::string read_until(std::string_view mark);
  /// True if the peer closes (or has closed) the connection without sending more.
  bool closed_by_peer();
  void shutdown_sending();
  int socket() const { return socket_; }

 private:
  bool fill();
  bool read_chunks(std::string& body);
  int socket_ = -1;
  std::string pending_;
};

std::string get_text(std::string_view path);
std::string post_text(std::string_view path, std::string_view body, std::string_view more_headers = "");
/// One request on a connection of its own.
RawReply get(int port, std::string_view path);
RawReply post(int port, std::string_view path, std::string_view body);

std::string chat_body(int words, int max_tokens, bool stream);
/// The payloads of the `data:` lines of an event stream.
std::vector<std::string> events_of(const std::string& body);
/// Value of the first sample whose name starts with `name` (labels may follow); -1 if there is none.
double metric_of(const std::string& page, const std::string& name);

}  // namespace paretune::sim::test
