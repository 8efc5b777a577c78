// A scripted HTTP server for tests: sends given bytes at given times over a real socket on 127.0.0.1. One
// thread per connection; everything is closed and joined by the destructor. Reply scripts come from a handler
// that may be called from several threads at once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace paretune::testing {

struct StubRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::size_t connection = 0;  ///< number of its connection, from 0
  std::size_t number = 0;      ///< number of the request, from 0
  bool complete = true;        ///< false: the peer left in the middle
};

struct StubReply {
  enum class Close {
    KeepAlive,  ///< chunked body, connection stays for the next request
    Clean,      ///< shut down after the last segment
    Abort,      ///< RST
    Never,      ///< body and connection stay open until the peer leaves or the server is destroyed
  };
  struct Segment {
    int at_ms = 0;  ///< since the request was read whole
    std::string bytes;
  };

  int status = 200;
  std::vector<std::string> headers{"Content-Type: text/event-stream"};
  std::vector<Segment> segments;
  Close close = Close::KeepAlive;
  int close_at_ms = 0;     ///< not before this
  bool raw = false;        ///< segments hold the whole answer, head included
  int head_at_ms = 0;      ///< when status and headers go out
  bool no_answer = false;  ///< close without a byte
};

/// A plain JSON answer.
StubReply json_reply(int status, std::string body);
/// A chat stream: `tokens` events, the first at `first_ms`, then every `gap_ms`, usage and [DONE] with the
/// last.
StubReply chat_stream(int tokens, int first_ms = 0, int gap_ms = 0, int prompt_tokens = 8);
/// One chat event with this content, "data: …\n\n".
std::string chat_event(const std::string& content, const std::string& finish_reason = "");

class StubServer {
 public:
  using Handler = std::function<StubReply(const StubRequest&)>;
  /// Listens at once, on a free port unless one is given. @throws std::runtime_error if it cannot.
  explicit StubServer(Handler handler, int port = 0);
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::size_t connections() const { return connections_.load(); }
  /// Every request so far, in order of arrival.
  std::vector<StubRequest> requests() const;
  std::size_t open_requests() const { return open_.load(); }
  /// Most requests that were being answered at the same time.
  std::size_t peak_requests() const { return peak_.load(); }
  /// Closes the listening socket and every connection; later connects are refused. Not from a handler.
  void stop();

 private:
  void accept_loop();
  void serve(int socket, std::size_t connection);
  bool answer(int socket, const StubReply& reply);
  bool sleep_until(std::chrono::steady_clock::time_point when);
  bool wait_for_peer(int socket) const;

  Handler handler_;
  int listen_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> connections_{0}, open_{0}, peak_{0};
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::vector<StubRequest> seen_;
  std::list<int> sockets_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace paretune::testing
