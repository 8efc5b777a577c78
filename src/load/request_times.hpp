// Latencies of one request, from its record. Milliseconds; nullopt where a stamp is missing or the number
// means nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "paretune/load/record.hpp"

namespace paretune::load {

std::optional<double> ttft_from_send_ms(const RequestRecord& record);
std::optional<double> e2e_from_send_ms(const RequestRecord& record);
std::optional<double> send_lag_ms(const RequestRecord& record);
/// From the due time in an open loop, from the send in a closed one.
std::optional<double> ttft_ms(const RequestRecord& record, bool open_loop);
std::optional<double> e2e_ms(const RequestRecord& record, bool open_loop);
/// (last token - first token) / (tokens - 1). Nothing under 2 tokens, or if most tokens came in one read.
std::optional<double> tpot_ms(const RequestRecord& record);

/// More than half of 8 or more tokens came in one read: the stream was held back, so gaps are not the
/// server's.
bool is_bundled(const RequestRecord& record);

/// One sample per token after the first event: k tokens after a gap g are k samples of g / k. Events of one
/// read are one.
std::vector<double> token_gaps_ms(const RequestRecord& record);
/// Raw gaps between token events.
std::vector<double> event_gaps_ms(const RequestRecord& record);

}  // namespace paretune::load
