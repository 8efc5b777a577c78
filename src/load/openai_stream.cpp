#include "paretune/load/openai_stream.hpp"

#include <nlohmann/json.hpp>

#include "paretune/core/text.hpp"

namespace paretune::load {

namespace {

using nlohmann::json;

/// Member of an object, or nullptr; null counts as absent.
const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

void add_text(const json* piece, bool keep_text, StreamEvent& event) {
  if (piece == nullptr || !piece->is_string()) return;
  const auto& text = piece->get_ref<const std::string&>();
  event.text_bytes += text.size();
  if (keep_text) event.text += text;
}

void read_tool_calls(const json* calls, bool keep_text, StreamEvent& event) {
  if (calls == nullptr || !calls->is_array()) return;
  for (const json& call : *calls) {
    const json* function = member(call, "function");
    if (function == nullptr) continue;
    add_text(member(*function, "name"), keep_text, event);
    add_text(member(*function, "arguments"), keep_text, event);
  }
}

/// A chat delta, or the message of a whole answer.
void read_delta(const json& delta, bool keep_text, StreamEvent& event) {
  for (const char* key : {"content", "reasoning_content", "reasoning", "refusal"}) {
    add_text(member(delta, key), keep_text, event);
  }
  read_tool_calls(member(delta, "tool_calls"), keep_text, event);
  const json* content = member(delta, "content");
  if (content != nullptr && content->is_string() && event.text_bytes == 0 &&
      member(delta, "role") == nullptr) {
    event.empty_piece = true;
  }
}

std::uint32_t listed_tokens(const json& choice) {
  if (const json* ids = member(choice, "token_ids"); ids != nullptr && ids->is_array() && !ids->empty()) {
    return static_cast<std::uint32_t>(ids->size());
  }
  const json* logprobs = member(choice, "logprobs");
  if (logprobs == nullptr) return 0;
  for (const char* key : {"content", "tokens"}) {
    const json* list = member(*logprobs, key);
    if (list != nullptr && list->is_array()) return static_cast<std::uint32_t>(list->size());
  }
  return 0;
}

void read_choice(const json& choice, bool keep_text, StreamEvent& event) {
  if (!choice.is_object()) return;
  const json* reason = member(choice, "finish_reason");
  if (reason != nullptr && reason->is_string()) event.finish_reason = reason->get<std::string>();
  const json* text = member(choice, "text");
  add_text(text, keep_text, event);
  if (text != nullptr && event.text_bytes == 0) event.empty_piece = true;
  if (const json* delta = member(choice, "delta")) read_delta(*delta, keep_text, event);
  if (const json* message = member(choice, "message")) read_delta(*message, keep_text, event);
  event.known_tokens += listed_tokens(choice);
  if (!event.finish_reason.empty()) event.empty_piece = false;
}

std::optional<std::uint32_t> count_of(const json& object, const char* key) {
  const json* number = member(object, key);
  if (number == nullptr || !number->is_number()) return std::nullopt;
  const double value = number->get<double>();
  if (!(value >= 0) || value > 4e9) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

std::optional<Usage> read_usage(const json& object) {
  const json* found = member(object, "usage");
  if (found == nullptr || !found->is_object()) return std::nullopt;
  Usage usage;
  usage.prompt_tokens = count_of(*found, "prompt_tokens");
  usage.completion_tokens = count_of(*found, "completion_tokens");
  if (const json* details = member(*found, "prompt_tokens_details")) {
    usage.cached_prompt_tokens = count_of(*details, "cached_tokens");
  }
  return usage;
}

std::string message_of(const json& error) {
  if (error.is_string()) return error.get<std::string>();
  for (const char* key : {"message", "detail", "msg", "error", "type"}) {
    const json* text = member(error, key);
    if (text != nullptr && text->is_string()) return text->get<std::string>();
  }
  return error.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// {"error": …} of any shape, {"object": "error", …}, TGI's {"error_type": …}.
std::optional<std::string> read_error(const json& object) {
  if (const json* error = member(object, "error")) {
    // false, {} and "" stand for "no error" in some servers.
    const bool none = (error->is_boolean() && !error->get<bool>()) ||
                      (error->is_structured() && error->empty()) ||
                      (error->is_string() && error->get_ref<const std::string&>().empty());
    if (!none) return message_of(*error);
  }
  const json* kind = member(object, "object");
  if (kind != nullptr && kind->is_string() && *kind == "error") return message_of(object);
  return std::nullopt;
}

/// Servers may cut a character in two inside a JSON string; such bytes are replaced rather than losing the
/// event.
json parse_leniently(std::string_view text) {
  json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_discarded()) return parsed;
  return json::parse(core::printable(text), nullptr, false);
}

}  // namespace

StreamEvent read_stream_event(std::string_view text, bool keep_text) {
  StreamEvent event;
  const json object = parse_leniently(text);
  if (object.is_discarded() || !object.is_object()) return event;
  event.valid = true;
  event.error = read_error(object);
  event.usage = read_usage(object);
  const json* choices = member(object, "choices");
  if (choices != nullptr && choices->is_array()) {
    event.has_choices = !choices->empty();
    for (const json& choice : *choices) read_choice(choice, keep_text, event);
  }
  return event;
}

std::string error_message_of(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded() || !object.is_object()) return {};
  if (auto error = read_error(object)) return *error;
  for (const char* key : {"message", "detail"}) {
    const json* found = member(object, key);
    if (found != nullptr) return message_of(*found);
  }
  return {};
}

}  // namespace paretune::load
