// The proof that at most one process writes a study: an fcntl record lock on DIR/study.lock. The kernel drops
// it when its process ends in any way, also with kill -9, so a dead writer never blocks a study; servers that
// we started do not inherit it. The text of the file (pid and host) is for messages only. One thread per lock
// object. Source: POSIX.1-2017, fcntl (F_SETLK).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "paretune/core/result.hpp"

namespace paretune::store {

struct LockOwner {
  pid_t pid = 0;
  std::string host;
};

class DirectoryLock {
 public:
  /// @return Error{Environment}: held (names pid and host), no permission, or a file system without locks.
  static core::Result<DirectoryLock> acquire(const std::string& directory);

  DirectoryLock(DirectoryLock&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), dead_owner_(std::move(other.dead_owner_)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

  /// The last writer, if it ended without giving the lock back.
  const std::optional<LockOwner>& dead_owner() const { return dead_owner_; }

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}

  int fd_ = -1;
  std::optional<LockOwner> dead_owner_;
};

/// Who writes the study in `directory` now.
std::optional<LockOwner> lock_owner(const std::string& directory);

/// Error{Environment} that names the writer.
core::Error in_use(const std::string& directory, const LockOwner& owner);

}  // namespace paretune::store
