#include "search/sobol_sequence.hpp"

#include <boost/random/sobol.hpp>
#include <stdexcept>

#include "paretune/core/random.hpp"

namespace paretune::search {

namespace {

std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0x00FF00FFU) << 8) | ((x & 0xFF00FF00U) >> 8);
  x = ((x & 0x0F0F0F0FU) << 4) | ((x & 0xF0F0F0F0U) >> 4);
  x = ((x & 0x33333333U) << 2) | ((x & 0xCCCCCCCCU) >> 2);
  return ((x & 0x55555555U) << 1) | ((x & 0xAAAAAAAAU) >> 1);
}

/// Laine-Karras permutation of the reversed bits: every bit is flipped by a hash of the bits above it (nested
/// uniform scrambling). Constants of Vegdahl's improved form, quoted by Burley.
std::uint32_t owen_scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverse_bits(x);
  x ^= x * 0x3D20ADEAU;
  x += seed;
  x *= (seed >> 16) | 1U;
  x ^= x * 0x05526C56U;
  x ^= x * 0x53A22864U;
  return reverse_bits(x);
}

}  // namespace

struct SobolSequence::Engine {
  explicit Engine(std::size_t dimensions) : sobol(dimensions) {}
  boost::random::sobol sobol;
  bool started = false;
};

SobolSequence::SobolSequence(std::size_t dimensions, std::uint64_t seed) {
  if (dimensions == 0 || dimensions > kMaxDimensions) {
    throw std::invalid_argument("SobolSequence: 1 to " + std::to_string(kMaxDimensions) + " dimensions");
  }
  engine_ = std::make_unique<Engine>(dimensions);
  core::Random random(core::derive_seed(seed, "sobol"));
  for (std::size_t d = 0; d < dimensions; ++d)
    scrambles_.push_back(static_cast<std::uint32_t>(random.next() >> 32));
}

SobolSequence::~SobolSequence() = default;
SobolSequence::SobolSequence(SobolSequence&&) noexcept = default;
SobolSequence& SobolSequence::operator=(SobolSequence&&) noexcept = default;

std::vector<double> SobolSequence::next() {
  std::vector<double> point(scrambles_.size());
  // Boost leaves out the first point, 0; after scrambling it is as good as any and keeps blocks of 2^k
  // complete.
  const bool first = !engine_->started;
  engine_->started = true;
  for (std::size_t d = 0; d < point.size(); ++d) {
    const std::uint64_t bits = first ? 0 : engine_->sobol();
    point[d] = owen_scramble(static_cast<std::uint32_t>(bits >> 32), scrambles_[d]) * 0x1p-32;
  }
  return point;
}

}  // namespace paretune::search
