#include "paretune/core/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace paretune::core {

namespace {

/// An open file descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  /// Some file systems report a failed write only here. @return false with errno set.
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

std::string reason(int error) {
  return std::generic_category().message(error);
}

Error write_failed(const std::string& path, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT) hint = "free some space there, or choose another directory";
  if (error == EROFS) hint = "the file system is read-only: choose another directory";
  if (error == EACCES || error == EPERM) hint = "check the permissions, or choose another directory";
  return io_error("cannot write " + path + ": " + reason(error), std::move(hint));
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

/// Writes and syncs `path`. @return 0 or errno.
int write_and_sync(const std::string& path, std::string_view content, mode_t mode) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.ok()) return errno;
  if (!write_all(file.get(), content) || ::fsync(file.get()) != 0 || !file.close()) return errno;
  return 0;
}

/// Makes the rename itself durable. Some file systems cannot sync a directory; the content is safe even then.
void sync_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const Descriptor directory(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.ok()) ::fsync(directory.get());
}

/// The file behind symbolic links, so that a rename replaces the file and not the link.
std::string real_target(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? std::string(resolved.get()) : path;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return Error{ErrorCode::NotFound, path + ": no such file", ""};
    return io_error("cannot read " + path + ": " + reason(error));
  }
  std::string content;
  std::string buffer(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("cannot read " + path + ": " + reason(errno));
    if (count == 0) return content;
    content.append(buffer, 0, static_cast<std::size_t>(count));
  }
}

std::string read_tail(const std::string& path, std::size_t bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!file.ok() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  const auto size = static_cast<std::size_t>(facts.st_size);
  const std::size_t start = size > bytes ? size - bytes : 0;
  std::string tail(size - start, '\0');
  std::size_t filled = 0;
  while (filled < tail.size()) {
    const ssize_t count =
        ::pread(file.get(), tail.data() + filled, tail.size() - filled, static_cast<off_t>(start + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  tail.resize(filled);
  return tail;
}

Result<void> write_file_atomically(const std::string& path, std::string_view content) {
  const std::string target = real_target(path);
  struct stat facts {};
  const bool exists = ::stat(target.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) return write_failed(path, EISDIR);
  const std::string temporary = temporary_name(target);
  int error = write_and_sync(temporary, content, exists ? facts.st_mode & 07777 : 0666);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return write_failed(path, error);
  }
  sync_directory_of(target);
  return {};
}

Result<void> require_writable_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) return write_failed(path, failure.value());
  if (!std::filesystem::is_directory(path, failure)) return write_failed(path, ENOTDIR);
  // Not empty: on a full disk a file can be made but not filled.
  const std::string probe = temporary_name(path + "/.paretune-probe");
  const int error = write_and_sync(probe, std::string(4096, '.'), 0600);
  ::unlink(probe.c_str());
  if (error != 0) return write_failed(path, error);
  return {};
}

}  // namespace paretune::core
