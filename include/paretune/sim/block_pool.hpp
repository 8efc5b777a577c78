// KV-cache blocks of the simulated engine: plain counting for private blocks, and a prefix cache of shared
// ones that are kept after use and evicted least-recently-used first. Never holds more than its total. One
// thread. Source: automatic prefix caching of vLLM (hash of a block = hash of its tokens and of the block
// before).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

namespace paretune::sim {

/// Tokens per KV block.
inline constexpr std::uint32_t kBlockTokens = 16;

class BlockPool {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kNone = std::numeric_limits<Entry>::max();

  explicit BlockPool(std::size_t total) : total_(total) {}

  std::size_t total() const { return total_; }
  std::size_t used() const { return private_ + live_entries_ - idle_entries_; }  ///< held by requests
  std::size_t available() const { return total_ - used(); }                      ///< free or evictable

  /// Takes `count` private blocks, evicting idle shared ones as needed. @return false: not enough, nothing
  /// taken.
  bool take(std::size_t count);
  void give_back(std::size_t count) { private_ -= count; }

  /// Number of leading hashes that are cached, at most `limit`.
  std::size_t match(std::span<const std::uint64_t> hashes, std::size_t limit) const;
  /// Holds a cached block. @return kNone if it is not cached.
  Entry hold(std::uint64_t hash);
  /// Turns one private block into a shared one held once. @return kNone if the hash is cached already (stays
  /// private).
  Entry publish(std::uint64_t hash);
  /// Lets go of a held block; when nobody holds it, it stays as an eviction candidate.
  void release(Entry entry);

 private:
  struct Node {
    std::uint64_t hash = 0;
    std::uint32_t holders = 0;
    Entry previous = kNone, next = kNone;  ///< in the list of idle blocks, least recently used first
  };
  void append_idle(Entry entry);
  void remove_idle(Entry entry);
  void evict_oldest();

  std::size_t total_;
  std::size_t private_ = 0;
  std::size_t live_entries_ = 0;
  std::size_t idle_entries_ = 0;
  std::vector<Node> nodes_;
  std::vector<Entry> free_nodes_;
  std::unordered_map<std::uint64_t, Entry> by_hash_;
  Entry oldest_ = kNone, newest_ = kNone;
};

}  // namespace paretune::sim
