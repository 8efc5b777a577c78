// Real child processes: start, readiness, death, stop. Cases 05, 09, 15 of group (b).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "paretune/load/endpoint.hpp"
#include "paretune/load/measure.hpp"
#include "support.hpp"
#include "support/stub_server.hpp"

namespace paretune::engine {
namespace {

using ::testing::Contains;
using testing::fake_spec;
using ::testing::HasSubstr;
using testing::Launch;
using ::testing::StartsWith;
using testing::wait_until;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST(Launching, GivesAReadyServerInItsOwnGroupAndStopsIt) {
  Launch launch(fake_spec());
  ASSERT_TRUE(launch.outcome.server) << launch.failure().cause;
  RunningServer& server = *launch.outcome.server;
  EXPECT_EQ(server.pid(), launch.outcome.pid);
  EXPECT_EQ(server.address().model, "fake");
  EXPECT_FALSE(server.poll_exit());
  ProcessRow row;
  ASSERT_TRUE(read_process(server.pid(), row));
  EXPECT_EQ(row.group, server.pid());
  EXPECT_EQ(row.session, server.pid());
  ASSERT_EQ(launch.identities.size(), 1u);
  EXPECT_EQ(launch.identities[0].start_ticks, row.start_ticks);
  EXPECT_TRUE(is_same_process(launch.identities[0]));
  EXPECT_TRUE(server.stop().ok());
  EXPECT_FALSE(launch.anything_left());
  EXPECT_FALSE(read_process(launch.outcome.pid, row) && row.start_ticks == launch.identities[0].start_ticks);
}

TEST(Launching, ReportsAChildThatDiesAtTwoTenthsOfASecondAtTwoTenths) {
  Launch launch(fake_spec(
      {{"ready-after-ms", "9000"}, {"exit-after-ms", "200"}, {"exit-code", "7"}, {"print", "going down"}}));
  EXPECT_FALSE(launch.outcome.server);
  EXPECT_EQ(launch.failure().cls, FailureClass::Crash);
  EXPECT_EQ(launch.failure().exit_code, 7);
  EXPECT_THAT(launch.failure().cause, HasSubstr("exit code 7"));
  EXPECT_THAT(launch.failure().cause, HasSubstr("going down"));
  EXPECT_EQ(launch.failure().log, "logs/1/server.log");
  EXPECT_GE(launch.outcome.seconds, 0.19);
  EXPECT_LT(launch.outcome.seconds, 0.8);
  EXPECT_FALSE(launch.anything_left());
}

TEST(Launching, ReportsTheSignalThatEndedTheChild) {
  Launch launch(fake_spec({{"mute", "true"}, {"exit-after-ms", "50"}, {"signal", std::to_string(SIGSEGV)}}));
  EXPECT_EQ(launch.failure().cls, FailureClass::Crash);
  EXPECT_EQ(launch.failure().signal, SIGSEGV);
  EXPECT_FALSE(launch.failure().exit_code);
}

TEST(Launching, Case05ReportsAnUnknownFlagWithinTwoSecondsWithCodeArgvAndLine) {
  EngineSpec spec = fake_spec({{"exit-code", "2"}, {"mute", "true"}, {"exit-after-ms", "0"}});
  spec.args.push_back({"print-file", testing::text_level(PARETUNE_TEST_DATA "/cases/05-stderr.txt")});
  Launch launch(spec);
  EXPECT_EQ(launch.failure().cls, FailureClass::BadFlag);
  EXPECT_EQ(launch.failure().exit_code, 2);
  EXPECT_EQ(launch.failure().cause, "fake-serve: error: unrecognized arguments: --disable-log-requests");
  EXPECT_THAT(launch.failure().last_lines, Contains(StartsWith("usage: fake-serve")));
  EXPECT_EQ(launch.outcome.argv.front(), testing::fake_server());
  EXPECT_LT(launch.outcome.seconds, 2);
  EXPECT_EQ(launch.identities.size(), 1u) << "no retry";
}

TEST(Launching, NamesTheGuiltyParameterOfTheStudy) {
  EngineSpec spec = fake_spec({{"mute", "true"}, {"exit-after-ms", "0"}, {"exit-code", "1"}});
  spec.args.push_back({"print", testing::text_level("ValueError: slots times print must be even")});
  Launch launch(spec, {}, {{"slots", std::int64_t{3}}});
  EXPECT_EQ(launch.failure().cls, FailureClass::BadConfiguration);
  EXPECT_EQ(launch.failure().flag, "slots");
}

TEST(Launching, Case09RefusesATakenPortBeforeTheStartAndLeavesTheNeighbourAlone) {
  const paretune::testing::StubServer neighbour(
      [](const auto&) { return paretune::testing::json_reply(200, R"({"data": [{"id": "model-B"}]})"); });
  EngineSpec spec = fake_spec();
  spec.port = neighbour.port();
  Launch launch(spec);
  EXPECT_EQ(launch.failure().cls, FailureClass::PortInUse);
  EXPECT_THAT(launch.failure().cause, HasSubstr(std::to_string(neighbour.port())));
  EXPECT_THAT(launch.failure().cause, HasSubstr("in use"));
  EXPECT_TRUE(launch.failure().environment);
  EXPECT_TRUE(launch.identities.empty()) << "nothing was started";
  EXPECT_LE(neighbour.connections(), 1u);
}

TEST(Launching, TakesAnotherPortWhenSomebodyWasFaster) {
  const testing::ScratchDirectory counter;
  Launch launch(fake_spec({{"port-taken", counter.file("tries")}}));
  ASSERT_TRUE(launch.outcome.server) << launch.failure().cause;
  ASSERT_EQ(launch.identities.size(), 2u);
  EXPECT_NE(launch.identities[0].token, launch.identities[1].token);
}

TEST(Launching, Case15NamesTheSignalOfAServerThatDiesUnderLoad) {
  Launch launch(fake_spec({{"die-after", "6"}}));  // one request of the readiness check, five good answers
  ASSERT_TRUE(launch.outcome.server);
  load::Workload workload;
  workload.concurrency = {1};
  workload.requests = 20;
  workload.prompt_tokens.mean = workload.output_tokens.mean = 4;
  load::WindowOptions options;
  options.address = launch.outcome.server->address();
  auto endpoint = load::make_http_endpoint(options.address, 1);
  ASSERT_TRUE(endpoint.ok());
  const auto window = load::generate_load(**endpoint, workload, {false, 1}, options, {});
  ASSERT_TRUE(window.ok());
  const auto measured = load::summarize(*window, workload, {false, 1}, {});
  EXPECT_EQ(measured.ok, 5u);
  EXPECT_EQ(measured.failed, 15u);
  const Failure failure = launch.outcome.server->describe_death(Phase::Measure);
  EXPECT_EQ(failure.cls, FailureClass::Crash);
  EXPECT_EQ(failure.phase, Phase::Measure);
  EXPECT_EQ(failure.signal, SIGABRT);
  EXPECT_TRUE(launch.outcome.server->poll_exit());
}

TEST(Launching, SaysThatALivingServerDoesNotServe) {
  Launch launch(fake_spec());
  ASSERT_TRUE(launch.outcome.server);
  EXPECT_EQ(launch.outcome.server->describe_death(Phase::Measure).cls, FailureClass::Unhealthy);
}

TEST(Launching, GivesUpAtTheTimeLimitAndSaysWhatWasMissing) {
  EngineSpec spec = fake_spec({{"ready-after-ms", "60000"}});
  spec.ready_timeout_s = 0.4;
  Launch loading(spec);
  EXPECT_EQ(loading.failure().cls, FailureClass::TimeoutStart);
  EXPECT_THAT(loading.failure().cause, HasSubstr("Loading model"));
  EXPECT_LT(loading.outcome.seconds, 2);

  spec = fake_spec({{"mute", "true"}});
  spec.ready_timeout_s = 0.3;
  EXPECT_EQ(Launch(spec).failure().cls, FailureClass::TimeoutStart);

  spec = fake_spec({{"health", "500"}});
  spec.ready_timeout_s = 0.3;
  EXPECT_EQ(Launch(spec).failure().cls, FailureClass::Unhealthy);
}

TEST(Launching, CallsAServerUnhealthyThatListsAnotherModelOrCannotGenerate) {
  EngineSpec spec = fake_spec();
  spec.command.back() = "other";
  spec.ready_timeout_s = 0.5;
  Launch other(spec);
  EXPECT_EQ(other.failure().cls, FailureClass::Unhealthy);
  EXPECT_THAT(other.failure().cause, HasSubstr("'other', not 'fake'"));

  Launch refusing(fake_spec({{"generate", "404"}}));
  EXPECT_EQ(refusing.failure().cls, FailureClass::Unhealthy);
  EXPECT_THAT(refusing.failure().cause, HasSubstr("no such luck"));
  EXPECT_LT(refusing.outcome.seconds, 2) << "a 404 does not get better by waiting";

  Launch broken(fake_spec({{"generate", "500"}}));
  EXPECT_EQ(broken.failure().cls, FailureClass::Unhealthy);
  EXPECT_LT(broken.outcome.seconds, 5);
}

TEST(Launching, ReactsToAStopWithinATenthOfASecond) {
  std::stop_source stop;
  Clock::time_point asked;
  std::jthread asker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    asked = Clock::now();
    stop.request_stop();
  });
  Launch launch(fake_spec({{"ready-after-ms", "60000"}}), stop.get_token());
  const double reaction_s = seconds_since(asked);
  EXPECT_EQ(launch.failure().cls, FailureClass::Interrupted);
  EXPECT_LT(reaction_s, 0.5);  // TERM at once; the rest is the server's own way out
  EXPECT_FALSE(launch.anything_left());
  EXPECT_EQ(Launch(fake_spec(), stop.get_token()).failure().cls, FailureClass::Interrupted);
}

