#include "sim/http_support.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <future>
#include <sstream>
#include <stdexcept>

#include "paretune/sim/server.hpp"

namespace paretune::sim::test {

namespace {

/// Hands out the first line written to it.
class FirstLine final : public std::stringbuf {
 public:
  std::future<std::string> line() { return promise_.get_future(); }
  void give_up() {
    if (!done_) promise_.set_value("");
    done_ = true;
  }

 protected:
  int sync() override {
    const std::string text = str();
    if (!done_ && text.find('\n') != std::string::npos) {
      done_ = true;
      promise_.set_value(text.substr(0, text.find('\n')));
    }
    return 0;
  }

 private:
  std::promise<std::string> promise_;
  bool done_ = false;
};

}  // namespace

RunningServer::RunningServer(const SimOptions& options, bool wait_ready) {
  auto out = std::make_shared<FirstLine>();
  auto line = out->line();
  thread_ = std::jthread([this, options, out](std::stop_token stop) {
    std::ostream out_stream(out.get());
    std::ostringstream log;
    result_ = serve(options, out_stream, log, std::move(stop));
    out->give_up();
  });
  const std::string first = line.get();
  if (first.empty()) throw std::runtime_error("the simulated server did not start");
  port_ = std::atoi(first.c_str() + first.rfind(':') + 1);
  while (wait_ready && get(port_, "/health").status != 200) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

core::Result<void> RunningServer::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return result_;
}

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval limit{10, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    throw std::runtime_error("connect failed");
  }
}

RawClient::~RawClient() {
  close(socket_);
}

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RawClient::shutdown_sending() {
  shutdown(socket_, SHUT_WR);
}

bool RawClient::fill() {
  char buffer[16384];
  const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  pending_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

std::string RawClient::read_until(std::string_view mark) {
  std::size_t searched = 0;
  while (pending_.find(mark, searched) == std::string::npos) {
    searched = pending_.size() < mark.size() ? 0 : pending_.size() - mark.size() + 1;
    if (!fill()) break;
  }
  return std::exchange(pending_, {});
}

bool RawClient::closed_by_peer() {
  char byte = 0;
  const ssize_t got = recv(socket_, &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

bool RawClient::read_chunks(std::string& body) {
  std::size_t at = 0;  // start of the next chunk's size line in pending_
  while (true) {
    std::size_t line = 0;
    while ((line = pending_.find("\r\n", at)) == std::string::npos) {
      if (!fill()) return false;
    }
    std::size_t size = 0;
    if (std::from_chars(pending_.data() + at, pending_.data() + line, size, 16).ec != std::errc{})
      return false;
    while (pending_.size() < line + 2 + size + 2) {
      if (!fill()) return false;
    }
    body.append(pending_, line + 2, size);
    at = line + 2 + size + 2;
    if (size == 0) break;
  }
  pending_.erase(0, at);
  return true;
}

RawReply RawClient::read() {
  RawReply reply;
  std::size_t end = 0;
  while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return reply;
  }
  reply.head = pending_.substr(0, end + 2);
  pending_.erase(0, end + 4);
  if (reply.head.starts_with("HTTP/1.") && reply.head.size() > 12)
    reply.status = std::atoi(reply.head.c_str() + 9);
  if (reply.head.find("transfer-encoding: chunked\r\n") != std::string::npos) {
    reply.complete = read_chunks(reply.body);
    return reply;
  }
  if (const auto at = reply.head.find("content-length: "); at != std::string::npos) {
    const auto size = static_cast<std::size_t>(std::atoll(reply.head.c_str() + at + 16));
    while (pending_.size() < size) {
      if (!fill()) return reply;
    }
    reply.body = pending_.substr(0, size);
    pending_.erase(0, size);
    reply.complete = true;
    return reply;
  }
  while (fill()) {
  }
  reply.body = std::exchange(pending_, {});
  reply.complete = true;
  return reply;
}

std::string get_text(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

std::string post_text(std::string_view path, std::string_view body, std::string_view more_headers) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
         std::string(more_headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

RawReply get(int port, std::string_view path) {
  RawClient client(port);
  client.send(get_text(path));
  return client.read();
}

RawReply post(int port, std::string_view path, std::string_view body) {
  RawClient client(port);
  client.send(post_text(path, body));
  return client.read();
}

std::string chat_body(int words, int max_tokens, bool stream) {
  std::string prompt;
  for (int i = 0; i < words; ++i) prompt += "word ";
  return R"({"model":"sim-8b","messages":[{"role":"user","content":")" + prompt + R"("}],"max_tokens":)" +
         std::to_string(max_tokens) + R"(,"ignore_eos":true)" +
         (stream ? R"(,"stream":true,"stream_options":{"include_usage":true}})" : "}");
}

std::vector<std::string> events_of(const std::string& body) {
  std::vector<std::string> events;
  std::size_t at = 0;
  while ((at = body.find("data: ", at)) != std::string::npos) {
    const std::size_t end = body.find("\n\n", at);
    if (end == std::string::npos) break;
    events.push_back(body.substr(at + 6, end - at - 6));
    at = end;
  }
  return events;
}

double metric_of(const std::string& page, const std::string& name) {
  std::size_t at = page.find("\n" + name);
  if (at == std::string::npos) return -1;
  at = page.find(' ', at);
  return std::atof(page.c_str() + at);
}

}  // namespace paretune::sim::test
