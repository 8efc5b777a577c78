#include "pareto/dominator_sets.hpp"

#include <algorithm>
#include <numeric>

namespace paretune::pareto {

namespace {

/// Block boundaries are kept for all objectives within about this much memory.
constexpr std::size_t kMaxPrefixBytes = std::size_t{64} << 20;
constexpr std::size_t kMinBlock = 64;

std::size_t choose_block(std::size_t rows, std::size_t words, std::size_t objectives) {
  std::size_t block = kMinBlock;
  while (rows / block * words * 8 * objectives > kMaxPrefixBytes) block *= 2;
  return block;
}

}  // namespace

DominatorSets::DominatorSets(const CostMatrix& costs, const std::vector<std::size_t>& rows)
    : words_((rows.size() + 63) / 64),
      block_(choose_block(rows.size(), words_, costs.objectives())),
      set_(words_) {
  for (std::size_t j = 1; j < costs.objectives(); ++j) prefixes_.push_back(make_prefixes(costs, rows, j));
}

DominatorSets::Prefixes DominatorSets::make_prefixes(const CostMatrix& costs,
                                                     const std::vector<std::size_t>& rows,
                                                     std::size_t objective) const {
  struct Key {
    double cost;
    std::uint32_t position;
  };
  const std::size_t n = rows.size();
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = {costs.at(rows[i], objective), static_cast<std::uint32_t>(i)};
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.cost < b.cost; });

  Prefixes prefixes;
  prefixes.order.resize(n);
  prefixes.not_worse.resize(n);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && keys[end].cost == keys[begin].cost) ++end;
    for (; begin < end; ++begin) {
      prefixes.order[begin] = keys[begin].position;
      prefixes.not_worse[keys[begin].position] = static_cast<std::uint32_t>(end);
    }
  }
  const std::size_t blocks = (n + block_ - 1) / block_;
  prefixes.block_words.assign((blocks + 1) * words_, 0);
  for (std::size_t b = 1; b <= blocks; ++b) {
    std::uint64_t* words = prefixes.block_words.data() + b * words_;
    std::copy(words - words_, words, words);
    for (std::size_t k = (b - 1) * block_; k < std::min(b * block_, n); ++k) {
      words[prefixes.order[k] / 64] |= std::uint64_t{1} << (prefixes.order[k] % 64);
    }
  }
  return prefixes;
}

const std::vector<std::uint64_t>& DominatorSets::of(std::size_t position) {
  const std::size_t words = (position + 63) / 64;
  const std::size_t n = prefixes_.front().order.size();
  bool first = true;
  for (const Prefixes& prefixes : prefixes_) {
    const std::size_t block = (prefixes.not_worse[position] + block_ - 1) / block_;
    const std::uint64_t* prefix = prefixes.block_words.data() + block * words_;
    if (first) {
      std::copy(prefix, prefix + words, set_.begin());
    } else {
      for (std::size_t w = 0; w < words; ++w) set_[w] &= prefix[w];
    }
    first = false;
  }
  // The blocks were rounded up: take the rows out that are worse after all.
  for (const Prefixes& prefixes : prefixes_) {
    const std::size_t begin = prefixes.not_worse[position];
    const std::size_t end = std::min((begin + block_ - 1) / block_ * block_, n);
    for (std::size_t k = begin; k < end; ++k) {
      set_[prefixes.order[k] / 64] &= ~(std::uint64_t{1} << (prefixes.order[k] % 64));
    }
  }
  if (position % 64 != 0) set_[words - 1] &= (std::uint64_t{1} << (position % 64)) - 1;
  return set_;
}

}  // namespace paretune::pareto
