#include "engine/process/capped_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace paretune::engine {
namespace {

constexpr std::size_t kSmallestCap = 4096;

/// Always the same length, so that it can be written again in place.
constexpr char kMarker[] = "\n[...                     bytes left out ...]\n";
constexpr std::size_t kMarkerLength = sizeof kMarker - 1;
constexpr std::size_t kLastDigit = 24;

std::array<char, kMarkerLength> marker_line(std::uint64_t bytes) {
  std::array<char, kMarkerLength> line{};
  std::memcpy(line.data(), kMarker, kMarkerLength);
  for (std::size_t at = kLastDigit; at == kLastDigit || bytes > 0; --at, bytes /= 10) {
    line[at] = static_cast<char>('0' + bytes % 10);
  }
  return line;
}

off_t offset(std::size_t position) {
  return static_cast<off_t>(position);
}

}  // namespace

CappedLog::CappedLog(int file, std::size_t cap) : file_(file), cap_(std::max(cap, kSmallestCap)) {}

void CappedLog::append(const char* data, std::size_t length) {
  if (file_ < 0) return;
  const std::size_t largest = cap_ / 4;  // so that one piece always fits after compacting
  for (; length > largest; data += largest, length -= largest) append(data, largest);
  if (size_ + length > cap_) compact();
  while (length > 0) {
    const ssize_t written = pwrite(file_, data, length, offset(size_));
    if (written <= 0) {
      dropped_ += length;
      return;
    }
    size_ += static_cast<std::size_t>(written);
    data += written;
    length -= static_cast<std::size_t>(written);
  }
}

void CappedLog::compact() {
  const std::size_t head = cap_ / 4;
  const std::size_t keep = cap_ / 4;
  const std::size_t old_tail = head + marker_;
  std::size_t from = size_ - keep;
  dropped_ += from - old_tail;
  const auto marker = marker_line(dropped_);
  marker_ = marker.size();
  if (pwrite(file_, marker.data(), marker_, offset(head)) < 0) return;
  std::size_t to = head + marker_;
  while (from < size_) {
    const ssize_t got = pread(file_, copy_.data(), std::min(copy_.size(), size_ - from), offset(from));
    if (got <= 0 || pwrite(file_, copy_.data(), static_cast<std::size_t>(got), offset(to)) != got) break;
    from += static_cast<std::size_t>(got);
    to += static_cast<std::size_t>(got);
  }
  size_ = to;
  if (ftruncate(file_, offset(size_)) != 0) return;
}

}  // namespace paretune::engine
