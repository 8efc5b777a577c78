// Writers that die at any moment, and two writers at once: real processes, real kill -9.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "paretune/store/store.hpp"
#include "store/support.hpp"

namespace paretune::store {
namespace {

using testing::Child;
using ::testing::HasSubstr;
using testing::sample_launch;
using testing::sample_point;
using testing::TempDirectory;

constexpr int kPoints = 400;

/// Writes launches and points for ever and reports each one after the store said that it is safe.
int write_until_killed(const std::string& directory, const Child::Report& report) {
  auto store = Store::create(directory, R"({"name":"x"})");
  if (!store) return 3;
  report('c');
  for (int i = 1; i <= kPoints; ++i) {
    if (i % 10 == 1) {
      if (!(*store)->put_launch(sample_launch(i / 10 + 1))) return 4;
      report('l');
    }
    if (!(*store)->put_point(sample_point(i))) return 5;
    report('p');
  }
  ::pause();
  return 0;
}

void expect_prefix(const StudyData& data, int acknowledged) {
  ASSERT_GE(static_cast<int>(data.points.size()), acknowledged) << "a stored point was lost";
  // The one that was being written when the process died may be there too, but no other.
  ASSERT_LE(static_cast<int>(data.points.size()), acknowledged + 1);
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    EXPECT_EQ(trial::to_json(data.points[i]), trial::to_json(sample_point(static_cast<int>(i) + 1)));
  }
}

TEST(KilledWriter, LosesNothingThatWasStoredWheneverItDies) {
  using namespace std::chrono_literals;
  for (int round = 0; round < 24; ++round) {
    const TempDirectory directory;
    Child writer([&](const Child::Report& report) { return write_until_killed(directory.path(), report); });
    // Spread over making the file, the first rows and later ones: 0 … 23 steps, and a few hundred
    // microseconds.
    std::string steps;
    for (int i = 0; i < round; ++i) steps += writer.next();
    std::this_thread::sleep_for(round * 37us);
    writer.kill_now();
    steps += writer.rest();
    if (steps.empty() && !holds_study(directory.path())) {
      EXPECT_TRUE(Store::create(directory.path(), "{}")) << "a half-made file must not block";
      continue;
    }
    const auto reader = Store::open_read_only(directory.path());
    ASSERT_TRUE(reader) << reader.error().message;
    const auto acknowledged = static_cast<int>(std::count(steps.begin(), steps.end(), 'p'));
    expect_prefix(*(*reader)->load(), acknowledged);
    auto store = Store::open(directory.path());
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ((*store)->study_json(), R"({"name":"x"})");
    const auto data = (*store)->load();
    ASSERT_TRUE(data) << data.error().message;
    expect_prefix(*data, acknowledged);
    ASSERT_TRUE((*store)->put_point(sample_point(static_cast<int>(data->points.size()) + 1)));
    expect_prefix(*(*store)->load(), static_cast<int>(data->points.size()) + 1);
  }
}

/// One moment of a writer's life at which it is killed, and what must be there afterwards.
struct Moment {
  const char* name;
  std::function<void(Store&)> before;  ///< runs in the writer, then it waits for the kill
  std::size_t launches, points;
  bool ended = false;
};

TEST(KilledWriter, LeavesTheSameEndStateAtEveryNamedMoment) {
  const auto end_launch = [](Store& store) {
    trial::LaunchRecord launch = sample_launch(1);
    launch.ended = true;
    launch.seconds = 10;
    ASSERT_TRUE(store.put_launch(launch));
  };
  const std::vector<Moment> moments{
      {"before the launch", [](Store&) {}, 0, 0},
      {"after the start of the launch", [](Store& s) { ASSERT_TRUE(s.put_launch(sample_launch(1))); }, 1, 0},
      {"after the first point",
       [](Store& s) {
         ASSERT_TRUE(s.put_launch(sample_launch(1)));
         ASSERT_TRUE(s.put_point(sample_point(1)));
       },
       1, 1},
      {"after the end of the launch",
       [&](Store& s) {
         ASSERT_TRUE(s.put_launch(sample_launch(1)));
         ASSERT_TRUE(s.put_point(sample_point(1)));
         end_launch(s);
       },
       1, 1, true},
  };
  for (const Moment& moment : moments) {
    SCOPED_TRACE(moment.name);
    const TempDirectory directory;
    Child writer([&](const Child::Report& report) {
      auto store = Store::create(directory.path(), "{}");
      if (!store) return 3;
      moment.before(**store);
      report('r');
      ::pause();
      return 0;
    });
    ASSERT_EQ(writer.next(), 'r');
    writer.kill_now();
    auto store = Store::open(directory.path());
    ASSERT_TRUE(store) << store.error().message;
    const auto data = (*store)->load();
    ASSERT_TRUE(data);
    EXPECT_EQ(data->launches.size(), moment.launches);
    EXPECT_EQ(data->points.size(), moment.points);
    EXPECT_EQ(moment.launches > 0 && data->launches[0].ended, moment.ended);
  }
}

TEST(KilledWriter, LeavesNoHalfRowWhenItDiesInsideATransaction) {
  const TempDirectory directory;
  { ASSERT_TRUE(Store::create(directory.path(), "{}")); }
  Child writer([&](const Child::Report& report) {
    SQLite::Database database(directory.file("study.db"), SQLite::OPEN_READWRITE);
    SQLite::Transaction transaction(database);
    // Enough to spill pages to the disk before the commit.
    database.exec("PRAGMA cache_size = 2");
    for (int i = 0; i < 2000; ++i) database.exec("INSERT INTO points (record) VALUES ('{\"id\": \"half\"}')");
    report('r');
    ::pause();
    return 0;
  });
  ASSERT_EQ(writer.next(), 'r');
  writer.kill_now();
  EXPECT_TRUE(Store::open_read_only(directory.path())) << "a reader can finish what the dead writer left";
  auto store = Store::open(directory.path());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->load()->points.size(), 0U);
}

