// When a server counts as ready. Cases 13 and 19.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/process/capture.hpp"
#include "engine/process/guarded_process.hpp"
#include "engine/process/port.hpp"
#include "engine/readiness.hpp"
#include "support.hpp"
#include "support/stub_server.hpp"

namespace paretune::engine {
namespace {

using paretune::testing::chat_stream;
using paretune::testing::json_reply;
using paretune::testing::StubReply;
using paretune::testing::StubRequest;
using paretune::testing::StubServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using State = ReadinessResult::State;
using Clock = std::chrono::steady_clock;

core::Json case_json(const std::string& name) {
  return core::Json::parse(*core::read_file(std::string(PARETUNE_TEST_DATA "/cases/") + name));
}

ReadinessRequest request_for(const std::string& url, double timeout_s = 5) {
  ReadinessRequest request;
  request.address.base_url = url;
  request.timeout_s = timeout_s;
  return request;
}

ReadinessResult wait(const ReadinessRequest& request, std::stop_token stop = {}) {
  return wait_until_ready(
      request, [] { return true; }, std::move(stop));
}

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

StubReply models(const std::string& ids) {
  core::Json list = core::Json::array();
  for (const std::string& id : core::split(ids, ',')) {
    if (!id.empty()) list.push_back({{"id", id}});
  }
  return json_reply(200, core::Json{{"object", "list"}, {"data", list}}.dump());
}

/// A healthy server that lists these models.
StubServer::Handler healthy(const std::string& ids) {
  return [ids](const StubRequest& request) {
    if (request.target == "/health") return json_reply(200, "{}");
    if (request.target == "/v1/models") return models(ids);
    return chat_stream(1);
  };
}

/// Answers as the stage of the case's timeline says that is on at the moment.
StubReply reply_of_stage(const core::Json& timeline, double now_ms, const StubRequest& request) {
  for (const core::Json& stage : timeline) {
    if (!stage["until_ms"].is_null() && now_ms >= stage["until_ms"].get<double>()) continue;
    const core::Json& answer = stage[request.method + " " + request.target];
    if (answer.is_array()) return json_reply(answer[0], answer[1].dump());
    return chat_stream(2);
  }
  return json_reply(500, "{}");
}

TEST(Readiness, Case13IsNotReachedBeforeATokenComes) {
  const core::Json timeline = case_json("13-readiness.json")["timeline"];
  const core::Json expected = case_json("13-readiness.expected.json");
  const int port = *free_port("127.0.0.1");
  const auto start = Clock::now();
  const auto now_ms = [start] {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  std::unique_ptr<StubServer> server;
  std::jthread opener([&] {
    std::this_thread::sleep_until(start + std::chrono::milliseconds(timeline[0]["until_ms"].get<int>()));
    server = std::make_unique<StubServer>(
        [&](const StubRequest& request) { return reply_of_stage(timeline, now_ms(), request); }, port);
  });
  ReadinessRequest request = request_for("http://127.0.0.1:" + std::to_string(port));
  request.expected_models = {"m"};
  const ReadinessResult result = wait(request);
  EXPECT_EQ(result.state, State::Ready);
  EXPECT_EQ(result.model, "m");
  EXPECT_GE(now_ms(), expected["ready_not_before_ms"].get<double>());
  EXPECT_LT(now_ms(), expected["ready_not_before_ms"].get<double>() + 1500);
  int generations = 0;
  for (const StubRequest& seen : server->requests()) generations += seen.method == "POST" ? 1 : 0;
  EXPECT_LE(generations, 3) << "a model that is loading is not worth many tries";
}

TEST(Readiness, NeedsNoHealthRoute) {
  const StubServer server([](const StubRequest& request) {
    if (request.target == "/v1/models") return models("m");
    if (request.method == "POST") return chat_stream(1);
    return json_reply(404, "{}");
  });
  EXPECT_EQ(wait(request_for(server.url())).state, State::Ready);
  ReadinessRequest wanted = request_for(server.url(), 0.3);
  wanted.ready_path = "/up";
  const auto result = wait(wanted);
  EXPECT_EQ(result.state, State::Failed);
  EXPECT_THAT(result.failure->cause, HasSubstr("GET /up answered HTTP 404"));
}

TEST(Readiness, AsksForExactlyOneTokenOfTheListedModel) {
  const StubServer server(healthy("m"));
  ASSERT_EQ(wait(request_for(server.url() + "/v1")).state, State::Ready);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  const auto body = core::Json::parse(requests[2].body);
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["max_tokens"], 1);
  EXPECT_EQ(body["stream"], true);
}

TEST(Readiness, AsksForMoreTokensWhenTheFirstHasNoText) {
  std::atomic<int> tries = 0;
  const StubServer server([&](const StubRequest& request) {
    if (request.method == "GET") return healthy("m")(request);
    return chat_stream(tries++ == 0 ? 0 : 1);
  });
  EXPECT_EQ(wait(request_for(server.url())).state, State::Ready);
  EXPECT_EQ(core::Json::parse(server.requests().back().body)["max_tokens"], 16);
}

TEST(Readiness, UsesTheCompletionsRouteIfTheStudySaysSo) {
  const StubServer server(healthy("m"));
  ReadinessRequest request = request_for(server.url(), 1);
  request.address.api = load::Api::Completions;
  wait(request);
  EXPECT_EQ(server.requests().back().target, "/v1/completions");
  EXPECT_TRUE(core::Json::parse(server.requests().back().body).contains("prompt"));
}

TEST(Readiness, TakesTheOnlyModelOfAForeignServerAndAsksWhichOfSeveral) {
  const StubServer one(healthy("a"));
  ReadinessRequest request = request_for(one.url());
  request.started_by_us = false;
  EXPECT_EQ(wait(request).model, "a");
  const StubServer two(healthy("a,b"));
  request = request_for(two.url());
  request.started_by_us = false;
  const auto result = wait(request);
  EXPECT_EQ(result.state, State::Failed);
  EXPECT_THAT(result.failure->cause, HasSubstr("'a', 'b'"));
  EXPECT_THAT(result.failure->advice, HasSubstr("engine.model"));
  request.expected_models = {"b"};
  EXPECT_EQ(wait(request).model, "b");
}

TEST(Readiness, SaysAtOnceThatAForeignServerHasAnotherModel) {
  const StubServer server(healthy("model-B"));
  ReadinessRequest request = request_for(server.url());
  request.expected_models = {"model-A"};
  request.started_by_us = false;
  ReadinessResult result;
  EXPECT_LT(seconds_of([&] { result = wait(request); }), 2);
  EXPECT_EQ(result.failure->cls, FailureClass::Unhealthy);
  EXPECT_THAT(result.failure->cause, HasSubstr("'model-B', not 'model-A'"));
}

TEST(Readiness, SaysAtOnceThatAKeyIsMissing) {
  const StubServer server([](const StubRequest& request) {
    return request.target == "/health" ? json_reply(200, "{}")
                                       : json_reply(401, R"({"error": {"message": "no key"}})");
  });
  ReadinessResult result;
  EXPECT_LT(seconds_of([&] { result = wait(request_for(server.url())); }), 2);
  EXPECT_EQ(result.failure->cls, FailureClass::Unhealthy);
  EXPECT_THAT(result.failure->advice, HasSubstr("api_key_env"));
}

TEST(Readiness, WaitsForAServerThatIsFull) {
  std::atomic<int> tries = 0;
  const StubServer server([&](const StubRequest& request) {
    if (request.method == "GET") return healthy("m")(request);
    return tries++ < 2 ? json_reply(429, "{}") : chat_stream(1);
  });
  EXPECT_EQ(wait(request_for(server.url())).state, State::Ready);
}

TEST(Readiness, EndsAtOnceWhenTheChildDiesOrAStopComesEvenIfTheServerHangs) {
  const StubServer server([](const StubRequest&) {
    StubReply reply;
    reply.head_at_ms = 60'000;
    reply.segments = {{60'000, "x"}};
    return reply;
  });
  std::atomic<bool> alive = true;
  std::jthread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    alive = false;
  });
  ReadinessResult result;
  const double died_s = seconds_of(
      [&] { result = wait_until_ready(request_for(server.url()), [&] { return alive.load(); }, {}); });
  EXPECT_EQ(result.state, State::Died);
  EXPECT_LT(died_s, 0.5);
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop.request_stop();
  });
  EXPECT_LT(seconds_of([&] { result = wait(request_for(server.url()), stop.get_token()); }), 0.5);
  EXPECT_EQ(result.state, State::Interrupted);
  EXPECT_EQ(result.failure->cls, FailureClass::Interrupted);
}

