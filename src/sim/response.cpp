#include <spdlog/fmt/fmt.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "paretune/core/json.hpp"
#include "sim/api.hpp"

namespace paretune::sim {

namespace {

constexpr std::array<std::string_view, 32> kWords = {
    " a",   " the",  " of",   " and",  " to",  " in",    " is",   " it",   " on",   " we",   " as",
    " be",  " this", " that", " with", " for", " time",  " step", " data", " line", " work", " load",
    " run", " one",  " two",  " few",  " new", " small", " long", " good", " more", " end"};

void append_usage(std::string& out, const Usage& usage) {
  fmt::format_to(std::back_inserter(out),
                 "\"usage\":{{\"prompt_tokens\":{},\"total_tokens\":{},\"completion_tokens\":{},"
                 "\"prompt_tokens_details\":{{\"cached_tokens\":{}}}}}",
                 usage.prompt, usage.prompt + usage.completion, usage.completion, usage.cached);
}

}  // namespace

std::string_view token_text(std::uint64_t request, std::uint32_t index) {
  const std::string_view word = kWords[(request * 7 + index * 5ULL + index / 9) % kWords.size()];
  return index == 0 ? word.substr(1) : word;
}

ResponseWriter::ResponseWriter(const GenerationRequest& request, std::uint64_t number,
                               const std::string& model, std::int64_t created_unix_s)
    : chat_(request.chat), continuous_usage_(request.continuous_usage), number_(number) {
  const std::string name = core::Json(model).dump();
  const auto head = [&](std::string_view object) {
    return fmt::format(R"({{"id":"{}-{:016x}","object":"{}","created":{},"model":{})",
                       chat_ ? "chatcmpl" : "cmpl", number, object, created_unix_s, name);
  };
  head_ = head(chat_ ? "chat.completion.chunk" : "text_completion");
  body_head_ = head(chat_ ? "chat.completion" : "text_completion");
}

std::string ResponseWriter::role_event() const {
  if (!chat_) return {};
  return "data: " + head_ +
         R"(,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]})" +
         "\n\n";
}

void ResponseWriter::append_token_event(std::string& out, std::uint32_t index, std::string_view finish,
                                        const Usage& usage) const {
  out += "data: ";
  out += head_;
  out += chat_ ? R"(,"choices":[{"index":0,"delta":{"content":")" : R"(,"choices":[{"index":0,"text":")";
  out += token_text(number_, index);
  out += chat_ ? R"("},"logprobs":null,"finish_reason":)" : R"(","logprobs":null,"finish_reason":)";
  if (finish.empty()) {
    out += "null}]";
  } else {
    out += '"';
    out += finish;
    out += R"(","stop_reason":null}])";
  }
  if (continuous_usage_) {
    out += ',';
    append_usage(out, usage);
  }
  out += "}\n\n";
}

std::string ResponseWriter::usage_event(const Usage& usage) const {
  std::string out = "data: " + head_ + ",\"choices\":[],";
  append_usage(out, usage);
  return out + "}\n\n";
}

std::string ResponseWriter::whole_body(std::string_view finish, const Usage& usage) const {
  std::string text;
  for (std::uint32_t i = 0; i < usage.completion; ++i) text += token_text(number_, i);
  std::string out = body_head_;
  out += chat_ ? R"(,"choices":[{"index":0,"message":{"role":"assistant","content":")"
               : R"(,"choices":[{"index":0,"text":")";
  out += text;
  out += chat_ ? R"("},"logprobs":null,"finish_reason":")" : R"(","logprobs":null,"finish_reason":")";
  out += finish;
  out += R"(","stop_reason":null}],)";
  append_usage(out, usage);
  return out + "}";
}

}  // namespace paretune::sim
