// Reads /proc without allocating, so that the guard may use it between fork and exec, and everybody else too.
// Source: proc(5), /proc/PID/stat fields 3-6 and 22.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace paretune::engine {

struct ProcessRow {
  pid_t pid = 0;
  char state = '?';  ///< 'Z' = ended, not yet waited for
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  std::uint64_t start_ticks = 0;  ///< clock ticks after boot; with the boot id it names one process for ever
};

/// @return false if there is no such process (any more).
bool read_process(pid_t pid, ProcessRow& row);

/// Walks all processes. A process that starts during the walk may be missed. One thread, no allocation.
class ProcessScan {
 public:
  ProcessScan();
  ~ProcessScan();
  ProcessScan(const ProcessScan&) = delete;
  ProcessScan& operator=(const ProcessScan&) = delete;
  bool next(ProcessRow& row);  ///< false at the end

 private:
  bool refill();

  int directory_ = -1;
  std::size_t used_ = 0;
  std::size_t at_ = 0;
  alignas(8) std::array<char, 4096> buffer_{};
};

/// Does the chain of parents of `pid` lead to `ancestor`?
bool is_descendant(pid_t pid, pid_t ancestor);

}  // namespace paretune::engine