/// Answers whatever comes with a plain-text refusal, as HTTP servers answer a TLS greeting.
class PlainTextServer {
 public:
  PlainTextServer() : listen_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(listen_, generic, size) != 0 || listen(listen_, 8) != 0 ||
        getsockname(listen_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~PlainTextServer() {
    shutdown(listen_, SHUT_RDWR);
    thread_.join();
    close(listen_);
  }
  PlainTextServer(const PlainTextServer&) = delete;
  PlainTextServer& operator=(const PlainTextServer&) = delete;
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }

 private:
  void serve() const {
    constexpr std::string_view kAnswer =
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    while (true) {
      const int peer = accept4(listen_, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) return;
      std::array<char, 1024> greeting{};
      if (read(peer, greeting.data(), greeting.size()) > 0) {
        [[maybe_unused]] const ssize_t written = write(peer, kAnswer.data(), kAnswer.size());
      }
      close(peer);
    }
  }

  int listen_;
  int port_ = 0;
  std::thread thread_;
};

TEST(Readiness, Case19SaysTlsAtOnceWhenTheServerSpeaksPlainHttp) {
  const PlainTextServer server;
  ReadinessResult result;
  EXPECT_LT(seconds_of([&] { result = wait(request_for(server.url())); }), 3);
  EXPECT_EQ(result.failure->cls, FailureClass::Unhealthy);
  EXPECT_THAT(result.failure->cause, HasSubstr("TLS"));
  EXPECT_THAT(result.failure->cause, Not(HasSubstr("not ready")));
}

