// Records as JSON lines and as CSV.
#include <nlohmann/json.hpp>

#include "load/request_times.hpp"
#include "paretune/core/units.hpp"
#include "paretune/load/bench.hpp"

namespace paretune::load {

namespace {

using core::Json;

Json stamp_s(std::int64_t time_ns) {
  return time_ns < 0 ? Json(nullptr) : Json(static_cast<double>(time_ns) * 1e-9);
}

/// A latency of a request that did not succeed is no latency.
Json latency(const RequestRecord& record, const std::optional<double>& value_ms) {
  return record.outcome == Outcome::Ok && value_ms ? Json(*value_ms) : Json(nullptr);
}

Json record_json(const RequestRecord& record, bool open_loop) {
  return {{"index", record.index},
          {"warmup", record.warmup},
          {"outcome", to_string(record.outcome)},
          {"http_status", record.http_status == 0 ? Json(nullptr) : Json(record.http_status)},
          {"error", record.error},
          {"scheduled_s", stamp_s(record.scheduled_ns)},
          {"sent_s", stamp_s(record.sent_ns)},
          {"first_byte_s", stamp_s(record.first_byte_ns)},
          {"first_token_s", stamp_s(record.first_token_ns)},
          {"last_token_s", stamp_s(record.last_token_ns)},
          {"done_s", stamp_s(record.done_ns)},
          {"ttft_ms", latency(record, ttft_ms(record, open_loop))},
          {"tpot_ms", latency(record, tpot_ms(record))},
          {"e2e_ms", latency(record, e2e_ms(record, open_loop))},
          {"send_lag_ms", latency(record, send_lag_ms(record))},
          {"prompt_tokens", record.prompt_tokens},
          {"output_tokens", record.output_tokens},
          {"requested_prompt_tokens", record.requested_prompt_tokens},
          {"requested_output_tokens", record.requested_output_tokens},
          {"token_source", to_string(record.token_source)},
          {"cached_prompt_tokens",
           record.cached_prompt_tokens ? Json(*record.cached_prompt_tokens) : Json(nullptr)},
          {"new_connection", record.new_connection},
          {"missing_done", record.missing_done}};
}

/// Quoted where needed; text that a spreadsheet would run as a formula is defused.
std::string csv_cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return core::format_number(value.get<double>());
  if (value.is_number()) return value.dump();
  std::string text = value.get<std::string>();
  if (!text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace

std::string records_jsonl(const Window& window, bool open_loop) {
  std::string lines;
  for (const RequestRecord& record : window.records) {
    Json json = record_json(record, open_loop);
    Json events = Json::array();
    for (const TokenEvent& event : record.events) {
      events.push_back({static_cast<double>(event.time_ns) * 1e-9, event.tokens});
    }
    json["events"] = std::move(events);
    lines += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return lines;
}

std::string records_csv(const Window& window, bool open_loop) {
  std::string lines;
  const auto add_line = [&lines](const Json& json, bool keys) {
    bool first = true;
    for (const auto& [key, value] : json.items()) {
      if (!first) lines += ',';
      first = false;
      lines += keys ? key : csv_cell(value);
    }
    lines += "\n";
  };
  add_line(record_json({}, open_loop), true);
  for (const RequestRecord& record : window.records) add_line(record_json(record, open_loop), false);
  return lines;
}

}  // namespace paretune::load
