// The JSON of the OpenAI streaming dialect as servers really send it: one event (or one whole non-streamed
// answer) in, what matters for a measurement out. No state; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paretune::load {

struct Usage {
  std::optional<std::uint32_t> prompt_tokens;
  std::optional<std::uint32_t> completion_tokens;
  std::optional<std::uint32_t> cached_prompt_tokens;
};

struct StreamEvent {
  bool valid = false;          ///< false: no JSON object
  bool has_choices = false;    ///< the list is there and not empty
  std::size_t text_bytes = 0;  ///< generated text of any kind: content, reasoning, refusal, tool calls
  bool empty_piece = false;    ///< a piece without text that still stands for a token (see below)
  std::uint32_t known_tokens =
      0;  ///< ids or log-probabilities listed with the piece; 0 = the event does not say
  std::optional<Usage> usage;
  std::string finish_reason;  ///< empty = goes on
  std::optional<std::string> error;
  std::string text;  ///< only if asked for
};

/// Reads `choices[].delta`, `choices[].text` and, for whole answers, `choices[].message`. Any non-empty
/// content, reasoning_content, reasoning, refusal or tool-call name or arguments is generated text.
/// `empty_piece`: a completions event with "" (a special token), or a chat delta with "" and no role. Error
/// objects are recognised in all known forms.
/// @param keep_text  also return the text itself.
StreamEvent read_stream_event(std::string_view json, bool keep_text = false);

/// The message of an error body ({"error": {...}}, {"error": "..."}, {"detail": ...}, {"message": ...}); ""
/// if none.
std::string error_message_of(std::string_view json);

}  // namespace paretune::load
