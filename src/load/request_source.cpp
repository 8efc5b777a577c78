#include "load/request_source.hpp"

#include <algorithm>

#include "paretune/load/prompts.hpp"

namespace paretune::load {

namespace {
constexpr std::size_t kPreparedBytes = std::size_t{64} << 20;
// Requests without bodies weigh nothing; a schedule of millions is still not copied ahead.
constexpr std::size_t kPreparedRequests = 100'000;
}  // namespace

RequestSource::RequestSource(const Workload& workload, const EndpointAddress& address, std::uint64_t seed)
    : workload_(workload),
      api_(address.api),
      model_(address.model),
      bodies_(!address.base_url.empty()),
      prompt_seed_(core::derive_seed(seed, "prompts")),
      prompt_lengths_(core::derive_seed(seed, "prompt_tokens")),
      output_lengths_(core::derive_seed(seed, "output_tokens")) {}

Request RequestSource::make() {
  Request request;
  request.index = made_++;
  request.prompt_tokens = draw_length(workload_.prompt_tokens, prompt_lengths_);
  request.max_output_tokens = draw_length(workload_.output_tokens, output_lengths_);
  if (!bodies_) return request;
  request.body = make_body(api_, model_, make_prompt(prompt_seed_, request.index, request.prompt_tokens),
                           request.max_output_tokens, workload_);
  return request;
}

void RequestSource::prepare(std::size_t count) {
  while (ready_.size() < std::min(count, kPreparedRequests) && ready_bytes_ < kPreparedBytes) {
    ready_.push_back(make());
    ready_bytes_ += ready_.back().body.size();
  }
}

Request RequestSource::next() {
  if (ready_.empty()) return make();
  Request request = std::move(ready_.front());
  ready_.pop_front();
  ready_bytes_ -= request.body.size();
  return request;
}

}  // namespace paretune::load
