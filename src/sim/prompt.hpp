// Turns prompts into a token count and the chained hashes of their full KV blocks, so that equal beginnings
// of prompts are found by the prefix cache. There is no tokenizer: a word is one token for each started 8
// bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace paretune::sim {

class PromptHasher {
 public:
  void add_text(std::string_view text);
  void add_token(std::uint64_t token);
  /// Start of a message: no token, but prompts that differ here share nothing after it.
  void add_boundary(std::string_view role);

  std::uint32_t tokens() const { return tokens_ == 0 ? 1 : tokens_; }  ///< at least 1
  std::vector<std::uint64_t> take_block_hashes() { return std::move(blocks_); }

 private:
  std::uint64_t chain_ = 0x9e3779b97f4a7c15ULL;
  std::uint32_t tokens_ = 0;
  std::vector<std::uint64_t> blocks_;
};

}  // namespace paretune::sim
