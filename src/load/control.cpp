// Single requests for control: health, model list, metrics. One handle per call; they are rare.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "load/curl_setup.hpp"
#include "paretune/core/text.hpp"
#include "paretune/load/openai_stream.hpp"

namespace paretune::load {

namespace {

constexpr std::size_t kMaxBody = std::size_t{64} << 20;

std::size_t append_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& body = *static_cast<std::string*>(user);
  const std::size_t bytes = size * count;
  if (body.size() + bytes > kMaxBody) return 0;
  body.append(data, bytes);
  return bytes;
}

core::ErrorCode code_of(CURLcode code) {
  if (code == CURLE_OPERATION_TIMEDOUT) return core::ErrorCode::Timeout;
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) return core::ErrorCode::InvalidInput;
  if (code == CURLE_ABORTED_BY_CALLBACK) return core::ErrorCode::Interrupted;
  return core::ErrorCode::Network;
}

constexpr int kAskEveryMs = 20;

CURLcode drive(CURLM* multi, const KeepGoing& keep_going) {
  for (int running = 1; running > 0;) {
    if (!keep_going()) return CURLE_ABORTED_BY_CALLBACK;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    if (running > 0) curl_multi_poll(multi, nullptr, 0, kAskEveryMs, nullptr);
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi, &left);
  return message == nullptr ? CURLE_FAILED_INIT : message->data.result;
}

CURLcode perform(CURL* easy, const KeepGoing& keep_going) {
  if (!keep_going) return curl_easy_perform(easy);
  CURLM* multi = curl_multi_init();
  if (multi == nullptr) return CURLE_FAILED_INIT;
  curl_multi_add_handle(multi, easy);
  const CURLcode code = drive(multi, keep_going);
  curl_multi_remove_handle(multi, easy);
  curl_multi_cleanup(multi);
  return code;
}

core::Result<HttpReply> request(const EndpointAddress& address, const std::string& url,
                                const std::string* body, double timeout_s, const KeepGoing& keep_going = {}) {
  require_curl();
  const CurlEasy handle(curl_easy_init());
  if (!handle) return core::environment_error("libcurl gives no handle");
  const CurlList headers = request_headers(address);
  apply_common_options(handle.get(), address, headers.get());
  HttpReply reply;
  std::array<char, CURL_ERROR_SIZE> error{};
  curl_easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(timeout_s * 1e3)));
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, error.data());
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, append_body);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &reply.body);
  if (body != nullptr) {
    curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDS, body->c_str());
    curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
  }
  const CURLcode code = perform(handle.get(), keep_going);
  if (code != CURLE_OK) {
    const std::string why = message_of_curl(code, error.data());
    return core::Error{code_of(code), without_secrets(url + ": " + why, address), hint_of_curl(code)};
  }
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  return reply;
}

}  // namespace

core::Result<HttpReply> http_get(const EndpointAddress& address, const std::string& url, double timeout_s,
                                 const KeepGoing& keep_going) {
  return request(address, url, nullptr, timeout_s, keep_going);
}

core::Result<HttpReply> http_post(const EndpointAddress& address, const std::string& url,
                                  const std::string& body, double timeout_s) {
  return request(address, url, &body, timeout_s);
}

core::Result<std::vector<std::string>> list_models(const EndpointAddress& address, double timeout_s,
                                                   const KeepGoing& keep_going) {
  const auto base = normalise_base_url(address.base_url);
  if (!base) return base.error();
  const std::string url = *base + "/models";
  const auto reply = http_get(address, url, timeout_s, keep_going);
  if (!reply) return reply.error();
  if (reply->status != 200) {
    const std::string detail = error_message_of(reply->body);
    return core::Error{
        core::ErrorCode::Unhealthy,
        without_secrets(url + " answered HTTP " + std::to_string(reply->status) +
                            (detail.empty() ? "" : ": " + core::printable(detail)),
                        address),
        reply->status == 401 || reply->status == 403 ? "does the server want an API key?" : ""};
  }
  const auto json = nlohmann::json::parse(reply->body, nullptr, false);
  std::vector<std::string> models;
  if (!json.is_object() || !json.contains("data") || !json["data"].is_array()) {
    return core::Error{core::ErrorCode::Unhealthy, url + " is no list of models",
                       "is this an OpenAI-style server?"};
  }
  for (const auto& entry : json["data"]) {
    if (entry.is_object() && entry.contains("id") && entry["id"].is_string()) models.push_back(entry["id"]);
  }
  return models;
}

}  // namespace paretune::load
