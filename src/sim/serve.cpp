#include <spdlog/fmt/fmt.h>

#include <ostream>

#include "paretune/core/clock.hpp"
#include "paretune/sim/server.hpp"
#include "sim/fault.hpp"
#include "sim/front.hpp"
#include "sim/http_server.hpp"

namespace paretune::sim {

namespace {

/// Memory faults show up while weights load, bad settings at once.
constexpr double kOomShareOfStart = 0.3;

core::Error fail_like_an_engine(const SimOptions& options, const core::Error& error, std::ostream& log,
                                const std::stop_token& stop) {
  if (error.code == core::ErrorCode::OutOfMemory) {
    core::SteadyClock clock;
    clock.sleep_for(core::from_seconds(kOomShareOfStart * start_seconds(options) / options.speed), stop);
  }
  log << "ERROR " << error.message << std::endl;
  return error;
}

std::string address_of(const std::string& host, int port) {
  const bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("http://[{}]:{}", host, port) : fmt::format("http://{}:{}", host, port);
}

}  // namespace

core::Result<void> serve(const SimOptions& options, std::ostream& out, std::ostream& log,
                         std::stop_token stop) {
  const auto capacity = plan_capacity(options);
  if (!capacity.ok()) return fail_like_an_engine(options, capacity.error(), log, stop);
  auto server = HttpServer::listen(options.host, options.port, HttpLimits{});
  if (!server.ok()) return server.error();

  out << "listening on " << address_of(options.host, (*server)->port()) << std::endl;
  log << fmt::format("INFO simulated {} on {} (made-up machine), speed {}\n", options.model, options.device,
                     options.speed)
      << fmt::format("INFO Model loading took {:.2f} GiB\n", capacity->weights_gib)
      << fmt::format("INFO Available KV cache memory: {:.2f} GiB\n", capacity->kv_gib)
      << fmt::format("INFO GPU KV cache size: {} tokens\n", capacity->kv_tokens)
      << fmt::format("INFO Maximum concurrency for {} tokens per request: {:.2f}x", options.max_model_len,
                     static_cast<double>(capacity->kv_tokens) / static_cast<double>(options.max_model_len))
      << std::endl;
  Front front(options, *capacity, **server, log);
  (*server)->run([&front](const HttpRequest& request,
                          const std::shared_ptr<HttpReply>& reply) { front.handle(request, reply); },
                 stop);
  log << "INFO stopped" << std::endl;
  return {};
}

}  // namespace paretune::sim
