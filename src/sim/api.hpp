// The OpenAI-compatible requests of the simulated server: bodies in, checked; error objects and response
// texts out. Knows neither sockets nor time. Shared by the HTTP front and the virtual twin. Source: vLLM's
// OpenAI-compatible API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "paretune/sim/options.hpp"

namespace paretune::sim {

struct ApiError {
  int status = 400;
  std::string type = "BadRequestError";
  std::string message;
  std::string param;  ///< empty: null in the answer
};
/// {"error": {"message", "type", "param", "code"}}
std::string error_body(const ApiError& error);

struct GenerationRequest {
  bool chat = true;
  bool stream = false;
  bool include_usage = false;
  bool continuous_usage = false;
  bool ignore_eos = false;
  std::uint32_t prompt_tokens = 1;
  std::vector<std::uint64_t> block_hashes;  ///< of the full blocks of the prompt
  std::uint32_t max_tokens = 16;            ///< prompt and answer fit max-model-len
  std::uint32_t min_tokens = 0;
};

/// Checks one body of /v1/chat/completions (`chat`) or /v1/completions against the server's limits.
std::variant<GenerationRequest, ApiError> parse_generation(const std::string& body, bool chat,
                                                           const SimOptions& options);

/// Tokens of a text: one for each started 8 bytes of every word. Documented as an estimate; usage reports it.
std::uint32_t count_tokens(std::string_view text);

/// Text of one generated token; short words, a blank before all but the first.
std::string_view token_text(std::uint64_t request, std::uint32_t index);

struct Usage {
  std::uint32_t prompt = 0;
  std::uint32_t completion = 0;
  std::uint32_t cached = 0;
};

/// Writes the answers of one request. `finish` is "stop" or "length".
class ResponseWriter {
 public:
  ResponseWriter(const GenerationRequest& request, std::uint64_t number, const std::string& model,
                 std::int64_t created_unix_s);

  std::string role_event() const;  ///< first event of a chat stream (no token); empty for completions
  /// One event with one token; `finish` empty unless it is the last.
  void append_token_event(std::string& out, std::uint32_t index, std::string_view finish,
                          const Usage& usage) const;
  std::string usage_event(const Usage& usage) const;
  std::string whole_body(std::string_view finish, const Usage& usage) const;

 private:
  bool chat_ = true;
  bool continuous_usage_ = false;
  std::uint64_t number_ = 0;
  std::string head_;       ///< {"id":…,"object":…,"created":…,"model":…
  std::string body_head_;  ///< the same for an answer in one piece
};

std::string models_body(const SimOptions& options, std::int64_t created_unix_s);

}  // namespace paretune::sim
