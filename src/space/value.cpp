#include "paretune/space/value.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "paretune/core/hash.hpp"
#include "paretune/core/units.hpp"

namespace paretune::space {

namespace {

/// One text per value, whatever the order of its keys and however it was spaced.
std::string canonical_json(const core::Json& json) {
  using SortedJson = nlohmann::json;
  return SortedJson(json).dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

std::string dump(const core::Json& json) {
  return json.dump(-1, ' ', false, core::Json::error_handler_t::replace);
}

}  // namespace

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

double as_number(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  throw std::invalid_argument("as_number: '" + to_text(value) + "' is no number");
}

std::string to_text(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return core::format_number(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::get<Nested>(value).json;
}

core::Json to_json(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return core::Json::parse(std::get<Nested>(value).json);
}

core::Json to_json(const std::map<std::string, Value>& values) {
  core::Json object = core::Json::object();
  for (const auto& [name, value] : values) object[name] = to_json(value);
  return object;
}

Value value_from_json(const core::Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return json.get<double>();
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_structured()) return Nested{canonical_json(json)};
  throw std::invalid_argument("value_from_json: " + dump(json) + " is no parameter value");
}

std::map<std::string, Value> values_from_json(const core::Json& json) {
  if (!json.is_object()) throw std::invalid_argument("values_from_json: " + dump(json) + " is no object");
  std::map<std::string, Value> values;
  for (const auto& [name, value] : json.items()) values.insert_or_assign(name, value_from_json(value));
  return values;
}

std::string describe(const std::map<std::string, Value>& values) {
  if (values.empty()) return "(defaults)";
  std::string text;
  for (const auto& [name, value] : values) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_text(value);
  }
  return text;
}

std::string configuration_id(const Configuration& configuration) {
  return core::short_hash(dump(to_json(configuration)));
}

}  // namespace paretune::space
