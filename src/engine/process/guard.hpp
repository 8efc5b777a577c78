// The guard: a small process between us and the server. It starts the server in its own session, copies its
// output to a capped log, reports its end at once, and ends everything the server started when we ask for it
// or when we die (end of file on the socket), even by SIGKILL. It is a child subreaper, so processes that
// detached themselves come to it and are found. Runs after fork in a copy of a program with threads:
// async-signal-safe calls only, no allocation.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "engine/process/exec_image.hpp"

namespace paretune::engine {

/// Guard to us, one packet each. Besides, a bare int = errno of a failed execve.
struct GuardReport {
  enum class Kind : std::int32_t {
    Started,  ///< value = pid of the server
    Ended,    ///< value = wait status as of waitpid(2); the log is complete up to here
    Empty,    ///< last packet; value = number of processes that would not die (0 = all gone)
  };
  Kind kind = Kind::Started;
  std::int32_t value = 0;
};

/// We to the guard: end everything, TERM first, KILL after the grace.
struct GuardOrder {
  std::int32_t grace_ms = 0;
};

struct GuardSetup {
  const ExecImage* image = nullptr;
  int socket = -1;  ///< SOCK_SEQPACKET, our end of it is elsewhere
  int log = -1;
  std::size_t log_cap = 0;
  int orphan_grace_ms = 5000;  ///< between TERM and KILL when nobody is left to ask
  char* title = nullptr;       ///< our argv memory, overwritten so that ps shows what this process is
  std::size_t title_size = 0;
};

/// Never returns. Call in the child right after fork.
[[noreturn]] void run_guard(const GuardSetup& setup);

/// Where argv lies in memory (/proc/self/stat fields 48 and 49); size 0 if unknown.
void find_title(GuardSetup& setup);

}  // namespace paretune::engine