TEST(Launching, HoldsTheEnvironmentResponsibleForAMissingProgram) {
  EngineSpec spec = fake_spec();
  spec.command.front() = "/nowhere/no-such-server";
  Launch launch(spec);
  EXPECT_TRUE(launch.failure().environment);
  EXPECT_FALSE(launch.failure().deterministic());
  EXPECT_THAT(launch.failure().cause, HasSubstr("/nowhere/no-such-server"));
  spec.command.front() = "no-such-program-anywhere";
  EXPECT_THAT(Launch(spec).failure().cause, HasSubstr("not found in PATH"));
  const testing::ScratchDirectory scratch;
  ASSERT_TRUE(core::write_file_atomically(scratch.file("text"), "no program").ok());
  std::filesystem::permissions(scratch.file("text"), std::filesystem::perms::owner_all);
  spec.command.front() = scratch.file("text");
  EXPECT_THAT(Launch(spec).failure().cause, HasSubstr("Exec format error"));
}

TEST(Launching, HoldsTheEnvironmentResponsibleForALogThatCannotBeWritten) {
  Launch probe(fake_spec());
  LaunchOptions options;
  options.log_file = "/proc/no/such/place/server.log";
  const LaunchOutcome outcome = launch(fake_spec(), {}, {}, options, {});
  ASSERT_TRUE(outcome.failure);
  EXPECT_TRUE(outcome.failure->environment);
}

