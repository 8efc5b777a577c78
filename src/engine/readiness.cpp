#include "engine/readiness.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/load/openai_stream.hpp"

namespace paretune::engine {
namespace {

using Seconds = std::chrono::duration<double>;
using State = ReadinessResult::State;

constexpr double kFirstPause_s = 0.05;
constexpr double kLongestPause_s = 0.5;
constexpr double kSlice_s = 0.02;             ///< between looks at the child and the stop token
constexpr double kControlTimeout_s = 5;       ///< of one health or model request
constexpr double kWrongModelPatience_s = 10;  ///< a router may list its models one by one
constexpr int kServerErrorPatience = 5;       ///< 5xx answers to a generation in a row

/// What one look found.
struct Look {
  enum class Kind { Ready, NotYet, Sick, Hopeless } kind = Kind::NotYet;
  std::string what;  ///< NotYet, Sick, Hopeless: one line
  std::string advice;
  static Look not_yet(std::string what) { return {Kind::NotYet, std::move(what), ""}; }
  static Look sick(std::string what, std::string advice = {}) {
    return {Kind::Sick, std::move(what), std::move(advice)};
  }
  static Look hopeless(std::string what, std::string advice) {
    return {Kind::Hopeless, std::move(what), std::move(advice)};
  }
};

bool is_tls_problem(const std::string& message) {
  return message.find("certificate") != std::string::npos || message.find("SSL") != std::string::npos;
}

std::string server_message(const std::string& body) {
  std::string text = load::error_message_of(body);
  if (text.empty()) text = body.substr(0, 200);
  text = core::printable(core::trim(text));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "" : ": " + text;
}

class Waiter {
 public:
  Waiter(const ReadinessRequest& request, const std::function<bool()>& alive, std::stop_token stop)
      : request_(request),
        address_(request.address),
        alive_(alive),
        stop_(std::move(stop)),
        until_(std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(request.timeout_s))) {}

  ReadinessResult wait();

 private:
  double left_s() const { return Seconds(until_ - std::chrono::steady_clock::now()).count(); }
  bool go_on() const { return !stop_.stop_requested() && alive_() && left_s() > 0; }
  load::KeepGoing keep_going() const {
    return [this] { return go_on(); };
  }
  double control_timeout() const { return std::max(0.01, std::min(kControlTimeout_s, left_s())); }

  bool pause(double seconds);
  Look look();
  Look look_at_health();
  Look look_at_models();
  Look look_at_token();
  Look judge_error(const core::Error& error) const;
  Look judge_status(const std::string& what, int status, const std::string& body) const;
  Look judge_token(const load::RequestRecord& record);
  std::string token_body() const;
  ReadinessResult finish(const Look& last) const;

