#include "sim/http_server.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "sim/http_connection.hpp"

namespace paretune::sim {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

class AsioServer final : public HttpServer {
 public:
  AsioServer(const HttpLimits& limits) : acceptor_(context_), retry_(context_), timer_(context_) {
    state_.limits = limits;
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
    state_.handler = std::move(handler);
    accept();
    const std::stop_callback on_stop(stop, [this] { asio::post(context_, [this] { finish_run(); }); });
    context_.run();
    state_.stopping = true;
    for (const auto& connection : state_.connections) connection->close();
    state_.connections.clear();
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
      const auto connection = std::make_shared<HttpConnection>(std::move(socket), state_);
      state_.connections.insert(connection);
      connection->start();
      accept();
    });
  }

  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::steady_timer timer_;
  HttpServerState state_;
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
