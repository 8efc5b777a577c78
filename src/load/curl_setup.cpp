#include "load/curl_setup.hpp"

#include <mutex>

#include "paretune/core/text.hpp"

namespace paretune::load {

namespace {
// A server that closes idle connections does so after 5 s (uvicorn's default); reuse must stay below that.
constexpr long kMaxIdleConnectionAgeS = 4;
constexpr long kReceiveBufferBytes = 64L << 10;
constexpr const char* kLoopback = "localhost,127.0.0.1,::1";
}  // namespace

void require_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

bool curl_has_tls() {
  require_curl();
  return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_SSL) != 0;
}

CurlList request_headers(const EndpointAddress& address) {
  CurlList list;
  const auto add = [&list](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return;
    (void)list.release();
    list.reset(longer);
  };
  add("Content-Type: application/json");
  // Without this, libcurl asks for leave before a large body and may wait a second for the answer.
  add("Expect:");
  if (!address.api_key.empty()) add("Authorization: Bearer " + address.api_key);
  for (const auto& [name, value] : address.headers) add(value.empty() ? name + ";" : name + ": " + value);
  return list;
}

void apply_common_options(CURL* handle, const EndpointAddress& address, const curl_slist* headers) {
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "paretune");
  curl_easy_setopt(handle, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  curl_easy_setopt(handle, CURLOPT_MAXAGE_CONN, kMaxIdleConnectionAgeS);
  // An empty proxy also switches off http_proxy and its kin.
  curl_easy_setopt(handle, CURLOPT_PROXY, address.proxy.c_str());
  curl_easy_setopt(handle, CURLOPT_NOPROXY, address.proxy.empty() ? "*" : kLoopback);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(address.timeouts.connect_s * 1e3) + 1);
  if (!address.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, address.ca_file.c_str());
  if (address.insecure) {
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

Outcome outcome_of_curl(CURLcode code, bool got_byte) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return Outcome::Tls;
    case CURLE_OPERATION_TIMEDOUT:
      return got_byte ? Outcome::TimeoutTotal : Outcome::TimeoutConnect;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
      return Outcome::BadResponse;
    default:
      return got_byte ? Outcome::Truncated : Outcome::Connect;
  }
}

std::string message_of_curl(CURLcode code, const char* text) {
  std::string message = text != nullptr && text[0] != '\0' ? text : curl_easy_strerror(code);
  return core::printable(core::trim(message));
}

std::string hint_of_curl(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
      return "give the authority's certificate as CA file, or switch verification off (the report then says "
             "so)";
    case CURLE_SSL_CACERT_BADFILE:
      return "check the CA file";
    case CURLE_SSL_CONNECT_ERROR:
      return "does the server speak https on this port?";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "check the host name";
    case CURLE_COULDNT_CONNECT:
      return "is the server running, and is this its port?";
    default:
      return {};
  }
}

std::string without_secrets(std::string text, const EndpointAddress& address) {
  const auto mask = [&text](const std::string& secret) {
    if (secret.size() < 4) return;
    for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3)) {
      text.replace(at, secret.size(), "***");
    }
  };
  mask(address.api_key);
  for (const auto& [name, value] : address.headers) {
    if (core::is_secret_name(name)) mask(value);
  }
  return text;
}

}  // namespace paretune::load
