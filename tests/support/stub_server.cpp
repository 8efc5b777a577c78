#include "support/stub_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace paretune::testing {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string chunk(const std::string& bytes) {
  std::ostringstream size;
  size << std::hex << bytes.size();
  return size.str() + "\r\n" + bytes + "\r\n";
}

void parse_head(const std::string& head, StubRequest& request) {
  std::istringstream lines(head);
  std::string line;
  std::getline(lines, line);
  std::istringstream(line) >> request.method >> request.target;
  while (std::getline(lines, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const std::size_t begin = line.find_first_not_of(' ', colon + 1);
    request.headers[name] = begin == std::string::npos ? "" : line.substr(begin);
  }
}

/// Reads one request; keeps bytes beyond it in `buffer`. nullopt when the peer closed between requests.
std::optional<StubRequest> read_request(int socket, std::string& buffer) {
  StubRequest request;
  const auto more = [&] {
    std::array<char, 65536> bytes;
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
    if (got > 0) buffer.append(bytes.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return std::nullopt;
  }
  parse_head(buffer.substr(0, end), request);
  buffer.erase(0, end + 4);
  const auto length = request.headers.find("content-length");
  const std::size_t wanted = length == request.headers.end() ? 0 : std::stoul(length->second);
  while (buffer.size() < wanted) {
    if (more()) continue;
    request.complete = false;
    return request;
  }
  request.body = buffer.substr(0, wanted);
  buffer.erase(0, wanted);
  return request;
}

void reset_connection(int socket) {
  const linger now{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

}  // namespace

StubReply json_reply(int status, std::string body) {
  StubReply reply;
  reply.status = status;
  reply.headers = {"Content-Type: application/json"};
  reply.segments = {{0, std::move(body)}};
  return reply;
}

std::string chat_event(const std::string& content, const std::string& finish_reason) {
  return R"(data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":")" +
         content + R"("},"finish_reason":)" + (finish_reason.empty() ? "null" : "\"" + finish_reason + "\"") +
         "}]}\n\n";
}

StubReply chat_stream(int tokens, int first_ms, int gap_ms, int prompt_tokens) {
  StubReply reply;
  for (int i = 0; i < tokens; ++i) {
    reply.segments.push_back({first_ms + i * gap_ms, chat_event(" tok", i + 1 == tokens ? "length" : "")});
  }
  if (reply.segments.empty()) reply.segments.push_back({first_ms, ""});
  reply.segments.back().bytes += R"(data: {"choices":[],"usage":{"prompt_tokens":)" +
                                 std::to_string(prompt_tokens) + R"(,"completion_tokens":)" +
                                 std::to_string(tokens) + "}}\n\ndata: [DONE]\n\n";
  return reply;
}

StubServer::StubServer(Handler handler, int port) : handler_(std::move(handler)) {
  listen_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int on = 1;
  if (listen_ >= 0) setsockopt(listen_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  socklen_t size = sizeof(address);
  if (listen_ < 0 || bind(listen_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listen_, 1024) != 0 || getsockname(listen_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("StubServer cannot listen");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

StubServer::~StubServer() {
  stop();
}

std::vector<StubRequest> StubServer::requests() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void StubServer::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_.exchange(true)) return;
  }
  stopped_.notify_all();
  shutdown(listen_, SHUT_RDWR);
  acceptor_.join();
  close(listen_);
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

void StubServer::accept_loop() {
  while (!stopping_) {
    const int socket = accept4(listen_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const std::size_t number = connections_++;
    const std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket, number] { serve(socket, number); });
  }
}

void StubServer::serve(int socket, std::size_t connection) {
  std::string buffer;
  while (!stopping_) {
    auto request = read_request(socket, buffer);
    if (!request) break;
    request->connection = connection;
    {
      const std::lock_guard lock(mutex_);
      request->number = seen_.size();
      seen_.push_back(*request);
    }
    if (!request->complete) break;
    const std::size_t open = ++open_;
    for (std::size_t peak = peak_; open > peak && !peak_.compare_exchange_weak(peak, open);) {
    }
    const bool stays = answer(socket, handler_(*request));
    if (!stays) break;
  }
  const std::lock_guard lock(mutex_);
  sockets_.remove(socket);
  close(socket);
}

bool StubServer::sleep_until(SteadyTime when) {
  std::unique_lock lock(mutex_);
  return !stopped_.wait_until(lock, when, [this] { return stopping_.load(); });
}

bool StubServer::wait_for_peer(int socket) const {
  pollfd peer{socket, POLLIN, 0};
  while (!stopping_ && ::poll(&peer, 1, 50) == 0) {
  }
  return false;
}

/// @return whether the connection stays for another request.
bool StubServer::answer(int socket, const StubReply& reply) {
  using Close = StubReply::Close;
  // Counted down before the last byte leaves, or the peer's next request could meet the old count.
  struct Counter {
    std::atomic<std::size_t>& open;
    bool done = false;
    void leave() {
      if (!std::exchange(done, true)) --open;
    }
    ~Counter() { leave(); }
  } counter{open_};
  const SteadyTime start = std::chrono::steady_clock::now();
  const auto at = [start](int ms) { return start + std::chrono::milliseconds(ms); };
  if (reply.no_answer) return false;
  const bool chunked = reply.close == Close::KeepAlive && !reply.raw;
  if (!reply.raw) {
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\n";
    for (const std::string& header : reply.headers) head += header + "\r\n";
    if (chunked) head += "Transfer-Encoding: chunked\r\n";
    if (!sleep_until(at(reply.head_at_ms)) || !send_all(socket, head + "\r\n")) return false;
  }
  for (const StubReply::Segment& segment : reply.segments) {
    if (!sleep_until(at(segment.at_ms))) return false;
    if (segment.bytes.empty()) continue;
    if (!send_all(socket, chunked ? chunk(segment.bytes) : segment.bytes)) return false;
  }
  if (!sleep_until(at(reply.close_at_ms))) return false;
  counter.leave();
  if (chunked) return send_all(socket, "0\r\n\r\n");
  if (reply.close == Close::Never) return wait_for_peer(socket);
  if (reply.close == Close::Abort) reset_connection(socket);
  return reply.raw && reply.close == Close::KeepAlive;
}

}  // namespace paretune::testing
