#include "sim/api.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "paretune/core/json.hpp"
#include "sim/prompt.hpp"

namespace paretune::sim {

namespace {

using core::Json;

ApiError bad_request(std::string message, std::string param = {}) {
  ApiError error;
  error.message = std::move(message);
  error.param = std::move(param);
  return error;
}

/// Reads typed fields of a request; the first fault stays.
class FieldReader {
 public:
  explicit FieldReader(const Json& json) : json_(json) {}

  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  bool boolean(const char* name, bool fallback) {
    const Json* value = find(name);
    if (value == nullptr) return fallback;
    if (!value->is_boolean()) return fail(name, "must be true or false"), fallback;
    return value->get<bool>();
  }
  std::optional<std::int64_t> integer(const char* name, std::int64_t low) {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    const bool too_large =
        value->is_number_unsigned() &&
        value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value->is_number_integer() || too_large) return fail(name, "must be an integer"), std::nullopt;
    const auto number = value->get<std::int64_t>();
    if (number < low) {
      fail(name, "must be at least " + std::to_string(low) + ", got " + std::to_string(number));
      return std::nullopt;
    }
    return number;
  }
  void number_at_least_zero(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_number() || value->get<double>() < 0) fail(name, "must be a number of at least 0");
  }
  void fail(const char* name, const std::string& what) {
    if (!error_) error_ = bad_request(std::string(name) + " " + what, name);
  }
  const std::optional<ApiError>& error() const { return error_; }

 private:
  const Json& json_;
  std::optional<ApiError> error_;
};

std::optional<ApiError> add_content(const Json& content, PromptHasher& prompt) {
  if (content.is_null()) return std::nullopt;
  if (content.is_string()) {
    prompt.add_text(content.get_ref<const std::string&>());
    return std::nullopt;
  }
  if (!content.is_array()) return bad_request("content must be a string or a list of parts", "messages");
  for (const Json& part : content) {
    const bool text = part.is_object() && part.contains("text") && part["text"].is_string();
    if (!text) return bad_request("only text parts are supported", "messages");
    prompt.add_text(part["text"].get_ref<const std::string&>());
  }
  return std::nullopt;
}

std::optional<ApiError> read_messages(const FieldReader& fields, PromptHasher& prompt) {
  const Json* messages = fields.find("messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    return bad_request("messages must be a list with at least one message", "messages");
  }
  for (const Json& message : *messages) {
    if (!message.is_object() || !message.contains("role") || !message["role"].is_string()) {
      return bad_request("each message needs a role", "messages");
    }
    prompt.add_boundary(message["role"].get_ref<const std::string&>());
    if (!message.contains("content")) continue;
    if (auto error = add_content(message["content"], prompt)) return error;
  }
  return std::nullopt;
}

std::optional<ApiError> read_prompt(const FieldReader& fields, PromptHasher& prompt) {
  const Json* value = fields.find("prompt");
  if (value == nullptr) return bad_request("prompt is missing", "prompt");
  // A list that holds one prompt is that prompt.
  if (value->is_array() && value->size() == 1 && !value->front().is_number()) value = &value->front();
  if (value->is_string()) {
    prompt.add_text(value->get_ref<const std::string&>());
    return std::nullopt;
  }
  if (!value->is_array() || value->empty()) {
    return bad_request("prompt must be a string or a list of token ids", "prompt");
  }
  for (const Json& token : *value) {
    if (!token.is_number_unsigned()) {
      return bad_request("prompt must be one string or one list of token ids (n = 1)", "prompt");
    }
    prompt.add_token(token.get<std::uint64_t>());
  }
  return std::nullopt;
}

std::optional<ApiError> check_model(const FieldReader& fields, const SimOptions& options) {
  const Json* model = fields.find("model");
  if (model == nullptr) return std::nullopt;
  if (!model->is_string()) return bad_request("model must be a string", "model");
  const auto& name = model->get_ref<const std::string&>();
  if (name == options.model) return std::nullopt;
  return ApiError{404, "NotFoundError", "The model `" + name + "` does not exist.", "model"};
}

