// The HTTP endpoint: one easy handle per request in flight, connections reused, times stamped as the bytes
// come in.
#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

#include "load/curl_loop.hpp"
#include "load/curl_setup.hpp"
#include "load/request_limits.hpp"
#include "paretune/load/response_reader.hpp"

namespace paretune::load {

namespace {

constexpr double kSlowestCheck_s = 0.1;

core::Duration seconds(double value) {
  return std::chrono::duration_cast<core::Duration>(std::chrono::duration<double>(value));
}

class HttpEndpoint;

/// One request in flight. The address stays the same while libcurl holds it.
struct Slot {
  HttpEndpoint* owner = nullptr;
  CurlEasy easy;
  Request request;
  ResponseReader reader;
  std::array<char, CURL_ERROR_SIZE> error{};
  bool active = false;
  std::int64_t sent_ns = 0;
};

class HttpEndpoint final : public Endpoint {
 public:
  HttpEndpoint(EndpointAddress address, std::string url, std::size_t connections)
      : address_(std::move(address)),
        url_(std::move(url)),
        headers_(request_headers(address_)),
        loop_(connections),
        epoch_(clock_.now()) {}
  ~HttpEndpoint() override { cancel_all(); }
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;

  bool usable() const { return loop_.usable(); }
  core::Clock& clock() override { return clock_; }
  void start(core::TimePoint epoch) override { epoch_ = epoch; }
  void submit(Request request, core::TimePoint scheduled) override;
  std::vector<RequestRecord> poll(core::TimePoint until) override;
  std::size_t in_flight() const override { return in_flight_; }
  std::vector<RequestRecord> cancel_all() override;
  void wake() override { loop_.wake(); }

  std::int64_t now_ns() const { return (clock_.now() - epoch_).count(); }

 private:
  Slot* take_slot();
  void release(Slot& slot);
  void take_finished();
  void finish(CURL* easy, CURLcode code);
  RequestRecord ended(Slot& slot, CURLcode code);
  void note_connection(Slot& slot, RequestRecord& record);
  void pin_address(CURL* easy);
  void check_timeouts();
  void check_timeout(Slot& slot, std::int64_t now);
  void keep(RequestRecord record);

  EndpointAddress address_;
  std::string url_;
  CurlList headers_;
  CurlList resolve_;
  core::SteadyClock clock_;
  std::deque<Slot> slots_;  // a deque: slots never move
  std::vector<Slot*> free_;
  std::unordered_map<CURL*, Slot*> by_handle_;
  CurlLoop loop_;  // after the slots: its handles are removed before they go
  core::TimePoint epoch_;
  core::TimePoint next_check_{};
  std::vector<RequestRecord> finished_;
  std::size_t in_flight_ = 0;
  bool pinned_ = false;
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& slot = *static_cast<Slot*>(user);
  const std::int64_t now = slot.owner->now_ns();
  slot.reader.on_bytes({data, size * count}, now);
  return size * count;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& slot = *static_cast<Slot*>(user);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {
    const std::int64_t now = slot.owner->now_ns();
    long status = 0;
    curl_easy_getinfo(slot.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    slot.reader.on_headers(static_cast<int>(status), now);
  }
  return size * count;
}

Slot* HttpEndpoint::take_slot() {
  if (!free_.empty()) {
    Slot* slot = free_.back();
    free_.pop_back();
    return slot;
  }
  Slot& slot = slots_.emplace_back();
  slot.owner = this;
  slot.easy.reset(curl_easy_init());
  CURL* easy = slot.easy.get();
  apply_common_options(easy, address_, headers_.get());
  curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot.error.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &slot);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &slot);
  by_handle_.emplace(easy, &slot);
  return &slot;
}

void HttpEndpoint::release(Slot& slot) {
  slot.active = false;
  slot.request = {};
  free_.push_back(&slot);
  --in_flight_;
}

void HttpEndpoint::submit(Request request, core::TimePoint scheduled) {
  Slot& slot = *take_slot();
  slot.request = std::move(request);
  slot.error[0] = '\0';
  slot.active = true;
  ++in_flight_;
  curl_easy_setopt(slot.easy.get(), CURLOPT_POSTFIELDS, slot.request.body.c_str());
  curl_easy_setopt(slot.easy.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(slot.request.body.size()));
  curl_easy_setopt(slot.easy.get(), CURLOPT_RESOLVE, resolve_.get());
  RequestRecord record;
  record.index = slot.request.index;
  record.warmup = slot.request.warmup;
  record.requested_prompt_tokens = slot.request.prompt_tokens;
  record.requested_output_tokens = slot.request.max_output_tokens;
  record.scheduled_ns = (scheduled - epoch_).count();
  record.sent_ns = slot.sent_ns = now_ns();
  slot.reader.start(std::move(record));
  loop_.add(slot.easy.get());
  loop_.drive();
}

/// After the first connection its address is used for the rest: no name lookup and no failed IPv6 try inside
/// a window.
void HttpEndpoint::pin_address(CURL* easy) {
  const char* ip = nullptr;
  long port = 0;
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &ip);
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
  if (!address_.proxy.empty() || ip == nullptr || ip[0] == '\0' || port == 0) return;
  pinned_ = true;
  CURLU* url = curl_url();
  char* host = nullptr;
  if (curl_url_set(url, CURLUPART_URL, url_.c_str(), 0) == CURLUE_OK &&
      curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK && host[0] != '[') {
    const bool v6 = std::string_view(ip).find(':') != std::string_view::npos;
    const std::string entry =
        std::string(host) + ":" + std::to_string(port) + ":" + (v6 ? "[" + std::string(ip) + "]" : ip);
    resolve_.reset(curl_slist_append(nullptr, entry.c_str()));
  }
  curl_free(host);
  curl_url_cleanup(url);
}

