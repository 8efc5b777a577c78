#include "paretune/core/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace paretune::core {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string name = (fs::temp_directory_path() / "paretune-file-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = name;
  }
  ~FileTest() override { fs::remove_all(directory_); }
  std::string at(const std::string& name) const { return directory_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }
  std::string directory_;
};

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  const std::string content("line\n\0binary\n", 13);
  ASSERT_TRUE(write_file_atomically(at("a"), content));
  EXPECT_EQ(read_file(at("a")).value(), content);
  ASSERT_TRUE(write_file_atomically(at("a"), "new"));
  EXPECT_EQ(read_file(at("a")).value(), "new");
  EXPECT_EQ(files(), 1U) << "a temporary file was left behind";
}

TEST_F(FileTest, SaysWhichFileIsMissing) {
  const auto content = read_file(at("none"));
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::NotFound);
  EXPECT_THAT(content.error().message, HasSubstr(at("none")));
  EXPECT_EQ(read_file(at("")).error().code, ErrorCode::Io) << "a directory";
}

TEST_F(FileTest, ReadsTheEndOfAFile) {
  ASSERT_TRUE(write_file_atomically(at("log"), "0123456789"));
  EXPECT_EQ(read_tail(at("log"), 4), "6789");
  EXPECT_EQ(read_tail(at("log"), 100), "0123456789");
  EXPECT_EQ(read_tail(at("none"), 4), "");
}

TEST_F(FileTest, KeepsTheOldContentWhenAWriteFails) {
  const auto written = write_file_atomically(at("missing/a"), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Io);
  EXPECT_THAT(written.error().message, HasSubstr(at("missing/a")));
  ASSERT_TRUE(fs::create_directory(at("folder")));
  EXPECT_THAT(write_file_atomically(at("folder"), "x").error().message, HasSubstr("directory"));
}

TEST_F(FileTest, LosesNothingWhenTheDiskTakesNoMore) {
  ASSERT_TRUE(write_file_atomically(at("a"), "old"));
  // A limit on the size of files stands in for a full disk; in a child process, since it cannot be raised
  // again.
  const auto write_beyond_the_limit = [&] {
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    const auto written = write_file_atomically(at("a"), std::string(5000, 'x'));
    if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
    std::_Exit(written ? 0 : 7);
  };
  EXPECT_EXIT(write_beyond_the_limit(), testing::ExitedWithCode(7), "cannot write .*/a: File too large");
  EXPECT_EQ(read_file(at("a")).value(), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, KeepsModeAndLinkOfTheFileItReplaces) {
  ASSERT_TRUE(write_file_atomically(at("target"), "old"));
  ::chmod(at("target").c_str(), 0640);
  fs::create_symlink(at("target"), at("link"));
  ASSERT_TRUE(write_file_atomically(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("target")).value(), "new");
  struct stat facts {};
  ASSERT_EQ(::stat(at("target").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640U);
}

TEST_F(FileTest, MakesADirectoryAndProvesThatItTakesFiles) {
  EXPECT_TRUE(require_writable_directory(at("a/b/c")));
  EXPECT_TRUE(fs::is_directory(at("a/b/c")));
  EXPECT_TRUE(fs::is_empty(at("a/b/c")));
  ASSERT_TRUE(write_file_atomically(at("plain"), ""));
  EXPECT_FALSE(require_writable_directory(at("plain")));
  const auto read_only = require_writable_directory("/proc/1/paretune");
  ASSERT_FALSE(read_only);
  EXPECT_EQ(read_only.error().code, ErrorCode::Io);
  EXPECT_THAT(read_only.error().message, HasSubstr("/proc/1/paretune"));
}

}  // namespace
}  // namespace paretune::core