/// `openssl s_server` with a self-signed certificate; answers every GET with a page.
class SelfSignedServer {
 public:
  SelfSignedServer() {
    const auto made = run_captured(
        {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", scratch_.file("key"), "-out", certificate()},
        {}, 20);
    if (!made || made->exit.exit_code != 0) return;
    port_ = *free_port("127.0.0.1");
    GuardedProcess::Options options;
    options.argv = {"openssl", "s_server",           "-accept", "127.0.0.1:" + std::to_string(port_),
                    "-key",    scratch_.file("key"), "-cert",   certificate(),
                    "-www"};
    options.log_file = scratch_.file("log");
    auto process = GuardedProcess::start(options);
    if (process) process_ = std::move(*process);
    testing::wait_until([&] { return probe_port("127.0.0.1", port_) == PortState::Taken; }, 5);
  }
  bool usable() const { return process_ != nullptr; }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::string certificate() const { return scratch_.file("certificate"); }

 private:
  testing::ScratchDirectory scratch_;
  int port_ = 0;
  std::unique_ptr<GuardedProcess> process_;
};

TEST(Readiness, Case19SaysCertificateAtOnceForASelfSignedServer) {
  const SelfSignedServer server;
  if (!server.usable()) GTEST_SKIP() << "no openssl program";
  const core::Json expected = case_json("19-environment.expected.json")["tls"]["default"];
  ReadinessRequest request = request_for(server.url(), 3);
  ReadinessResult result;
  EXPECT_LT(seconds_of([&] { result = wait(request); }), expected["within_s"].get<double>());
  EXPECT_THAT(result.failure->cause, HasSubstr(expected["message_contains"][0].get<std::string>()));
  EXPECT_THAT(result.failure->cause, Not(HasSubstr("not ready")));
  EXPECT_THAT(result.failure->advice, HasSubstr("ca_file"));
  EXPECT_THAT(result.failure->advice, HasSubstr("insecure"));

  // With a CA file, or with checking switched off, the connection works (this server just knows no models).
  for (const bool insecure : {true, false}) {
    request = request_for(server.url(), 0.5);
    request.address.insecure = insecure;
    if (!insecure) request.address.ca_file = server.certificate();
    result = wait(request);
    EXPECT_THAT(result.failure->cause, Not(HasSubstr("certificate"))) << result.failure->cause;
  }
}

TEST(Readiness, Case19IgnoresProxyVariables) {
  const auto environment = case_json("19-environment.json");
  for (const auto& [name, value] : environment["proxy"]["env"].items()) {
    setenv(name.c_str(), value.get<std::string>().c_str(), 1);
  }
  const StubServer server(healthy("m"));
  EXPECT_EQ(wait(request_for(server.url())).state, State::Ready);
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy"}) unsetenv(name);
}

TEST(Endpoint, IsAttachedToAndNeverSignalled) {
  const StubServer server(healthy("m"));
  EngineSpec spec;
  spec.kind = Kind::Endpoint;
  spec.url = server.url();
  spec.ready_timeout_s = 5;
  testing::Launch launch(spec);
  ASSERT_TRUE(launch.outcome.server) << launch.failure().cause;
  EXPECT_EQ(launch.outcome.pid, 0);
  EXPECT_EQ(launch.outcome.server->pid(), 0);
  EXPECT_EQ(launch.outcome.server->address().model, "m");
  EXPECT_TRUE(launch.identities.empty());
  EXPECT_TRUE(launch.outcome.server->stop().ok());
  EXPECT_FALSE(launch.outcome.server->poll_exit());
  EXPECT_EQ(wait(request_for(server.url())).state, State::Ready) << "still there";
}

TEST(Endpoint, ThatIsNotThereIsTheEnvironmentsFault) {
  EngineSpec spec;
  spec.kind = Kind::Endpoint;
  spec.url = "http://127.0.0.1:" + std::to_string(*free_port("127.0.0.1"));
  spec.ready_timeout_s = 0.3;
  testing::Launch launch(spec);
  EXPECT_TRUE(launch.failure().environment);
  EXPECT_EQ(launch.failure().cls, FailureClass::TimeoutStart);
  EXPECT_THAT(launch.failure().advice, HasSubstr("engine.url"));
}

TEST(ExpectModels, TakesTheServedNameThenTheModel) {
  EngineSpec spec;
  spec.kind = Kind::Vllm;
  spec.model = "org/m";
  ReadinessRequest request;
  expect_models(request, spec, {});
  EXPECT_THAT(request.expected_models, ElementsAre("org/m"));
  EXPECT_FALSE(request.only_listed_will_do);
  spec.args = {{"served-model-name", testing::text_level("tiny"), space::Style::Value}};
  request = {};
  expect_models(request, spec, {});
  EXPECT_THAT(request.expected_models, ElementsAre("tiny"));
  spec = {};
  spec.kind = Kind::LlamaCpp;
  spec.model = "/models/x-Q4.gguf";
  request = {};
  expect_models(request, spec, {});
  EXPECT_THAT(request.expected_models, ElementsAre("/models/x-Q4.gguf", "x-Q4.gguf", "x-Q4"));
  EXPECT_TRUE(request.only_listed_will_do);
  spec.kind = Kind::Command;
  spec.model = "model-A";
  request = {};
  expect_models(request, spec, {});
  EXPECT_FALSE(request.only_listed_will_do);
}

}  // namespace
}  // namespace paretune::engine