void HttpEndpoint::note_connection(Slot& slot, RequestRecord& record) {
  long opened = 0;
  curl_easy_getinfo(slot.easy.get(), CURLINFO_NUM_CONNECTS, &opened);
  record.new_connection = opened > 0;
  // Only an address that answered: the last one tried of a failed connect may be the wrong one.
  if (!pinned_ && record.first_byte_ns >= 0) pin_address(slot.easy.get());
}

RequestRecord HttpEndpoint::ended(Slot& slot, CURLcode code) {
  if (code == CURLE_OK) return slot.reader.end(now_ns());
  const bool got_byte = slot.reader.last_activity_ns() > slot.sent_ns;
  return slot.reader.fail(outcome_of_curl(code, got_byte), message_of_curl(code, slot.error.data()),
                          now_ns());
}

void HttpEndpoint::keep(RequestRecord record) {
  record.error = without_secrets(std::move(record.error), address_);
  finished_.push_back(std::move(record));
}

void HttpEndpoint::finish(CURL* easy, CURLcode code) {
  Slot& slot = *by_handle_.at(easy);
  RequestRecord record = ended(slot, code);
  note_connection(slot, record);
  release(slot);
  keep(std::move(record));
}

void HttpEndpoint::check_timeout(Slot& slot, std::int64_t now) {
  auto late = find_timeout(slot.reader, slot.sent_ns, now, address_.timeouts);
  if (!late) return;
  loop_.remove(slot.easy.get());
  RequestRecord record = slot.reader.fail(late->outcome, std::move(late->message), now);
  note_connection(slot, record);
  release(slot);
  keep(std::move(record));
}

void HttpEndpoint::check_timeouts() {
  const core::TimePoint now = clock_.now();
  if (now < next_check_) return;
  const Timeouts& limits = address_.timeouts;
  const double shortest = std::min({limits.first_token_s, limits.gap_s, limits.total_s});
  next_check_ = now + seconds(std::clamp(shortest / 20, 1e-3, kSlowestCheck_s));
  for (Slot& slot : slots_) {
    if (slot.active) check_timeout(slot, (now - epoch_).count());
  }
}

std::vector<RequestRecord> HttpEndpoint::poll(core::TimePoint until) {
  const auto collect = [this] {
    take_finished();
    check_timeouts();
  };
  collect();
  while (finished_.empty()) {
    const core::TimePoint wanted = in_flight_ > 0 ? std::min(until, next_check_) : until;
    const bool woken = loop_.wait(clock_, wanted);
    collect();
    if (woken || clock_.now() >= until) break;
  }
  return std::exchange(finished_, {});
}

void HttpEndpoint::take_finished() {
  loop_.take_finished([this](CURL* easy, CURLcode code) { finish(easy, code); });
}

std::vector<RequestRecord> HttpEndpoint::cancel_all() {
  take_finished();
  for (Slot& slot : slots_) {
    if (!slot.active) continue;
    loop_.remove(slot.easy.get());
    keep(slot.reader.cancel(now_ns()));
    release(slot);
  }
  return std::exchange(finished_, {});
}

}  // namespace

core::Result<std::unique_ptr<Endpoint>> make_http_endpoint(const EndpointAddress& address,
                                                           std::size_t connections) {
  auto url = request_url_of(address.base_url, address.api);
  if (!url) return url.error();
  if (url->starts_with("https:") && !curl_has_tls()) {
    return core::invalid_input("'" + address.base_url + "' needs TLS, and this libcurl was built without it");
  }
  if (auto enough = require_descriptors(connections); !enough) return enough.error();
  auto endpoint = std::make_unique<HttpEndpoint>(address, std::move(*url), connections);
  if (!endpoint->usable()) return core::environment_error("libcurl or epoll gives no handle");
  return std::unique_ptr<Endpoint>(std::move(endpoint));
}

}  // namespace paretune::load
