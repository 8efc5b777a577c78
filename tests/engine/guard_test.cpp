// The end of paretune itself: its servers must end too, and what is left must be provably ours before it is
// touched.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "engine/process/capped_log.hpp"
#include "engine/process/capture.hpp"
#include "engine/process/port.hpp"
#include "support.hpp"

namespace paretune::engine {
namespace {

using testing::carriers;
using testing::fake_spec;
using ::testing::HasSubstr;
using testing::wait_until;

/// A process of its own that launches a server, tells its identity and waits to be killed.
class Victim {
 public:
  explicit Victim(const EngineSpec& spec) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) live(spec, ends[1]);
    close(ends[1]);
    std::string text;
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1 && letter != '\n') text += letter;
    close(ends[0]);
    const auto parts = core::split(text, ' ');
    if (parts.size() != 4) throw std::runtime_error("the launch failed");
    identity_ = {static_cast<pid_t>(std::stol(parts[0])), std::stoull(parts[1]), parts[2], parts[3]};
  }
  ~Victim() {
    if (pid_ > 0) die();
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  void die() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  const ProcessIdentity& identity() const { return identity_; }

 private:
  [[noreturn]] static void live(const EngineSpec& spec, int report) {
    testing::Launch launch(spec);
    if (launch.outcome.server) {
      const ProcessIdentity& id = launch.identities.back();
      const std::string text = std::to_string(id.pid) + " " + std::to_string(id.start_ticks) + " " +
                               id.boot_id + " " + id.token + "\n";
      [[maybe_unused]] const ssize_t written = write(report, text.data(), text.size());
    }
    close(report);
    while (true) pause();
  }

  pid_t pid_ = -1;
  ProcessIdentity identity_;
};

pid_t guard_of(pid_t server) {
  ProcessRow row;
  return read_process(server, row) ? row.parent : 0;
}

TEST(Guard, EndsTheServerWhenParetuneIsKilled) {
  Victim victim(fake_spec());
  EXPECT_EQ(carriers(victim.identity().token).size(), 1u);
  victim.die();
  EXPECT_TRUE(wait_until([&] { return carriers(victim.identity().token).empty(); }, 10));
}

TEST(Guard, EndsAFamilyThatIgnoresTermWhenParetuneIsKilled) {
  Victim victim(fake_spec({{"family", "true"}, {"ignore-term", "true"}}));
  EXPECT_EQ(carriers(victim.identity().token).size(), 3u);
  const pid_t guard = guard_of(victim.identity().pid);
  victim.die();
  EXPECT_TRUE(wait_until([&] { return carriers(victim.identity().token).empty(); }, 10));
  ProcessRow row;
  EXPECT_TRUE(wait_until([&] { return !read_process(guard, row) || row.state == 'Z'; }, 3))
      << "the guard stays";
}

TEST(Guard, ShowsItselfUnderItsOwnName) {
  Victim victim(fake_spec());
  const pid_t guard = guard_of(victim.identity().pid);
  EXPECT_THAT(*core::read_file("/proc/" + std::to_string(guard) + "/comm"), HasSubstr("paretune-guard"));
  EXPECT_STREQ(core::read_file("/proc/" + std::to_string(guard) + "/cmdline")->c_str(), "paretune-guard");
  ProcessRow row;
  ASSERT_TRUE(read_process(guard, row));
  EXPECT_EQ(row.session, guard) << "a Ctrl-C of the terminal must not reach it";
}

TEST(Leftover, IsStoppedWhenGuardAndParetuneAreGoneAndItIsProvablyOurs) {
  Victim victim(fake_spec({{"family", "true"}, {"ignore-term", "true"}}));
  kill(guard_of(victim.identity().pid), SIGKILL);
  victim.die();
  ASSERT_EQ(carriers(victim.identity().token).size(), 3u);
  const auto stopped = stop_leftover(victim.identity(), 0.2);
  ASSERT_TRUE(stopped.ok());
  EXPECT_TRUE(*stopped);
  EXPECT_TRUE(carriers(victim.identity().token).empty());
  const auto again = stop_leftover(victim.identity(), 0.2);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(*again);
}

TEST(Leftover, IsLeftAloneUnlessEveryFactFits) {
  Victim victim(fake_spec());
  const ProcessIdentity truth = victim.identity();
  ProcessIdentity other = truth;
  other.token = std::string(32, '0');
  ProcessIdentity reused = other;
  reused.start_ticks += 1;
  ProcessIdentity rebooted = truth;
  rebooted.boot_id = "00000000-0000-0000-0000-000000000000";
  ProcessIdentity nothing;
  for (const ProcessIdentity& lie : {other, reused, rebooted, nothing}) {
    const auto stopped = stop_leftover(lie, 0.1);
    ASSERT_TRUE(stopped.ok());
    EXPECT_FALSE(*stopped);
  }
  EXPECT_TRUE(is_same_process(truth)) << "it must still be alive";
}

