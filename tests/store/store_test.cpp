#include "paretune/store/store.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "store/schema.hpp"
#include "store/support.hpp"

namespace paretune::store {
namespace {

using ::testing::HasSubstr;
using testing::sample_launch;
using testing::sample_point;
using testing::TempDirectory;

std::string text_of(const trial::PointRecord& point) {
  return trial::to_json(point).dump();
}
std::string text_of(const trial::LaunchRecord& launch) {
  return trial::to_json(launch).dump();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path) << content;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Store, GivesBackEverythingInOrderAfterReopening) {
  const TempDirectory directory;
  const std::string study = R"({"name": "x", "text": "\u2028 'quoted'"})";
  {
    auto store = Store::create(directory.file("study"), study);
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->put_launch(sample_launch(2)));
    ASSERT_TRUE((*store)->put_launch(sample_launch(1)));
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE((*store)->put_point(sample_point(4 - i)));
    ASSERT_TRUE((*store)->put_fact("elapsed_s", "12.5"));
  }
  auto store = Store::open(directory.file("study"));
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->study_json(), study);
  EXPECT_EQ((*store)->fact("elapsed_s"), "12.5");
  EXPECT_EQ((*store)->fact("finished"), std::nullopt);
  const auto data = (*store)->load();
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->launches.size(), 2U);
  EXPECT_EQ(text_of(data->launches[0]), text_of(sample_launch(1)));
  EXPECT_EQ(text_of(data->launches[1]), text_of(sample_launch(2)));
  ASSERT_EQ(data->points.size(), 3U);
  for (int i = 1; i <= 3; ++i)
    EXPECT_EQ(text_of(data->points[static_cast<std::size_t>(i - 1)]), text_of(sample_point(4 - i)));
}

TEST(Store, KeepsEveryBitOfADouble) {
  const TempDirectory directory;
  auto store = Store::create(directory.path(), "{}");
  ASSERT_TRUE(store) << store.error().message;
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values{0.1 + 0.2,          1.0 / 3.0, Limits::denorm_min(),
                                   Limits::max(),      -0.0,      Limits::min(),
                                   9007199254740993.0, 1e-7,      Limits::infinity()};
  trial::PointRecord point = sample_point(1);
  for (std::size_t i = 0; i < values.size(); ++i)
    point.measurement.metrics["m" + std::to_string(i)] = values[i];
  point.violation = -Limits::infinity();
  point.seconds = Limits::quiet_NaN();
  ASSERT_TRUE((*store)->put_point(point));
  const auto data = (*store)->load();
  ASSERT_TRUE(data) << data.error().message;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double got = data->points[0].measurement.metrics.at("m" + std::to_string(i));
    EXPECT_EQ(got, values[i]);
    EXPECT_EQ(std::signbit(got), std::signbit(values[i]));
  }
  EXPECT_EQ(data->points[0].violation, -Limits::infinity());
  EXPECT_TRUE(std::isnan(data->points[0].seconds));
}

TEST(Store, UpdatesALaunchInPlace) {
  const TempDirectory directory;
  auto store = Store::create(directory.path(), "{}");
  ASSERT_TRUE(store);
  trial::LaunchRecord launch = sample_launch(1);
  ASSERT_TRUE((*store)->put_launch(launch));
  launch.ended = true;
  launch.seconds = 61;
  engine::Failure failure;
  failure.cls = engine::FailureClass::OutOfMemory;
  failure.signal = 9;
  failure.last_lines = {"bytes \xFF that are no text"};
  launch.failure = failure;
  ASSERT_TRUE((*store)->put_launch(launch));
  const auto data = (*store)->load();
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->launches.size(), 1U);
  EXPECT_TRUE(data->launches[0].ended);
  ASSERT_TRUE(data->launches[0].failure);
  EXPECT_EQ(data->launches[0].failure->cls, engine::FailureClass::OutOfMemory);
  EXPECT_EQ(data->launches[0].failure->signal, 9);
}

TEST(Store, RefusesToCreateOverAStudyAndNamesTheResumeLine) {
  const TempDirectory directory;
  const std::string path = directory.file("my study");
  { ASSERT_TRUE(Store::create(path, "{}")); }
  const std::string before = read_all(path + "/study.db");
  const auto second = Store::create(path, R"({"other": 1})");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::ErrorCode::InvalidInput);
  EXPECT_THAT(second.error().message, HasSubstr(path));
  EXPECT_THAT(second.error().hint, HasSubstr("paretune resume '" + path + "'"));
  EXPECT_TRUE(read_all(path + "/study.db") == before) << "the file has changed";
}

