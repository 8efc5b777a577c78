#include "store/lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::store {

namespace {

using FileId = std::pair<dev_t, ino_t>;

/// fcntl locks do not exclude a process from itself, and closing any descriptor of a file drops its lock. So
/// this process remembers what it holds and does not touch those files again.
struct HeldLocks {
  std::mutex mutex;
  std::set<FileId> files;
};

HeldLocks& held_locks() {
  static HeldLocks held;
  return held;
}

std::string lock_path(const std::string& directory) {
  return directory + "/study.lock";
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

bool held_by_us(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return false;
  return held_locks().files.count({facts.st_dev, facts.st_ino}) > 0;
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// What the file says: "PID HOST\n". nullopt if it is empty or holds something else.
std::optional<LockOwner> written_owner(int fd) {
  std::array<char, 512> buffer{};
  const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
  if (count <= 0) return std::nullopt;
  const std::string_view text = core::trim({buffer.data(), static_cast<std::size_t>(count)});
  const std::size_t blank = text.find(' ');
  const core::Result<std::int64_t> pid = core::parse_integer(text.substr(0, blank));
  if (!pid || blank == std::string_view::npos) return std::nullopt;
  return LockOwner{static_cast<pid_t>(*pid), core::printable(text.substr(blank + 1))};
}

/// The kernel's word on the pid, where it has one (not for a lock taken on another host).
std::optional<LockOwner> owner_of(int fd) {
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  LockOwner owner = written_owner(fd).value_or(LockOwner{lock.l_pid, host_name()});
  if (lock.l_pid > 0) owner.pid = lock.l_pid;
  return owner;
}

core::Error cannot_lock(const std::string& directory, int error) {
  std::string hint;
  if (error == ENOLCK || error == EOPNOTSUPP || error == EINVAL) {
    hint = "this file system has no file locks: choose a directory on a local disk with --out";
  }
  return core::environment_error(
      "cannot lock " + lock_path(directory) + ": " + std::generic_category().message(error), std::move(hint));
}

void write_owner(int fd) {
  const std::string text = std::to_string(::getpid()) + " " + host_name() + "\n";
  // Only for people: on a full disk the lock holds all the same.
  [[maybe_unused]] const int cut = ::ftruncate(fd, 0);
  [[maybe_unused]] const ssize_t count = ::pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

core::Error in_use(const std::string& directory, const LockOwner& owner) {
  return core::environment_error(directory + " is in use by another paretune (pid " +
                                     std::to_string(owner.pid) + " on " + owner.host + ")",
                                 "wait until it ends, or stop it, or choose another directory with --out");
}

core::Result<DirectoryLock> DirectoryLock::acquire(const std::string& directory) {
  const std::string path = lock_path(directory);
  const std::lock_guard guard(held_locks().mutex);
  if (held_by_us(path)) return in_use(directory, {::getpid(), host_name()});
  DirectoryLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.fd_ < 0) return cannot_lock(directory, errno);
  struct flock wanted = whole_file(F_WRLCK);
  if (::fcntl(lock.fd_, F_SETLK, &wanted) != 0) {
    const int error = errno;
    const std::optional<LockOwner> owner = owner_of(lock.fd_);
    ::close(std::exchange(lock.fd_, -1));
    if (error != EACCES && error != EAGAIN) return cannot_lock(directory, error);
    return in_use(directory, owner.value_or(LockOwner{0, "unknown host"}));
  }
  lock.dead_owner_ = written_owner(lock.fd_);
  write_owner(lock.fd_);
  struct stat facts {};
  ::fstat(lock.fd_, &facts);
  held_locks().files.insert({facts.st_dev, facts.st_ino});
  return lock;
}

DirectoryLock::~DirectoryLock() {
  if (fd_ < 0) return;
  const std::lock_guard guard(held_locks().mutex);
  struct stat facts {};
  ::fstat(fd_, &facts);
  held_locks().files.erase({facts.st_dev, facts.st_ino});
  // The file stays: removing it would let a third process lock a new file while a second one waits on the
  // old.
  [[maybe_unused]] const int cut = ::ftruncate(fd_, 0);
  ::close(fd_);
}

std::optional<LockOwner> lock_owner(const std::string& directory) {
  const std::string path = lock_path(directory);
  const std::lock_guard guard(held_locks().mutex);
  if (held_by_us(path)) return LockOwner{::getpid(), host_name()};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::optional<LockOwner> owner = owner_of(fd);
  ::close(fd);
  return owner;
}

}  // namespace paretune::store
