// The requests of one window in order, with bodies made ahead of need so that sending never waits for text.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "paretune/core/random.hpp"
#include "paretune/load/endpoint.hpp"
#include "paretune/load/workload.hpp"

namespace paretune::load {

class RequestSource {
 public:
  /// Keeps a reference to `workload`. Without a base URL (virtual endpoints) the bodies stay empty.
  RequestSource(const Workload& workload, const EndpointAddress& address, std::uint64_t seed);

  /// Makes requests until `count` wait or they hold the memory limit of prepared bodies.
  void prepare(std::size_t count);
  /// The next one; made on the spot if none waits.
  Request next();
  std::size_t prepared() const { return ready_.size(); }

 private:
  Request make();

  const Workload& workload_;
  Api api_;
  std::string model_;
  bool bodies_;
  std::uint64_t prompt_seed_;
  core::Random prompt_lengths_;
  core::Random output_lengths_;
  std::uint64_t made_ = 0;
  std::deque<Request> ready_;
  std::size_t ready_bytes_ = 0;
};

}  // namespace paretune::load
