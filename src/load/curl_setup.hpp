// What every libcurl handle of ours has in common, and how its errors map to ours.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "paretune/load/endpoint.hpp"

namespace paretune::load {

struct CurlEasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;

struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;

/// Initialises libcurl once per process; safe from any thread.
void require_curl();
/// False if this libcurl was built without TLS.
bool curl_has_tls();

/// Request headers of `address` (JSON, bearer token, no Expect). The list must outlive the handles that use
/// it.
CurlList request_headers(const EndpointAddress& address);

/// Options that do not change between requests: no signals, HTTP/1.1, no proxy of the environment, TLS
/// settings.
void apply_common_options(CURL* handle, const EndpointAddress& address, const curl_slist* headers);

/// @param text     libcurl's own message (error buffer), may be empty.
/// @param got_byte whether anything of the answer had come.
Outcome outcome_of_curl(CURLcode code, bool got_byte);
std::string message_of_curl(CURLcode code, const char* text);
/// What to do about it; "" if there is nothing to say.
std::string hint_of_curl(CURLcode code);

/// Replaces the API key and the values of secret-looking headers of `address` by "***".
std::string without_secrets(std::string text, const EndpointAddress& address);

}  // namespace paretune::load
