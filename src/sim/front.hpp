// The HTTP face of the simulated engine: routes, streams, faults and the clock that maps wall time to
// simulated time. One thread (that of HttpServer::run).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "paretune/core/clock.hpp"
#include "paretune/sim/scheduler.hpp"
#include "paretune/sim/server.hpp"
#include "sim/http_server.hpp"
#include "sim/intake.hpp"
#include "sim/metrics.hpp"

namespace paretune::sim {

class Front {
 public:
  /// Keeps references to `server` and `log`. Ready start_seconds() / speed after its construction.
  Front(const SimOptions& options, const Capacity& capacity, HttpServer& server, std::ostream& log);
  void handle(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply);

 private:
  struct Stream {
    std::shared_ptr<HttpReply> reply;
    ResponseWriter writer;
    GenerationRequest request;
    bool stops = false;  ///< finish_reason "stop" instead of "length"
    Nanoseconds arrival_ns = 0;
    Nanoseconds last_token_ns = 0;
  };
  /// One route; answers the request.
  using Route = void (Front::*)(const HttpRequest&, const std::shared_ptr<HttpReply>&);

  void health(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  void version(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  void models(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  void metrics(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  void chat(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
    generate(request, reply, true);
  }
  void completions(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
    generate(request, reply, false);
  }
  void generate(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply, bool chat);
  static Route route(const std::string& method, const std::string& path, bool& known_path);

  bool loading() const;
  Nanoseconds simulated_now();
  void pump();
  void arm_timer();
  void deliver(const Emission& emission);
  void complete(Stream& stream, const Usage& usage, const char* finish);
  void answer_error(HttpReply& reply, const ApiError& error);
  void count_answer();

  SimOptions options_;
  Faults faults_;
  HttpServer& server_;
  std::ostream& log_;
  core::SteadyClock clock_;
  core::TimePoint origin_;  ///< wall time of simulated zero; moves when the simulation falls behind
  core::TimePoint ready_at_;
  double lag_s_ = 0;
  Intake intake_;
  Scheduler scheduler_;
  ServerMetrics metrics_;
  std::unordered_map<std::uint64_t, Stream> streams_;
  std::vector<Emission> emissions_;
  std::string event_;  ///< reused buffer
  std::uint64_t answered_ = 0;
  bool pumping_ = false;
};

}  // namespace paretune::sim