TEST(Launching, PassesEnvironmentAndClosesOtherDescriptors) {
  const testing::ScratchDirectory scratch;
  const int open_here = socket(AF_INET, SOCK_STREAM, 0);  // without close-on-exec
  EngineSpec spec = fake_spec({{"mute", "true"}, {"slots", "5"}});
  spec.env = {{"PARETUNE_TEST_SLOTS", "{slots}"}};
  spec.ready_timeout_s = 5;
  std::stop_source stop;
  std::atomic<pid_t> pid = 0;
  std::jthread looker([&] {
    wait_until([&] { return pid != 0 && std::filesystem::exists("/proc/" + std::to_string(pid) + "/fd"); },
               3);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::size_t sockets = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
      std::error_code error;
      sockets += std::filesystem::read_symlink(entry, error).string().starts_with("socket:") ? 1U : 0U;
    }
    EXPECT_EQ(sockets, 0u);
    EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/fd/0"), "/dev/null");
    const auto environment = core::read_file("/proc/" + std::to_string(pid) + "/environ");
    EXPECT_THAT(*environment, HasSubstr("PARETUNE_TEST_SLOTS=5"));
    EXPECT_THAT(*environment, HasSubstr("PARETUNE_LAUNCH="));
    stop.request_stop();
  });
  LaunchOptions options;
  options.log_file = scratch.file("server.log");
  options.on_spawn = [&](const ProcessIdentity& identity, const auto&) { pid = identity.pid; };
  launch(spec, {}, {}, options, stop.get_token());
  close(open_here);
}