TEST(TwoWriters, TheSecondIsRefusedWithThePidOfTheFirst) {
  const TempDirectory directory;
  Child first([&](const Child::Report& report) {
    auto store = Store::create(directory.path(), "{}");
    if (!store) return 3;
    report('r');
    ::pause();
    return 0;
  });
  ASSERT_EQ(first.next(), 'r');
  for (const auto& refused :
       {Store::open(directory.path()).error(), Store::create(directory.path(), "{}").error()}) {
    EXPECT_EQ(refused.code, core::ErrorCode::Environment);
    EXPECT_THAT(refused.message, HasSubstr("pid " + std::to_string(first.pid())));
    EXPECT_THAT(refused.message, HasSubstr(directory.path()));
  }
  EXPECT_TRUE(Store::open_read_only(directory.path()));
  first.kill_now();
  auto store = Store::open(directory.path());
  ASSERT_TRUE(store) << "the lock of a dead process must not hold: " << store.error().message;
  EXPECT_THAT((*store)->note(), HasSubstr(std::to_string(first.pid())));
}

TEST(TwoWriters, AreRefusedInOneProcessToo) {
  const TempDirectory directory;
  auto first = Store::create(directory.path(), "{}");
  ASSERT_TRUE(first);
  const auto second = Store::open(directory.path());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("pid " + std::to_string(::getpid())));
  // The refused one must not have dropped the lock of the first: ask another process.
  Child other([&](const Child::Report&) {
    const int fd = ::open(directory.file("study.lock").c_str(), O_RDWR);
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    return fd >= 0 && ::fcntl(fd, F_SETLK, &wanted) != 0 ? 0 : 1;
  });
  EXPECT_EQ(other.wait(), 0);
  ASSERT_TRUE((*first)->put_point(sample_point(1)));
  first->reset();
  auto third = Store::open(directory.path());
  ASSERT_TRUE(third);
  EXPECT_EQ((*third)->note(), "");
}

TEST(TwoWriters, NeverBothWinARace) {
  const TempDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory.file(std::to_string(round));
    std::vector<std::unique_ptr<Child>> racers;
    for (int i = 0; i < 4; ++i) {
      racers.push_back(std::make_unique<Child>([&](const Child::Report& report) {
        auto store = Store::create(path, "{}");
        report(store ? 'w' : 'r');
        if (!store) return store.error().code == core::ErrorCode::Environment ? 4 : 2;
        ::pause();
        return 0;
      }));
    }
    int winners = 0;
    for (const auto& racer : racers) winners += racer->next() == 'w' ? 1 : 0;
    EXPECT_EQ(winners, 1);
  }
}

}  // namespace
}  // namespace paretune::store
