// What is asked: token lengths and prompt texts, seeded, the same bytes on every machine.
// A prompt is a row of common short English words. Each is one token (with its leading blank) in the usual
// byte-pair vocabularies, so n words are about n tokens, plus what the chat template adds; the true count
// comes back in `usage`.
#pragma once

#include <cstdint>
#include <string>

#include "paretune/core/random.hpp"
#include "paretune/load/workload.hpp"

namespace paretune::load {

/// One length, at least 1 and within [min, max] of the model; a normal is truncated by drawing again.
std::uint32_t draw_length(const LengthModel& model, core::Random& random);

/// `words` words. Two prompts of different seed or index share no more than a few leading words, so that a
/// prefix cache has nothing to reuse; equal seed and index give equal bytes.
std::string make_prompt(std::uint64_t seed, std::uint64_t index, std::uint32_t words);

/// The JSON body of one streaming request (usage asked for). Fields a server does not know are ignored by the
/// usual ones.
std::string make_body(Api api, const std::string& model, const std::string& prompt,
                      std::uint32_t max_output_tokens, const Workload& workload);

}  // namespace paretune::load
