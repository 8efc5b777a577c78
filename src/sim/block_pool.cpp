#include "paretune/sim/block_pool.hpp"

namespace paretune::sim {

bool BlockPool::take(std::size_t count) {
  if (count > available()) return false;
  while (total_ - private_ - live_entries_ < count) evict_oldest();
  private_ += count;
  return true;
}

std::size_t BlockPool::match(std::span<const std::uint64_t> hashes, std::size_t limit) const {
  std::size_t found = 0;
  while (found < hashes.size() && found < limit && by_hash_.contains(hashes[found])) ++found;
  return found;
}

BlockPool::Entry BlockPool::hold(std::uint64_t hash) {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return kNone;
  Node& node = nodes_[found->second];
  if (node.holders == 0) remove_idle(found->second);
  ++node.holders;
  return found->second;
}

BlockPool::Entry BlockPool::publish(std::uint64_t hash) {
  if (by_hash_.contains(hash)) return kNone;
  Entry entry = 0;
  if (free_nodes_.empty()) {
    entry = static_cast<Entry>(nodes_.size());
    nodes_.emplace_back();
  } else {
    entry = free_nodes_.back();
    free_nodes_.pop_back();
  }
  nodes_[entry] = Node{hash, 1, kNone, kNone};
  by_hash_.emplace(hash, entry);
  --private_;
  ++live_entries_;
  return entry;
}

void BlockPool::release(Entry entry) {
  if (--nodes_[entry].holders == 0) append_idle(entry);
}

void BlockPool::append_idle(Entry entry) {
  Node& node = nodes_[entry];
  node.previous = newest_;
  node.next = kNone;
  if (newest_ != kNone) nodes_[newest_].next = entry;
  newest_ = entry;
  if (oldest_ == kNone) oldest_ = entry;
  ++idle_entries_;
}

void BlockPool::remove_idle(Entry entry) {
  Node& node = nodes_[entry];
  (node.previous == kNone ? oldest_ : nodes_[node.previous].next) = node.next;
  (node.next == kNone ? newest_ : nodes_[node.next].previous) = node.previous;
  node.previous = node.next = kNone;
  --idle_entries_;
}

void BlockPool::evict_oldest() {
  const Entry entry = oldest_;
  remove_idle(entry);
  by_hash_.erase(nodes_[entry].hash);
  free_nodes_.push_back(entry);
  --live_entries_;
}

}  // namespace paretune::sim