TEST(Store, SaysThatThereIsNoStudy) {
  const TempDirectory directory;
  for (const std::string& path : {directory.path(), directory.file("missing")}) {
    for (const auto& opened : {Store::open(path).error(), Store::open_read_only(path).error()}) {
      EXPECT_EQ(opened.code, core::ErrorCode::NotFound);
      EXPECT_THAT(opened.message, HasSubstr(path));
    }
    EXPECT_FALSE(holds_study(path));
  }
  EXPECT_FALSE(std::filesystem::exists(directory.file("missing")));
}

TEST(Store, IsOneFileAtRestThatCanBeCopied) {
  const TempDirectory directory;
  const std::string path = directory.file("a");
  {
    auto store = Store::create(path, "{}");
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->put_point(sample_point(1)));
  }
  EXPECT_FALSE(std::filesystem::exists(path + "/study.db-wal"));
  std::filesystem::create_directory(directory.file("b"));
  std::filesystem::copy_file(path + "/study.db", directory.file("b/study.db"));
  auto copy = Store::open_read_only(directory.file("b"));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ((*copy)->load()->points.size(), 1U);
}

TEST(Store, ReadsWhileAnotherWritesAndSeesOneMoment) {
  const TempDirectory directory;
  auto writer = Store::create(directory.path(), "{}");
  ASSERT_TRUE(writer);
  auto reader = Store::open_read_only(directory.path());
  ASSERT_TRUE(reader) << reader.error().message;
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE((*writer)->put_point(sample_point(i)));
    const auto data = (*reader)->load();
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_EQ(data->points.size(), static_cast<std::size_t>(i));
  }
  const auto refused = (*reader)->put_fact("finished", "yes");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::ErrorCode::Environment);
}

TEST(Store, CanBeWrittenAgainWhileAReaderStaysOpen) {
  const TempDirectory directory;
  { ASSERT_TRUE(Store::create(directory.path(), "{}")); }
  auto reader = Store::open_read_only(directory.path());
  ASSERT_TRUE(reader);
  ASSERT_TRUE((*reader)->load());
  for (int round = 1; round <= 3; ++round) {
    auto writer = Store::open(directory.path());
    ASSERT_TRUE(writer) << writer.error().message;
    ASSERT_TRUE((*writer)->put_point(sample_point(round)));
    EXPECT_EQ((*reader)->load()->points.size(), static_cast<std::size_t>(round));
  }
}

TEST(Store, KeepsItsOwnFactsToItself) {
  const TempDirectory directory;
  auto store = Store::create(directory.path(), "{}");
  ASSERT_TRUE(store);
  EXPECT_THROW((void)(*store)->put_fact("study", "{}"), std::invalid_argument);
  EXPECT_TRUE((*store)->fact("created_by")->starts_with("paretune "));
}

