// Full, read-only and impossible places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "paretune/store/store.hpp"
#include "store/database.hpp"
#include "store/support.hpp"

namespace paretune::store {
namespace {

using testing::Child;
using ::testing::HasSubstr;
using testing::sample_point;
using testing::TempDirectory;

/// No file of this process may grow beyond `bytes`; a write beyond fails as on a full disk.
void limit_file_size(rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

bool names_place_and_reason(const core::Error& error, const std::string& path) {
  return error.code == core::ErrorCode::Environment && error.message.find(path) != std::string::npos &&
         error.message.find("File too large") != std::string::npos && !error.hint.empty();
}

TEST(FullDisk, RefusesTheWriteKeepsWhatIsStoredAndGoesOnWhenThereIsSpace) {
  const TempDirectory directory;
  Child writer([&](const Child::Report& report) {
    auto store = Store::create(directory.path(), "{}");
    if (!store) return 10;
    int stored = 0;
    while (stored < 5 && (*store)->put_point(sample_point(stored + 1))) ++stored;
    limit_file_size(std::filesystem::file_size(directory.file("study.db-wal")));
    const auto refused = (*store)->put_point(sample_point(6));
    if (refused) return 11;
    if (!names_place_and_reason(refused.error(), directory.file("study.db"))) return 12;
    if ((*store)->load()->points.size() != 5) return 13;
    limit_file_size(RLIM_INFINITY);
    if (!(*store)->put_point(sample_point(6))) return 14;
    report('d');
    return 0;
  });
  EXPECT_EQ(writer.wait(), 0);
  auto store = Store::open(directory.path());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->load()->points.size(), 6U);
}

TEST(FullDisk, LosesNothingWhenThePointsMustStayInTheLog) {
  const TempDirectory directory;
  Child writer([&](const Child::Report&) {
    auto store = Store::create(directory.path(), "{}");
    if (!store) return 10;
    // The database itself cannot grow any more, the log can for a while.
    limit_file_size(96 * 1024);
    int stored = 0;
    while (stored < 1000 && (*store)->put_point(sample_point(stored + 1))) ++stored;
    if (stored == 1000 || stored < 5) return 11;
    if ((*store)->load()->points.size() != static_cast<std::size_t>(stored)) return 12;
    store->reset();
    auto again = Store::open_read_only(directory.path());
    if (!again) return 13;
    return (*again)->load()->points.size() == static_cast<std::size_t>(stored) ? 0 : 14;
  });
  EXPECT_EQ(writer.wait(), 0);
}

TEST(FullDisk, MakesNoStudyWhereItCannotBeWritten) {
  const TempDirectory directory;
  Child writer([&](const Child::Report&) {
    limit_file_size(8 * 1024);
    const auto store = Store::create(directory.path(), "{}");
    if (store) return 11;
    return names_place_and_reason(store.error(), directory.path()) ? 0 : 12;
  });
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_FALSE(holds_study(directory.path()));
  EXPECT_TRUE(Store::create(directory.path(), "{}"));
}

/// Runs `body` with a small file system of its own, where the machine lets us mount one.
int with_mount(const std::string& path, const char* options, unsigned long flags,
               const std::function<int()>& body) {
  Child child([&](const Child::Report&) {
    if (::mount("tmpfs", path.c_str(), "tmpfs", flags, options) != 0) return 77;
    const int code = body();
    ::umount2(path.c_str(), MNT_DETACH);
    return code;
  });
  return child.wait();
}

TEST(FullDisk, SaysNoSpaceLeftOnARealFullFileSystem) {
  const TempDirectory directory;
  const int code = with_mount(directory.path(), "size=256k", 0, [&] {
    auto store = Store::create(directory.path(), "{}");
    if (!store) return 10;
    for (int i = 1; i < 1000; ++i) {
      const auto put = (*store)->put_point(sample_point(i));
      if (put) continue;
      if (put.error().message.find("No space left on device") == std::string::npos) return 11;
      if (put.error().code != core::ErrorCode::Environment) return 12;
      return (*store)->load()->points.size() == static_cast<std::size_t>(i - 1) ? 0 : 13;
    }
    return 14;
  });
  if (code == 77) GTEST_SKIP() << "this machine lets the test mount no file system";
  EXPECT_EQ(code, 0);
}

TEST(ReadOnlyDisk, CanBeReadAndRefusesWriters) {
  const TempDirectory directory;
  const int code = with_mount(directory.path(), "size=1m", 0, [&] {
    const std::string path = directory.file("study");
    {
      auto store = Store::create(path, "{}");
      if (!store || !(*store)->put_point(sample_point(1))) return 10;
    }
    if (::mount(nullptr, directory.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 77;
    const auto writer = Store::open(path);
    if (writer || writer.error().code != core::ErrorCode::Environment) return 11;
    if (writer.error().message.find("Read-only file system") == std::string::npos) return 12;
    const auto fresh = Store::create(directory.file("other"), "{}");
    if (fresh || fresh.error().code != core::ErrorCode::Environment) return 13;
    const auto reader = Store::open_read_only(path);
    if (!reader) return 14;
    return (*reader)->load()->points.size() == 1 ? 0 : 15;
  });
  if (code == 77) GTEST_SKIP() << "this machine lets the test mount no file system";
  EXPECT_EQ(code, 0);
}

TEST(ForbiddenPlace, NamesThePathAndTheReason) {
  const TempDirectory directory;
  std::ofstream(directory.file("file")) << "x";
  const auto below_a_file = Store::create(directory.file("file/study"), "{}");
  ASSERT_FALSE(below_a_file);
  EXPECT_EQ(below_a_file.error().code, core::ErrorCode::Environment);
  EXPECT_THAT(below_a_file.error().message, HasSubstr(directory.file("file/study")));
  EXPECT_THAT(below_a_file.error().message, HasSubstr("Not a directory"));
  const auto no_files_there = Store::create("/proc/paretune", "{}");
  ASSERT_FALSE(no_files_there);
  EXPECT_EQ(no_files_there.error().code, core::ErrorCode::Environment);
  EXPECT_THAT(no_files_there.error().message, HasSubstr("/proc/paretune"));
}

TEST(ForbiddenPlace, IsRefusedWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TempDirectory directory;
  ::chmod(directory.path().c_str(), 0555);
  const auto store = Store::create(directory.file("study"), "{}");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, core::ErrorCode::Environment);
  EXPECT_THAT(store.error().message, HasSubstr("Permission denied"));
}

TEST(Journal, IsNoWriteAheadLogOnNetworkFileSystems) {
  EXPECT_TRUE(is_network_file_system(0x6969)) << "NFS";
  EXPECT_TRUE(is_network_file_system(0xffffffffff534d42)) << "CIFS, sign-extended as some kernels report it";
  EXPECT_FALSE(is_network_file_system(0xef53)) << "ext4";
  EXPECT_FALSE(is_network_file_system(0x01021994)) << "tmpfs";
}

}  // namespace
}  // namespace paretune::store
