// When the next request may go: the difference between a closed and an open loop, and nothing else.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "paretune/load/measure.hpp"

namespace paretune::load {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Times are ns since the start of the load.
class Pacer {
 public:
  virtual ~Pacer() = default;
  /// Due time of the request to send at once; nullopt = none now. Each call that returns a time uses that
  /// request up.
  virtual std::optional<std::int64_t> take(std::int64_t now_ns, std::size_t in_flight) = 0;
  /// When take() will have something even if nothing finishes; kNever if only a finished request can help.
  virtual std::int64_t next_due_ns(std::size_t in_flight) const = 0;
  /// No request will ever be due again.
  virtual bool exhausted() const = 0;
  /// Due times up to `end_ns` that were never taken: a client-side queue cut off at the end.
  virtual std::vector<std::int64_t> left_over(std::int64_t end_ns) const = 0;
  /// The most that can be in flight together, for preparing.
  virtual std::size_t batch() const = 0;
  /// How many requests there will be, where that is known.
  virtual std::optional<std::size_t> total() const = 0;
};

std::unique_ptr<Pacer> make_pacer(const Workload& workload, const LoadLevel& level, std::uint64_t seed);

}  // namespace paretune::load