TEST(Store, RefusesAStudyOfANewerProgramAndLeavesItAsItIs) {
  const TempDirectory directory;
  { ASSERT_TRUE(Store::create(directory.path(), "{}")); }
  SQLite::Database(directory.file("study.db"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const std::string before = read_all(directory.file("study.db"));
  for (const auto& fault :
       {Store::open(directory.path()).error(), Store::open_read_only(directory.path()).error()}) {
    EXPECT_EQ(fault.code, core::ErrorCode::InvalidInput);
    EXPECT_THAT(fault.message, HasSubstr("made by a newer paretune"));
    EXPECT_THAT(fault.message, HasSubstr("99"));
  }
  EXPECT_EQ(Store::create(directory.path(), "{}").error().code, core::ErrorCode::InvalidInput);
  EXPECT_TRUE(read_all(directory.file("study.db")) == before) << "the file has changed";
}

TEST(Store, NeverWritesOverAFileThatIsNotItsOwn) {
  const TempDirectory directory;
  const std::string path = directory.file("study.db");
  const std::string text =
      "this is somebody's own file, and longer than one hundred bytes, which is the size of the "
      "header of a database; it must survive.";
  write_file(path, text);
  for (const auto& fault :
       {Store::open(directory.path()).error(), Store::open_read_only(directory.path()).error(),
        Store::create(directory.path(), "{}").error()}) {
    EXPECT_EQ(fault.code, core::ErrorCode::InvalidInput) << fault.message;
    EXPECT_THAT(fault.message, HasSubstr("study.db"));
  }
  EXPECT_TRUE(read_all(path) == text) << "the file has changed";
}

TEST(Store, NeverWritesIntoADatabaseOfAnotherProgram) {
  const TempDirectory directory;
  SQLite::Database(directory.file("study.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE notes (text TEXT); PRAGMA user_version = 1");
  const std::string before = read_all(directory.file("study.db"));
  EXPECT_EQ(Store::create(directory.path(), "{}").error().code, core::ErrorCode::InvalidInput);
  EXPECT_EQ(Store::open(directory.path()).error().code, core::ErrorCode::InvalidInput);
  EXPECT_TRUE(read_all(directory.file("study.db")) == before) << "the file has changed";
}

TEST(Store, ReportsDamageInsteadOfGoingOn) {
  const TempDirectory directory;
  {
    auto store = Store::create(directory.path(), "{}");
    ASSERT_TRUE(store);
    for (int i = 1; i <= 50; ++i) ASSERT_TRUE((*store)->put_point(sample_point(i)));
  }
  std::string bytes = read_all(directory.file("study.db"));
  std::fill(bytes.begin() + 8192, bytes.end() - 4096, 'x');
  write_file(directory.file("study.db"), bytes);
  const auto opened = Store::open(directory.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, core::ErrorCode::Io) << opened.error().message;
  EXPECT_THAT(opened.error().message, HasSubstr("damaged"));
  EXPECT_TRUE(read_all(directory.file("study.db")) == bytes) << "the file has changed";
}

TEST(Store, TakesOverAFileThatNothingWasCommittedTo) {
  const TempDirectory directory;
  write_file(directory.file("study.db"), "");
  EXPECT_EQ(Store::open(directory.path()).error().code, core::ErrorCode::NotFound);
  EXPECT_TRUE(Store::create(directory.path(), "{}"));
}

TEST(Store, LetsPeopleQueryItWithPlainSql) {
  const TempDirectory directory;
  {
    auto store = Store::create(directory.path(), "{}");
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->put_launch(sample_launch(1)));
    ASSERT_TRUE((*store)->put_point(sample_point(7)));
  }
  SQLite::Database database(directory.file("study.db"));
  EXPECT_EQ(database.execAndGet("SELECT status FROM points").getString(), "ok");
  EXPECT_EQ(database.execAndGet("SELECT live FROM points").getString(), R"({"concurrency":7})");
  EXPECT_EQ(database.execAndGet("SELECT log FROM launches").getString(), "logs/1/server.log");
  EXPECT_NEAR(database.execAndGet("SELECT value FROM metrics WHERE metric = 'output_throughput'").getDouble(),
              100.0 / 3.0 + 7, 1e-9);
  EXPECT_NEAR(database.execAndGet("SELECT low FROM metrics WHERE metric = 'ttft:p95'").getDouble(), 0.1,
              1e-12);
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
}

TEST(Store, RefusesToChangeOrDropAStoredPoint) {
  const TempDirectory directory;
  {
    auto store = Store::create(directory.path(), "{}");
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->put_point(sample_point(1)));
  }
  SQLite::Database database(directory.file("study.db"), SQLite::OPEN_READWRITE);
  EXPECT_THROW(database.exec("DELETE FROM points"), SQLite::Exception);
  EXPECT_THROW(database.exec("UPDATE points SET record = '{}'"), SQLite::Exception);
}

TEST(FreeDirectory, CountsUpFromTwo) {
  const TempDirectory directory;
  const std::string base = directory.path();
  EXPECT_EQ(free_directory(base, "demo"), base + "/demo");
  std::filesystem::create_directory(base + "/demo");
  EXPECT_EQ(free_directory(base, "demo"), base + "/demo") << "an empty directory is free";
  write_file(base + "/demo/x", "x");
  EXPECT_EQ(free_directory(base, "demo"), base + "/demo-2");
  write_file(base + "/demo-2", "a file of that name");
  EXPECT_EQ(free_directory(base, "demo"), base + "/demo-3");
  EXPECT_EQ(free_directory(base + "/not/there", "demo"), base + "/not/there/demo");
}

}  // namespace
}  // namespace paretune::store
