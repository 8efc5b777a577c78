// A log file that never grows over its cap: the head stays, the newest part stays, the middle goes. The file
// on disk is readable at every moment. Used by the guard: no allocation, only system calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace paretune::engine {

class CappedLog {
 public:
  /// @param file  open for reading and writing, empty, not owned; -1 = drop everything.
  /// @param cap   bytes; values below 4 KiB count as 4 KiB.
  CappedLog(int file, std::size_t cap);
  /// Errors (disk full) drop data silently: a server must never block on its log.
  void append(const char* data, std::size_t length);
  std::uint64_t dropped_bytes() const { return dropped_; }

 private:
  void compact();

  int file_;
  std::size_t cap_;
  std::size_t size_ = 0;
  std::uint64_t dropped_ = 0;
  std::size_t marker_ = 0;  ///< length of the marker line once one is there
  std::array<char, 16384> copy_{};
};

}  // namespace paretune::engine