TEST(Leftover, ProofNeedsBootTimeAndToken) {
  Victim victim(fake_spec());
  ProcessIdentity identity = victim.identity();
  EXPECT_TRUE(is_same_process(identity));
  identity.start_ticks += 1;
  EXPECT_FALSE(is_same_process(identity));
  EXPECT_EQ(token_of(victim.identity().pid, victim.identity().token), TokenProof::Carries);
  EXPECT_EQ(token_of(victim.identity().pid, std::string(32, '1')), TokenProof::Lacks);
  EXPECT_EQ(token_of(1 << 30, victim.identity().token), TokenProof::Lacks);
}

TEST(Token, IsNewEveryTime) {
  EXPECT_EQ(make_token().size(), 32u);
  EXPECT_NE(make_token(), make_token());
  EXPECT_EQ(boot_id().size(), 36u);
}

TEST(ProcessTable, KnowsThisProcess) {
  ProcessRow row;
  ASSERT_TRUE(read_process(getpid(), row));
  EXPECT_EQ(row.parent, getppid());
  EXPECT_EQ(row.group, getpgrp());
  EXPECT_EQ(row.session, getsid(0));
  EXPECT_GT(row.start_ticks, 0u);
  EXPECT_TRUE(is_descendant(getpid(), getppid()));
  EXPECT_FALSE(is_descendant(getppid(), getpid()));
  bool found = false;
  ProcessScan scan;
  while (scan.next(row)) found = found || row.pid == getpid();
  EXPECT_TRUE(found);
  EXPECT_FALSE(read_process(0, row));
}

TEST(ProcessTable, ReadsANameThatLooksLikeFields) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, "a) Z 1 2 (b");
    while (true) pause();
  }
  ProcessRow row;
  EXPECT_TRUE(wait_until(
      [&] { return core::read_file("/proc/" + std::to_string(child) + "/comm")->starts_with("a)"); }, 2));
  EXPECT_TRUE(read_process(child, row));
  EXPECT_EQ(row.parent, getpid());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(CappedLog, IsExactBelowItsCap) {
  const testing::ScratchDirectory scratch;
  const int file = open(scratch.file("log").c_str(), O_RDWR | O_CREAT, 0600);
  CappedLog log(file, 8192);
  const std::string text(5000, 'x');
  log.append(text.data(), text.size());
  log.append("end", 3);
  close(file);
  EXPECT_EQ(*core::read_file(scratch.file("log")), text + "end");
  EXPECT_EQ(log.dropped_bytes(), 0u);
}

TEST(CappedLog, AccountsForEveryByteItDrops) {
  const testing::ScratchDirectory scratch;
  const int file = open(scratch.file("log").c_str(), O_RDWR | O_CREAT, 0600);
  CappedLog log(file, 8192);
  std::string all;
  for (int i = 0; i < 5000; ++i) {
    const std::string line = "entry " + std::to_string(i) + "\n";
    all += line;
    log.append(line.data(), line.size());
  }
  close(file);
  const std::string kept = *core::read_file(scratch.file("log"));
  EXPECT_LE(kept.size(), 8192u);
  const std::size_t marker = kept.find("\n[...");
  ASSERT_NE(marker, std::string::npos);
  const std::size_t after = kept.find("...]\n", marker) + 5;
  EXPECT_EQ(marker + (kept.size() - after) + log.dropped_bytes(), all.size());
  EXPECT_TRUE(all.starts_with(kept.substr(0, marker)));
  EXPECT_TRUE(all.ends_with(kept.substr(after)));
  EXPECT_THAT(kept, HasSubstr(" " + std::to_string(log.dropped_bytes()) + " bytes left out"));
}

TEST(Ports, AreFreeUntilSomebodyListens) {
  const auto port = free_port("127.0.0.1");
  ASSERT_TRUE(port.ok());
  EXPECT_EQ(probe_port("127.0.0.1", *port), PortState::Free);
  EXPECT_TRUE(wait_port_free("127.0.0.1", *port, 0));
  EXPECT_EQ(probe_port("192.0.2.1", *port), PortState::Unknown);
  EXPECT_EQ(probe_port("no.such.host.invalid", *port), PortState::Unknown);
}

TEST(Capture, TakesOutputAndExitCode) {
  const auto captured = run_captured({"sh", "-c", "echo out; echo err >&2; exit 3"}, {}, 5);
  ASSERT_TRUE(captured.ok());
  EXPECT_EQ(captured->exit.exit_code, 3);
  EXPECT_EQ(captured->output, "out\nerr\n");
  EXPECT_EQ(run_captured({"sh", "-c", "echo $X"}, {{"X", "y"}}, 5)->output, "y\n");
}

TEST(Capture, EndsAProgramThatDoesNotEnd) {
  const auto captured = run_captured({"sleep", "1000"}, {}, 0.1);
  ASSERT_FALSE(captured.ok());
  EXPECT_EQ(captured.error().code, core::ErrorCode::Timeout);
  EXPECT_EQ(run_captured({"no-such-program-anywhere"}, {}, 1).error().code, core::ErrorCode::Environment);
}

}  // namespace
}  // namespace paretune::engine
