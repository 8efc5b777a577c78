#include "sim/prompt.hpp"

#include "paretune/sim/block_pool.hpp"
#include "sim/api.hpp"

namespace paretune::sim {

namespace {

constexpr std::size_t kTokenBytes = 8;

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::uint64_t pack(std::string_view piece) {
  std::uint64_t value = piece.size();
  for (const char c : piece) value = (value << 8 | value >> 56) ^ static_cast<unsigned char>(c);
  return value;
}

/// Calls `visit` with each piece of each word.
template <class Visit>
void for_each_piece(std::string_view text, Visit visit) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && i - begin < kTokenBytes && !is_blank(text[i])) ++i;
    visit(text.substr(begin, i - begin));
  }
}

}  // namespace

void PromptHasher::add_text(std::string_view text) {
  for_each_piece(text, [&](std::string_view piece) { add_token(pack(piece)); });
}

void PromptHasher::add_token(std::uint64_t token) {
  chain_ = mix(chain_ ^ mix(token + 0x632be59bd9b4e019ULL));
  ++tokens_;
  if (tokens_ % kBlockTokens == 0) blocks_.push_back(chain_);
}

void PromptHasher::add_boundary(std::string_view role) {
  chain_ = mix(chain_ + pack(role));
}

std::uint32_t count_tokens(std::string_view text) {
  std::uint32_t tokens = 0;
  for_each_piece(text, [&](std::string_view) { ++tokens; });
  return tokens;
}

}  // namespace paretune::sim
