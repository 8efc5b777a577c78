#include "engine/process/port.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "paretune/core/clock.hpp"

namespace paretune::engine {
namespace {

struct Bound {
  int error = 0;  ///< errno of bind, 0 = bound; -1 = the name does not resolve
  int port = 0;
};

Bound try_bind(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {-1, 0};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  const int file = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return {errno, 0};
  const int on = 1;
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  Bound result;
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (bind(file, found->ai_addr, found->ai_addrlen) != 0) {
    result.error = errno;
  } else if (getsockname(file, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    result.port = ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                                      : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  }
  close(file);
  return result;
}

}  // namespace

PortState probe_port(const std::string& host, int port) {
  const Bound bound = try_bind(host, port);
  if (bound.error == 0) return PortState::Free;
  return bound.error == EADDRINUSE ? PortState::Taken : PortState::Unknown;
}

core::Result<int> free_port(const std::string& host) {
  Bound bound = try_bind(host, 0);
  if (bound.error != 0) bound = try_bind("0.0.0.0", 0);  // the host is another machine: any number is as good
  if (bound.error != 0 || bound.port == 0) {
    return core::environment_error("no free port on " + host + ": " + std::strerror(bound.error));
  }
  return bound.port;
}

bool wait_port_free(const std::string& host, int port, double limit_s) {
  const auto until = std::chrono::steady_clock::now() + core::from_seconds(limit_s);
  while (probe_port(host, port) == PortState::Taken) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace paretune::engine