TEST(Stopping, KillsAServerThatIgnoresTermAfterTheGrace) {
  EngineSpec spec = fake_spec({{"ignore-term", "true"}});
  spec.stop_grace_s = 0.3;
  Launch launch(spec);
  ASSERT_TRUE(launch.outcome.server);
  const auto start = Clock::now();
  EXPECT_TRUE(launch.outcome.server->stop().ok());
  EXPECT_GE(seconds_since(start), 0.3);
  EXPECT_LT(seconds_since(start), 2);
  EXPECT_FALSE(launch.anything_left());
}

TEST(Stopping, EndsChildrenInTheGroupAndGrandchildrenInSessionsOfTheirOwn) {
  for (const char* ignores : {"false", "true"}) {
    EngineSpec spec = fake_spec({{"family", "true"}, {"ignore-term", ignores}});
    spec.stop_grace_s = 0.3;
    Launch launch(spec);
    ASSERT_TRUE(launch.outcome.server);
    EXPECT_EQ(testing::carriers(launch.identities[0].token).size(), 3u);
    EXPECT_TRUE(launch.outcome.server->stop().ok());
    EXPECT_FALSE(launch.anything_left());
  }
}

TEST(Stopping, EndsTheFamilyOfAServerThatDiedByItself) {
  Launch launch(fake_spec({{"family", "true"}, {"ready-after-ms", "9000"}, {"exit-after-ms", "100"}}));
  EXPECT_EQ(launch.failure().cls, FailureClass::Crash);
  EXPECT_FALSE(launch.anything_left());
}

TEST(Stopping, HappensInTheDestructor) {
  Launch launch(fake_spec());
  ASSERT_TRUE(launch.outcome.server);
  launch.outcome.server.reset();
  EXPECT_FALSE(launch.anything_left());
}

TEST(Stopping, StillWorksWhenSomebodyKilledTheGuard) {
  Launch launch(fake_spec({{"family", "true"}}));
  ASSERT_TRUE(launch.outcome.server);
  ProcessRow row;
  ASSERT_TRUE(read_process(launch.outcome.pid, row));
  ASSERT_EQ(kill(row.parent, SIGKILL), 0);
  EXPECT_TRUE(wait_until([&] { return launch.outcome.server->poll_exit().has_value(); }, 3));
  EXPECT_TRUE(launch.outcome.server->stop().ok());
  EXPECT_FALSE(launch.anything_left());
}

TEST(ServerLog, KeepsHeadAndTailWithinItsCap) {
  const testing::ScratchDirectory scratch;
  LaunchOptions options;
  options.log_file = scratch.file("deep/down/server.log");
  options.log_cap_bytes = 64 << 10;
  EngineSpec spec = fake_spec({{"log-bytes", "1000000"}});
  const LaunchOutcome outcome = launch(spec, {}, {}, options, {});
  ASSERT_TRUE(outcome.server);
  ASSERT_TRUE(outcome.server->stop().ok());
  const std::string log = *core::read_file(options.log_file);
  EXPECT_LE(log.size(), options.log_cap_bytes);
  EXPECT_GT(log.size(), options.log_cap_bytes / 4);
  EXPECT_THAT(log, StartsWith("line 0000000000000000000000000000000000\n"));
  EXPECT_THAT(log, HasSubstr("bytes left out"));
  EXPECT_THAT(log, HasSubstr("24999\n"));
}

}  // namespace
}  // namespace paretune::engine
