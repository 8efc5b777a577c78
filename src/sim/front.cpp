#include "sim/front.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <ostream>

#include "paretune/core/version.hpp"

namespace paretune::sim {

namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kEventStream = "text/event-stream; charset=utf-8";
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// Simulated time may lag this far behind the wall before it is slowed down instead.
constexpr double kMaxLagS = 0.02;

std::int64_t unix_now() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

}  // namespace

Front::Front(const SimOptions& options, const Capacity& capacity, HttpServer& server, std::ostream& log)
    : options_(options),
      faults_(faults_of(options)),
      server_(server),
      log_(log),
      origin_(clock_.now()),
      ready_at_(origin_ + core::from_seconds(start_seconds(options) / options.speed)),
      intake_(options),
      scheduler_(scheduler_config(options, capacity.kv_tokens), StepModel(options)) {}

bool Front::loading() const {
  return clock_.now() < ready_at_;
}

Front::Route Front::route(const std::string& method, const std::string& path, bool& known_path) {
  struct Entry {
    const char* method;
    const char* path;
    Route route;
  };
  static constexpr std::array table = {
      Entry{"GET", "/health", &Front::health},
      Entry{"GET", "/ping", &Front::health},
      Entry{"GET", "/version", &Front::version},
      Entry{"GET", "/v1/models", &Front::models},
      Entry{"GET", "/metrics", &Front::metrics},
      Entry{"POST", "/v1/chat/completions", &Front::chat},
      Entry{"POST", "/v1/completions", &Front::completions},
  };
  known_path = false;
  for (const Entry& entry : table) {
    if (path != entry.path) continue;
    known_path = true;
    if (method == entry.method) return entry.route;
  }
  return nullptr;
}

void Front::handle(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  bool known_path = false;
  const Route found = route(request.method, request.target.substr(0, request.target.find('?')), known_path);
  if (found == nullptr) {
    return answer_error(*reply, known_path ? ApiError{405, "Method Not Allowed", "Method Not Allowed", ""}
                                           : ApiError{404, "Not Found", "Not Found", ""});
  }
  if (loading()) return answer_error(*reply, {503, "unavailable_error", "Loading model", ""});
  (this->*found)(request, reply);
}

void Front::answer_error(HttpReply& reply, const ApiError& error) {
  reply.send(error.status, kJson, error_body(error));
}

void Front::health(const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
  reply->send(200, "", "");
}

void Front::version(const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
  reply->send(200, kJson, std::string(R"({"version":"paretune-sim )") + core::version() + R"("})");
}

void Front::models(const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
  reply->send(200, kJson, models_body(options_, unix_now()));
}

void Front::metrics(const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
  pump();
  reply->send(200, kMetricsType,
              metrics_.text(scheduler_.counters(), options_.model, options_.speed, lag_s_));
}

void Front::generate(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply, bool chat) {
  auto parsed = parse_generation(request.body, chat, options_);
  if (const auto* error = std::get_if<ApiError>(&parsed)) return answer_error(*reply, *error);
  auto& generation = std::get<GenerationRequest>(parsed);
  Admission admission = intake_.admit(generation);
  if (admission.fails) {
    metrics_.failed();
    return answer_error(*reply, {500, "InternalServerError", "Internal Server Error [fault http-500]", ""});
  }
  pump();  // what is due before this request
  const std::uint64_t id = admission.engine.id;
  const Nanoseconds now = simulated_now();
  ResponseWriter writer(generation, id, options_.model, unix_now());
  streams_.emplace(id, Stream{reply, std::move(writer), std::move(generation), admission.stops, now, now});
  scheduler_.submit(std::move(admission.engine), now);
  reply->on_gone([this, id] {
    scheduler_.cancel(id);
    streams_.erase(id);
    metrics_.aborted();
  });
  arm_timer();
}

Nanoseconds Front::simulated_now() {
  return static_cast<Nanoseconds>(static_cast<double>((clock_.now() - origin_).count()) * options_.speed);
}

void Front::pump() {
  if (pumping_) return;
  pumping_ = true;
  const auto next = scheduler_.next_event_ns();
  Nanoseconds now = simulated_now();
  if (next) {
    // A machine too slow for the speed would otherwise fall behind without end: slow the simulation down
    // instead.
    const double late_s = static_cast<double>(now - *next) * 1e-9 / options_.speed;
    if (late_s > kMaxLagS) {
      origin_ += core::from_seconds(late_s - kMaxLagS);
      lag_s_ += late_s - kMaxLagS;
      now = simulated_now();
    }
  }
  emissions_.clear();
  scheduler_.advance(now, emissions_);
  for (const Emission& emission : emissions_) deliver(emission);
  pumping_ = false;
}

void Front::arm_timer() {
  const auto next = scheduler_.next_event_ns();
  if (!next) return;
  const auto wall = static_cast<std::int64_t>(static_cast<double>(*next) / options_.speed) + 1;
  server_.set_timer(origin_ + core::Duration(wall), [this] {
    pump();
    arm_timer();
  });
}

void Front::deliver(const Emission& emission) {
  const auto found = streams_.find(emission.id);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  const double scale = 1e-9 / options_.speed;
  if (emission.index == 0) {
    metrics_.first_token(static_cast<double>(emission.time_ns - stream.arrival_ns) * scale);
  } else {
    metrics_.next_token(static_cast<double>(emission.time_ns - stream.last_token_ns) * scale);
  }
  stream.last_token_ns = emission.time_ns;

  const Usage usage{stream.request.prompt_tokens, emission.index + 1, emission.cached_prompt_tokens};
  const char* finish = !emission.last ? "" : (stream.stops ? "stop" : "length");
  if (stream.request.stream) {
    // The reply may close under a slow reader and erase the stream: hold what is still needed.
    const std::shared_ptr<HttpReply> reply = stream.reply;
    event_.clear();
    stream.writer.append_token_event(event_, emission.index, finish, usage);
    if (emission.index == 0) {
      reply->begin_stream(kEventStream);
      const std::string role = stream.writer.role_event();
      reply->write(role);
    }
    reply->write(event_);
    if (!streams_.contains(emission.id)) return;
  }
  if (!emission.last) return;
  metrics_.finished(stream.stops, static_cast<double>(emission.time_ns - stream.arrival_ns) * scale,
                    usage.prompt, usage.completion);
  complete(stream, usage, finish);
  streams_.erase(emission.id);
}

void Front::complete(Stream& stream, const Usage& usage, const char* finish) {
  const auto answered = [this] { count_answer(); };
  if (!stream.request.stream) {
    stream.reply->send(200, kJson, stream.writer.whole_body(finish, usage));
    return answered();
  }
  if (stream.request.include_usage) stream.reply->write(stream.writer.usage_event(usage));
  stream.reply->write("data: [DONE]\n\n");
  stream.reply->finish(answered);
}

void Front::count_answer() {
  ++answered_;
  if (!faults_.crash_after || answered_ < *faults_.crash_after) return;
  log_ << "fault crash-after: aborting after " << answered_ << " requests" << std::endl;
  std::abort();
}

}  // namespace paretune::sim
