// Real child processes: start, readiness, death, stop.
#include <csignal>

#include <gmock/gmock.h>

#include "paretune/core/file.hpp"
#include "paretune/load/endpoint.hpp"
#include "support.hpp"

namespace paretune::engine {
namespace {

using testing::fake_spec;
using ::testing::HasSubstr;
using testing::Launch;
using testing::wait_until;

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
  EXPECT_LT(launch.outcome.seconds, 0.6);
  EXPECT_FALSE(launch.anything_left());
}

TEST(Launching, ReportsTheSignalThatEndedTheChild) {
  Launch launch(fake_spec({{"mute", "true"}, {"exit-after-ms", "50"}, {"signal", std::to_string(SIGSEGV)}}));
  EXPECT_EQ(launch.failure().cls, FailureClass::Crash);
  EXPECT_EQ(launch.failure().signal, SIGSEGV);
  EXPECT_FALSE(launch.failure().exit_code);
}

}  // namespace
}  // namespace paretune::engine
