#include "engine/process/process_table.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace paretune::engine {
namespace {

// struct linux_dirent64 of getdents64(2); glibc's readdir would allocate.
constexpr std::size_t kRecordLengthOffset = 16;
constexpr std::size_t kNameOffset = 19;

pid_t parse_pid(const char* text) {
  pid_t pid = 0;
  if (*text == '\0') return 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9') return 0;
    pid = pid * 10 + (*text - '0');
  }
  return pid;
}

/// "/proc/PID/stat" into `path`.
void stat_path(pid_t pid, char* path) {
  std::memcpy(path, "/proc/", 6);
  std::array<char, 16> digits{};
  std::size_t n = 0;
  for (auto rest = static_cast<unsigned>(pid); n == 0 || rest > 0; rest /= 10)
    digits[n++] = static_cast<char>('0' + rest % 10);
  char* out = path + 6;
  while (n > 0) *out++ = digits[--n];
  std::memcpy(out, "/stat", 6);
}

std::uint64_t next_number(const char*& text) {
  while (*text == ' ') ++text;
  std::uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + static_cast<std::uint64_t>(*text - '0');
  while (*text != ' ' && *text != '\0') ++text;  // skips what is no digit, such as a minus and its number
  return number;
}

}  // namespace

bool read_process(pid_t pid, ProcessRow& row) {
  if (pid <= 0) return false;
  std::array<char, 64> path{};
  stat_path(pid, path.data());
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 1024> text{};
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  if (length <= 0) return false;
  const char* rest = std::strrchr(text.data(), ')');  // the name in parentheses may hold anything
  if (rest == nullptr || rest[1] == '\0') return false;
  row.pid = pid;
  row.state = rest[2];
  rest += 3;
  row.parent = static_cast<pid_t>(next_number(rest));
  row.group = static_cast<pid_t>(next_number(rest));
  row.session = static_cast<pid_t>(next_number(rest));
  for (int field = 7; field < 22; ++field) next_number(rest);
  row.start_ticks = next_number(rest);
  return true;
}

ProcessScan::ProcessScan() : directory_(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

ProcessScan::~ProcessScan() {
  if (directory_ >= 0) close(directory_);
}

bool ProcessScan::refill() {
  if (directory_ < 0) return false;
  const long length = syscall(SYS_getdents64, directory_, buffer_.data(), buffer_.size());
  if (length <= 0) return false;
  used_ = static_cast<std::size_t>(length);
  at_ = 0;
  return true;
}

bool ProcessScan::next(ProcessRow& row) {
  while (true) {
    if (at_ >= used_ && !refill()) return false;
    std::uint16_t length = 0;
    std::memcpy(&length, buffer_.data() + at_ + kRecordLengthOffset, sizeof length);
    const pid_t pid = parse_pid(buffer_.data() + at_ + kNameOffset);
    at_ += length;
    if (pid > 0 && read_process(pid, row)) return true;
  }
}

bool is_descendant(pid_t pid, pid_t ancestor) {
  ProcessRow row;
  for (int depth = 0; depth < 64 && pid > 1; ++depth) {
    if (!read_process(pid, row)) return false;
    if (row.parent == ancestor) return true;
    pid = row.parent;
  }
  return false;
}

}  // namespace paretune::engine