void read_stream_options(FieldReader& fields, GenerationRequest& request) {
  request.stream = fields.boolean("stream", false);
  const Json* options = fields.find("stream_options");
  if (options == nullptr) return;
  if (!request.stream) return fields.fail("stream_options", "is only allowed when stream is true");
  if (!options->is_object()) return fields.fail("stream_options", "must be an object");
  FieldReader inner(*options);
  request.include_usage = inner.boolean("include_usage", false);
  request.continuous_usage = inner.boolean("continuous_usage_stats", false);
  if (inner.error()) fields.fail("stream_options", "holds a bad value: " + inner.error()->message);
}

/// Sets max_tokens and min_tokens; prompt and answer must fit max-model-len.
std::optional<ApiError> read_lengths(FieldReader& fields, const SimOptions& options,
                                     GenerationRequest& request) {
  const std::int64_t prompt = request.prompt_tokens;
  const std::int64_t room = options.max_model_len - prompt;
  auto limit = request.chat ? fields.integer("max_completion_tokens", 1) : std::nullopt;
  if (!limit) limit = fields.integer("max_tokens", 1);
  const auto minimum = fields.integer("min_tokens", 0);
  if (fields.error()) return fields.error();
  if (room < 1 || (limit && *limit > room)) {
    return bad_request("This model's maximum context length is " + std::to_string(options.max_model_len) +
                           " tokens. However, you requested " + std::to_string(limit.value_or(1)) +
                           " output tokens and your prompt contains " + std::to_string(prompt) +
                           " input tokens. Please reduce the length of the prompt or of the answer.",
                       room < 1 ? (request.chat ? "messages" : "prompt") : "max_tokens");
  }
  constexpr std::int64_t kCompletionsDefault = 16;
  const std::int64_t fallback = request.chat ? room : std::min(kCompletionsDefault, room);
  request.max_tokens = static_cast<std::uint32_t>(limit.value_or(fallback));
  if (minimum && *minimum > request.max_tokens)
    return bad_request("min_tokens is greater than max_tokens", "min_tokens");
  request.min_tokens = static_cast<std::uint32_t>(minimum.value_or(0));
  return std::nullopt;
}

}  // namespace

std::variant<GenerationRequest, ApiError> parse_generation(const std::string& body, bool chat,
                                                           const SimOptions& options) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) return bad_request("the body is not valid JSON");
  if (!json.is_object()) return bad_request("the body must be a JSON object");
  FieldReader fields(json);
  if (auto error = check_model(fields, options)) return *error;

  GenerationRequest request;
  request.chat = chat;
  PromptHasher prompt;
  if (auto error = chat ? read_messages(fields, prompt) : read_prompt(fields, prompt)) return *error;
  request.prompt_tokens = prompt.tokens();
  request.block_hashes = prompt.take_block_hashes();

  read_stream_options(fields, request);
  request.ignore_eos = fields.boolean("ignore_eos", false);
  fields.number_at_least_zero("temperature");
  if (fields.integer("n", 1).value_or(1) != 1) fields.fail("n", "must be 1");
  if (auto error = read_lengths(fields, options, request)) return *error;
  if (fields.error()) return *fields.error();
  return request;
}

std::string error_body(const ApiError& error) {
  Json inner = {{"message", error.message}, {"type", error.type}, {"param", nullptr}, {"code", error.status}};
  if (!error.param.empty()) inner["param"] = error.param;
  return Json{{"error", inner}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string models_body(const SimOptions& options, std::int64_t created_unix_s) {
  const Json model = {{"id", options.model},
                      {"object", "model"},
                      {"created", created_unix_s},
                      {"owned_by", "paretune"},
                      {"root", options.model},
                      {"parent", nullptr},
                      {"max_model_len", options.max_model_len}};
  return Json{{"object", "list"}, {"data", Json::array({model})}}.dump();
}

}  // namespace paretune::sim
