// The seam between the load loop and whatever answers: submit a request, poll for finished ones.
// Implementations: HTTP over libcurl multi (http_endpoint.hpp), the virtual twin of the simulated server,
// scripted ones in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/clock.hpp"
#include "paretune/core/result.hpp"
#include "paretune/load/record.hpp"
#include "paretune/load/workload.hpp"

namespace paretune::load {

struct Request {
  std::uint64_t index = 0;
  std::string body;  ///< JSON, serialised before the window opens (may be empty for virtual endpoints)
  std::uint32_t prompt_tokens = 0;
  std::uint32_t max_output_tokens = 0;
  bool warmup = false;
};

/// One thread uses it. Times in finished records are on `clock()`'s axis minus the epoch given to start().
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual core::Clock& clock() = 0;
  /// Zero of all stamps that follow.
  virtual void start(core::TimePoint epoch) = 0;
  virtual void submit(Request request, core::TimePoint scheduled) = 0;
  /// Waits until something finished or `until`, whichever is first. @return finished records, in order of
  /// completion.
  virtual std::vector<RequestRecord> poll(core::TimePoint until) = 0;
  virtual std::size_t in_flight() const = 0;
  /// Ends all open requests; their records come back as Cancelled with what they had got.
  virtual std::vector<RequestRecord> cancel_all() = 0;
  /// Makes a poll() in progress return early. The only call that may come from another thread.
  virtual void wake() {}
};

/// Where an HTTP endpoint is and how to speak to it.
struct EndpointAddress {
  std::string base_url;  ///< as given; normalised by normalise_base_url()
  Api api = Api::Chat;
  std::string model;
  std::map<std::string, std::string> headers;  ///< extra request headers
  std::string api_key;                         ///< sent as a bearer token; never logged
  std::string ca_file;
  bool insecure = false;  ///< skip TLS verification (stated in results)
  std::string proxy;      ///< empty = none; the proxy variables of the environment are never used
  Timeouts timeouts;
};

/// Base with exactly one version part: "http://h:8000/" -> "http://h:8000/v1", a final /v<digits> stays.
/// @return Error{InvalidInput}: no scheme, other scheme, bad port, IPv6 without brackets.
core::Result<std::string> normalise_base_url(std::string_view url);
/// "http://HOST:PORT" (no path) for a host given apart from its port; "::1" gets brackets, 0.0.0.0 and :: are
/// dialled as loopback.
core::Result<std::string> base_url_of(std::string_view host, int port);
/// What lies beside the version part: "http://h:8000/proxy/v1" -> "http://h:8000/proxy"; for /health and
/// /metrics.
core::Result<std::string> server_root_of(std::string_view url);
/// Where requests go: base + /chat/completions or /completions.
core::Result<std::string> request_url_of(std::string_view url, Api api);

/// Plain GET/POST for control (health, models, metrics); proxies from the environment are ignored for
/// loopback.
struct HttpReply {
  int status = 0;
  std::string body;
};
/// Asked some fifty times a second while a control request waits; false = give it up (Error{Interrupted}).
using KeepGoing = std::function<bool()>;
core::Result<HttpReply> http_get(const EndpointAddress& address, const std::string& url, double timeout_s,
                                 const KeepGoing& keep_going = {});
core::Result<HttpReply> http_post(const EndpointAddress& address, const std::string& url,
                                  const std::string& body, double timeout_s);
/// Ids of GET <base>/models.
core::Result<std::vector<std::string>> list_models(const EndpointAddress& address, double timeout_s,
                                                   const KeepGoing& keep_going = {});

/// Streaming chat/completions over HTTP. @return Error{InvalidInput} for a bad URL, Error{Environment} if no
/// handle.
core::Result<std::unique_ptr<Endpoint>> make_http_endpoint(const EndpointAddress& address,
                                                           std::size_t connections);

}  // namespace paretune::load