  const ReadinessRequest& request_;
  load::EndpointAddress address_;
  const std::function<bool()>& alive_;
  std::stop_token stop_;
  std::chrono::steady_clock::time_point until_;
  std::optional<std::chrono::steady_clock::time_point> wrong_model_since_;
  bool has_health_ = true;
  int server_errors_ = 0;
  int empty_answers_ = 0;
};

/// @return false if there is no reason to look again.
bool Waiter::pause(double seconds) {
  const auto end = std::chrono::steady_clock::now() + Seconds(seconds);
  while (go_on()) {
    const double left = Seconds(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return true;
    std::this_thread::sleep_for(Seconds(std::min(left, kSlice_s)));
  }
  return false;
}

Look Waiter::judge_error(const core::Error& error) const {
  if (is_tls_problem(error.message)) {
    return Look::hopeless(
        "certificate or TLS problem: " + error.message,
        "give engine.ca_file, or set engine.insecure: true to skip the check (results say so)");
  }
  return Look::not_yet(error.message);
}

Look Waiter::judge_status(const std::string& what, int status, const std::string& body) const {
  const std::string text = what + " answered HTTP " + std::to_string(status) + server_message(body);
  if (status == 401 || status == 403) {
    return Look::hopeless(text, "name the variable that holds the key in engine.api_key_env");
  }
  if (status == 503 || status == 429) return Look::not_yet(text);
  return Look::sick(text);
}

Look Waiter::look_at_health() {
  const bool by_default = request_.ready_path.empty();
  if (by_default && !has_health_) return {Look::Kind::Ready, "", ""};
  const auto root = load::server_root_of(address_.base_url);
  if (!root) return Look::hopeless(root.error().message, root.error().hint);
  const std::string path = by_default ? "/health" : request_.ready_path;
  const auto reply = load::http_get(address_, *root + path, control_timeout(), keep_going());
  if (!reply) return judge_error(reply.error());
  if (reply->status == 200) return {Look::Kind::Ready, "", ""};
  if (by_default && (reply->status == 404 || reply->status == 405 || reply->status == 501)) {
    has_health_ = false;
    return {Look::Kind::Ready, "", ""};
  }
  return judge_status("GET " + path, reply->status, reply->body);
}

Look Waiter::look_at_models() {
  const auto models = load::list_models(address_, control_timeout(), keep_going());
  if (!models) {
    if (models.error().message.find("HTTP 401") != std::string::npos ||
        models.error().message.find("HTTP 403") != std::string::npos) {
      return Look::hopeless(models.error().message,
                            "name the variable that holds the key in engine.api_key_env");
    }
    return judge_error(models.error());
  }
  if (models->empty()) return Look::not_yet("the model list is empty");
  const auto& wanted = request_.expected_models;
  const auto found = std::find_first_of(models->begin(), models->end(), wanted.begin(), wanted.end());
  if (found != models->end()) address_.model = *found;
  const bool single = models->size() == 1 && (wanted.empty() || request_.only_listed_will_do);
  if (found == models->end() && single) address_.model = models->front();
  if (found != models->end() || single) {
    wrong_model_since_.reset();
    return {Look::Kind::Ready, "", ""};
  }
  const std::string listed = "'" + core::join(*models, "', '") + "'";
  const std::string advice = "set engine.model to a name that the server lists";
  if (wanted.empty()) return Look::hopeless("the server lists several models: " + listed, advice);
  const std::string text = "the server lists " + listed + ", not '" + wanted.front() + "'";
  if (!wrong_model_since_) wrong_model_since_ = std::chrono::steady_clock::now();
  const double waited = Seconds(std::chrono::steady_clock::now() - *wrong_model_since_).count();
  if (!request_.started_by_us || waited >= kWrongModelPatience_s) return Look::hopeless(text, advice);
  return Look::sick(text, advice);
}

std::string Waiter::token_body() const {
  core::Json body = {{"model", address_.model}};
  if (address_.api == load::Api::Chat) {
    body["messages"] = core::Json::array({core::Json{{"role", "user"}, {"content", "Hello"}}});
  } else {
    body["prompt"] = "Hello";
  }
  body["max_tokens"] = empty_answers_ == 0 ? 1 : 16;  // some models open with a token that has no text
  body["temperature"] = 0;
  body["stream"] = true;
  return body.dump();
}

Look Waiter::look_at_token() {
  load::EndpointAddress address = address_;
  address.timeouts.first_token_s = address.timeouts.gap_s = address.timeouts.total_s =
      std::max(0.1, left_s());
  auto endpoint = load::make_http_endpoint(address, 1);
  if (!endpoint) return Look::hopeless(endpoint.error().message, endpoint.error().hint);
  load::Endpoint& http = **endpoint;
  load::Request request;
  request.body = token_body();
  request.max_output_tokens = 1;
  http.start(http.clock().now());
  http.submit(std::move(request), http.clock().now());
  while (go_on()) {
    const auto records = http.poll(http.clock().now() + core::from_seconds(kSlice_s));
    if (!records.empty()) return judge_token(records.front());
  }
  http.cancel_all();
  return Look::not_yet("no token came");
}

Look Waiter::judge_token(const load::RequestRecord& record) {
  const std::string text =
      "one-token request: " + (record.error.empty() ? load::to_string(record.outcome) : record.error);
  switch (record.outcome) {
    case load::Outcome::Ok:
      return {Look::Kind::Ready, "", ""};
    case load::Outcome::Tls:
      return judge_error({core::ErrorCode::Network, "certificate: " + text, ""});
    case load::Outcome::Http4xx:
      return Look::hopeless(
          text, "check engine.model ('" + address_.model + "') and engine.api against the server");
    case load::Outcome::Http5xx:
    case load::Outcome::BadResponse:
    case load::Outcome::StreamError:
      if (++server_errors_ < kServerErrorPatience) return Look::sick(text);
      return Look::hopeless(text, "the server answers its health check but cannot generate: read its log");
    case load::Outcome::Empty:
      if (++empty_answers_ < kServerErrorPatience) return Look::sick(text);
      return Look::hopeless("the server answers without generating a token",
                            "check engine.api and the model");
    default:
      return Look::not_yet(text);
  }
}

Look Waiter::look() {
  Look found = look_at_health();
  if (found.kind == Look::Kind::Ready) found = look_at_models();
  if (found.kind == Look::Kind::Ready) found = look_at_token();
  return found;
}

ReadinessResult Waiter::finish(const Look& last) const {
  if (last.kind == Look::Kind::Ready) return {State::Ready, address_.model, std::nullopt};
  if (!alive_()) return {State::Died, "", std::nullopt};
  Failure failure;
  failure.advice = last.advice;
  if (stop_.stop_requested()) {
    failure.cls = FailureClass::Interrupted;
    failure.cause = "a stop was requested before the server was ready";
    failure.advice.clear();
    return {State::Interrupted, "", failure};
  }
  failure.cls = last.kind == Look::Kind::NotYet ? FailureClass::TimeoutStart : FailureClass::Unhealthy;
  failure.cause = last.what;
  if (last.kind != Look::Kind::Hopeless) {
    failure.cause = "not ready after " + core::format_duration(request_.timeout_s) + "; last: " + last.what;
  }
  if (failure.advice.empty()) {
    failure.advice = last.kind == Look::Kind::NotYet
                         ? "raise engine.ready.timeout if the server was still loading"
                         : "read the server's log";
  }
  return {State::Failed, "", failure};
}

ReadinessResult Waiter::wait() {
  Look last = Look::not_yet("nothing answered");
  for (double rest = kFirstPause_s; go_on(); rest = std::min(rest * 1.5, kLongestPause_s)) {
    Look found = look();
    const bool cut_short = found.kind == Look::Kind::NotYet && !go_on();
    if (!cut_short || last.what == "nothing answered") last = std::move(found);
    if (last.kind == Look::Kind::Ready || last.kind == Look::Kind::Hopeless) break;
    if (!pause(rest)) break;
  }
  return finish(last);
}

}  // namespace

ReadinessResult wait_until_ready(const ReadinessRequest& request, const std::function<bool()>& alive,
                                 std::stop_token stop) {
  return Waiter(request, alive, std::move(stop)).wait();
}

}  // namespace paretune::engine
