#include "search/sobol_design.hpp"

#include <algorithm>

namespace paretune::search {

using space::Code;

namespace {

constexpr std::size_t kMaxMisses = 1000;

std::size_t dimensions_of(const space::Space& space) {
  return std::clamp<std::size_t>(space.axes().size(), 1, SobolSequence::kMaxDimensions);
}

}  // namespace

SobolDesign::SobolDesign(const Ledger& ledger, std::uint64_t seed)
    : ledger_(ledger),
      sequence_(dimensions_of(ledger.space()), seed),
      beyond_(core::derive_seed(seed, "beyond sobol")) {
  for (const Code& site : ledger.candidate_sites()) candidates_.push_back(place_of(ledger.space(), site));
}

std::optional<Code> SobolDesign::next() {
  if (ledger_.has_candidates()) return nearest_candidate(ledger_.site_of(decode()));
  for (std::size_t miss = 0; miss < kMaxMisses; ++miss) {
    Code site = ledger_.site_of(ledger_.space().canonical(decode()));
    if (ledger_.is_new_site(site)) return site;
  }
  return std::nullopt;
}

Code SobolDesign::decode() {
  std::vector<double> unit = sequence_.next();
  const std::size_t axes = ledger_.space().axes().size();
  while (unit.size() < axes) unit.push_back(beyond_.uniform());
  unit.resize(axes);
  return ledger_.space().from_unit(unit);
}

std::optional<Code> SobolDesign::nearest_candidate(const Code& site) const {
  const Place wanted = place_of(ledger_.space(), site);
  const Place* nearest = nullptr;
  double least = 0;
  for (const Place& candidate : candidates_) {
    const double distance = squared_distance(ledger_.space(), wanted, candidate);
    if ((nearest != nullptr && distance >= least) || !ledger_.is_new_site(candidate.code)) continue;
    nearest = &candidate;
    least = distance;
  }
  return nearest != nullptr ? std::optional(nearest->code) : std::nullopt;
}

}  // namespace paretune::search
