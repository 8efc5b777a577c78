// One launch: port, guard, readiness; or the reason why not.
#include <cstdlib>
#include <filesystem>

#include "engine/launched_server.hpp"
#include "engine/process/port.hpp"
#include "engine/readiness.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

constexpr int kPortTries = 3;
constexpr double kLongestOrphanGrace_s = 3;

/// A server that already runs; nothing of it is ours.
class ForeignServer final : public RunningServer {
 public:
  explicit ForeignServer(load::EndpointAddress address) : address_(std::move(address)) {}
  pid_t pid() const override { return 0; }
  const load::EndpointAddress& address() const override { return address_; }
  std::optional<ExitStatus> poll_exit() override { return std::nullopt; }
  Failure describe_death(Phase phase) override {
    Failure failure;
    failure.cls = FailureClass::Unhealthy;
    failure.phase = phase;
    failure.environment = true;
    failure.cause = "the endpoint " + address_.base_url + " does not serve any more";
    failure.advice = "see the log of that server; paretune did not start it";
    return failure;
  }
  core::Result<void> stop() override { return {}; }

 private:
  load::EndpointAddress address_;
};

load::EndpointAddress address_of(const EngineSpec& spec, std::string base_url) {
  load::EndpointAddress address;
  address.base_url = std::move(base_url);
  address.api = spec.api;
  address.headers = spec.headers;
  const char* key = spec.api_key_env.empty() ? nullptr : std::getenv(spec.api_key_env.c_str());
  if (key != nullptr) address.api_key = key;
  address.ca_file = spec.ca_file;
  address.insecure = spec.insecure;
  return address;
}

Failure environment_failure(FailureClass cls, const core::Error& error) {
  Failure failure;
  failure.cls = cls;
  failure.environment = true;
  failure.cause = error.message;
  failure.advice = error.hint;
  return failure;
}

Failure interrupted() {
  Failure failure;
  failure.cls = FailureClass::Interrupted;
  failure.cause = "a stop was requested before the launch";
  return failure;
}

class Launcher {
 public:
  Launcher(const EngineSpec& spec, const space::Space& space, const space::Configuration& configuration,
           const LaunchOptions& options, std::stop_token stop)
      : spec_(spec),
        space_(space),
        configuration_(configuration),
        options_(options),
        stop_(std::move(stop)) {}

  LaunchOutcome launch();

 private:
  void attach();
  void start_on_some_port();
  /// @return true if another port is worth a try.
  bool start_once();
  core::Result<int> choose_port();
  bool wait_for_devices();
  std::optional<LaunchPlan> plan();
  std::unique_ptr<GuardedProcess> spawn(const LaunchPlan& plan);
  void await_readiness(std::unique_ptr<LaunchedServer> server);
  void fail(Failure failure);

  const EngineSpec& spec_;
  const space::Space& space_;
  const space::Configuration& configuration_;
  const LaunchOptions& options_;
  std::stop_token stop_;
  LaunchOutcome outcome_;
};

void Launcher::fail(Failure failure) {
  if (failure.log.empty() && spec_.kind != Kind::Endpoint) failure.log = options_.log_name;
  outcome_.failure = std::move(failure);
}

void Launcher::attach() {
  ReadinessRequest request;
  request.address = address_of(spec_, spec_.url);
  request.ready_path = spec_.ready_path;
  request.timeout_s = spec_.ready_timeout_s;
  request.started_by_us = false;
  expect_models(request, spec_, configuration_);
  auto ready = wait_until_ready(
      request, [] { return true; }, stop_);
  if (ready.state == ReadinessResult::State::Ready) {
    request.address.model = ready.model;
    outcome_.server = std::make_unique<ForeignServer>(std::move(request.address));
    return;
  }
  Failure failure = std::move(*ready.failure);
  failure.environment = failure.cls != FailureClass::Interrupted;
  if (failure.cls == FailureClass::TimeoutStart) failure.advice = "start the server, or correct engine.url";
  fail(std::move(failure));
}

core::Result<int> Launcher::choose_port() {
  if (!spec_.port) return free_port(spec_.host);
  if (probe_port(spec_.host, *spec_.port) != PortState::Taken) return *spec_.port;
  return core::environment_error(
      "port " + std::to_string(*spec_.port) + " of " + spec_.host + " is in use by another program",
      "leave engine.port out so that a free port is taken, or stop that program");
}

