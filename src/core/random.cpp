#include "paretune/core/random.hpp"

#include <xxhash.h>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace paretune::core {

namespace {

/// One step of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014); spreads a seed over the whole state.
std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t derive_seed(std::uint64_t root, std::string_view stream) {
  std::uint64_t mixed = XXH64(stream.data(), stream.size(), root);
  return split_mix(mixed);
}

Random::Random(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

Random::Random(const std::array<std::uint64_t, 4>& state) : state_(state) {
  if (state == std::array<std::uint64_t, 4>{}) throw std::invalid_argument("Random: the state is all zero");
}

std::uint64_t Random::next() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  return value < high ? value : std::nextafter(high, low);  // rounding may reach `high`
}

std::size_t Random::index(std::size_t n) {
  if (n == 0) throw std::invalid_argument("Random::index: n must be positive");
  // Reject the incomplete last block, so that every index has the same number of 64-bit words.
  const std::uint64_t range = n;
  const std::uint64_t unusable = (0 - range) % range;
  std::uint64_t word = next();
  while (word < unusable) word = next();
  return static_cast<std::size_t>(word % range);
}

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  if (low > high) throw std::invalid_argument("Random::integer: low is above high");
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset = span == max() ? next() : index(span + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

bool Random::chance(double probability) {
  return uniform() < probability;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  double u = 0, v = 0, s = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double factor = std::sqrt(-2 * std::log(s) / s);
  spare_normal_ = v * factor;
  has_spare_ = true;
  return u * factor;
}

double Random::exponential() {
  return -std::log1p(-uniform());
}

double Random::gamma(double shape) {
  if (!(shape > 0) || !std::isfinite(shape))
    throw std::invalid_argument("Random::gamma: shape must be positive");
  // Shapes below 1: boost by U^(1/shape) (Marsaglia & Tsang, §6).
  if (shape < 1) return gamma(shape + 1) * std::pow(1 - uniform(), 1 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace paretune::core
