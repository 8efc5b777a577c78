// What the store's tests share: a directory that goes away, records with every field set, child processes
// that the test can kill at a chosen moment.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "paretune/trial/record.hpp"

namespace paretune::store::testing {

class TempDirectory {
 public:
  TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory();
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

trial::LaunchRecord sample_launch(int number);
/// Different for every number, so that a lost or repeated one shows.
trial::PointRecord sample_point(int number);

/// A forked copy of the test that runs `body` and reports steps over a pipe.
class Child {
 public:
  using Report = std::function<void(char)>;
  /// `body` gets a function that sends one byte to the parent. The child exits with what `body` returns.
  explicit Child(const std::function<int(const Report&)>& body);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  /// Next reported byte; '\0' when the child is gone.
  char next();
  /// All bytes that are left after the child has ended.
  std::string rest();
  void kill_now();  ///< SIGKILL and wait
  int wait();       ///< exit code; 128 + signal if it was killed

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;
  bool waited_ = false;
  int code_ = 0;
};

}  // namespace paretune::store::testing