bool Launcher::wait_for_devices() {
  if (!options_.device_memory) return true;
  core::SteadyClock clock;
  auto gate = wait_for_device_memory(options_.device_memory, GateRule{}, clock, stop_);
  if (gate.failure) fail(std::move(*gate.failure));
  return !gate.failure;
}

std::optional<LaunchPlan> Launcher::plan() {
  const auto port = choose_port();
  if (!port) {
    fail(environment_failure(FailureClass::PortInUse, port.error()));
    return std::nullopt;
  }
  auto planned = plan_launch(spec_, space_, configuration_, *port);
  if (planned) return std::move(*planned);
  Failure failure;
  failure.cls = FailureClass::BadConfiguration;
  failure.cause = planned.error().message;
  failure.advice = planned.error().hint;
  fail(std::move(failure));
  return std::nullopt;
}

std::unique_ptr<GuardedProcess> Launcher::spawn(const LaunchPlan& plan) {
  GuardedProcess::Options options;
  options.argv = plan.argv;
  options.environment = plan.env;
  options.log_file = options_.log_file;
  options.log_cap_bytes = options_.log_cap_bytes;
  options.orphan_grace_s = std::min(plan.stop_grace_s, kLongestOrphanGrace_s);
  auto process = GuardedProcess::start(options);
  if (!process) {
    fail(environment_failure(FailureClass::Unsupported, process.error()));
    return nullptr;
  }
  outcome_.pid = (*process)->pid();
  if (options_.on_spawn) options_.on_spawn((*process)->identity(), plan.argv);
  return std::move(*process);
}

bool Launcher::start_once() {
  auto planned = plan();
  if (!planned) return false;
  outcome_.argv = planned->argv;
  auto process = spawn(*planned);
  if (!process) return false;
  LaunchedServer::Facts facts;
  facts.address = address_of(spec_, *load::base_url_of(planned->host, planned->port));
  facts.log_file = options_.log_file;
  facts.log_name = options_.log_name;
  for (const auto& [name, value] : configuration_) facts.flag_names.push_back(name);
  for (const FixedArgument& argument : spec_.args) facts.flag_names.push_back(argument.name);
  facts.plan = std::move(*planned);
  await_readiness(std::make_unique<LaunchedServer>(std::move(process), std::move(facts)));
  return outcome_.failure && outcome_.failure->cls == FailureClass::PortInUse && !spec_.port;
}

void Launcher::await_readiness(std::unique_ptr<LaunchedServer> server) {
  ReadinessRequest request;
  request.address = server->address();
  request.ready_path = server->ready_path();
  request.timeout_s = spec_.ready_timeout_s;
  expect_models(request, spec_, configuration_);
  auto ready = wait_until_ready(
      request, [&] { return !server->poll_exit(); }, stop_);
  if (ready.state == ReadinessResult::State::Ready) {
    server->set_model(std::move(ready.model));
    outcome_.server = std::move(server);
    outcome_.failure.reset();
    return;
  }
  if (ready.state == ReadinessResult::State::Died) {
    fail(server->describe_death(Phase::Start));
  } else {
    server->complete(*ready.failure);
    fail(std::move(*ready.failure));
  }
  if (auto stopped = server->stop(); !stopped) {
    outcome_.failure->cause += "; besides, " + stopped.error().message;
  }
}

void Launcher::start_on_some_port() {
  std::error_code error;
  const auto directory = std::filesystem::path(options_.log_file).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error) {
    fail(environment_failure(FailureClass::Unsupported,
                             core::io_error("cannot make '" + directory.string() + "': " + error.message())));
    return;
  }
  if (!wait_for_devices()) return;
  for (int attempt = 0; attempt < kPortTries && start_once(); ++attempt) {
  }
}

LaunchOutcome Launcher::launch() {
  const auto start = std::chrono::steady_clock::now();
  if (stop_.stop_requested()) {
    fail(interrupted());
  } else if (spec_.kind == Kind::Endpoint) {
    attach();
  } else {
    start_on_some_port();
  }
  outcome_.seconds = core::to_seconds(std::chrono::steady_clock::now() - start);
  return std::move(outcome_);
}

}  // namespace

LaunchOutcome launch(const EngineSpec& spec, const space::Space& space,
                     const space::Configuration& configuration, const LaunchOptions& options,
                     std::stop_token stop) {
  return Launcher(spec, space, configuration, options, std::move(stop)).launch();
}

load::EndpointAddress endpoint_address(const EngineSpec& spec) {
  return address_of(spec, spec.url);
}

}  // namespace paretune::engine
