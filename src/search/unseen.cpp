#include "search/unseen.hpp"

#include <utility>

namespace paretune::search {

namespace {

using space::Code;

constexpr std::uint64_t kMaxListed = 1'000'000;
constexpr std::size_t kTries = 64;           ///< before a list is made
constexpr std::size_t kTriesAlone = 20'000;  ///< where no list can be made

}  // namespace

std::optional<Code> Unseen::draw() {
  if (!listed_ && !ledger_.has_candidates()) {
    if (auto site = draw_by_rejection(kTries)) return site;
  }
  if (!listed_) make_list();
  return listable_ ? draw_from_list() : draw_by_rejection(kTriesAlone);
}

std::optional<Code> Unseen::draw_by_rejection(std::size_t tries) {
  for (std::size_t i = 0; i < tries; ++i) {
    const std::optional<Code> point = ledger_.space().sample(random_);
    if (!point) return std::nullopt;
    const Code site = ledger_.site_of(*point);
    if (ledger_.is_new_site(site)) return site;
  }
  return std::nullopt;
}

void Unseen::make_list() {
  listed_ = true;
  if (ledger_.has_candidates()) {
    list_ = ledger_.candidate_sites();
    return;
  }
  const std::optional<core::Count> count = ledger_.space().count_points();
  listable_ = count && !count->saturated() && count->as_uint64().value_or(kMaxListed + 1) <= kMaxListed;
  if (!listable_) return;
  ledger_.space().for_each_configuration([&](const Code& configuration) {
    if (ledger_.curves()) {
      list_.push_back(configuration);
    } else {
      for (Code& point : ledger_.open_points(configuration)) list_.push_back(std::move(point));
    }
    return true;
  });
}

std::optional<Code> Unseen::draw_from_list() {
  while (!list_.empty()) {
    std::swap(list_[random_.index(list_.size())], list_.back());
    const Code site = std::move(list_.back());
    list_.pop_back();
    if (ledger_.is_new_site(site)) return site;
  }
  return std::nullopt;
}

}  // namespace paretune::search
