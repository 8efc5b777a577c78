#include <algorithm>
#include <cmath>

#include "paretune/core/diagnostics.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::core {

namespace {

const Node& empty_mapping() {
  static const Node node = [] {
    Node made;
    made.kind = Node::Kind::Mapping;
    return made;
  }();
  return node;
}

std::string wanted(std::string_view what, const Node& node) {
  return "must be " + std::string(what) + ", not " + describe(node);
}

/// Text of a scalar that may stand where a string is wanted: `name: 2024` means "2024", exactly as written.
const std::string* text_of(const Node& node) {
  return node.kind == Node::Kind::String || node.is_number() ? &node.text : nullptr;
}

template <class T, class Format>
std::string out_of_range(const Node& node, T low, T high, T lowest, T highest, Format format) {
  std::string bounds = "must be between " + format(low) + " and " + format(high);
  if (high == highest) bounds = "must be at least " + format(low);
  if (high != highest && low == lowest) bounds = "must be at most " + format(high);
  return bounds + ", not " + node.text;
}

}  // namespace

MappingReader::MappingReader(const Node& node, std::string path, Diagnostics& diagnostics)
    : node_(node.kind == Node::Kind::Mapping ? node : empty_mapping()),
      path_(std::move(path)),
      diagnostics_(diagnostics) {
  if (node.kind != Node::Kind::Mapping && node.kind != Node::Kind::Null) {
    diagnostics_.fault(node.position, path_, wanted("a mapping", node));
  }
}

const Node* MappingReader::get(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return node_.find(key);
}

const Node* MappingReader::required(std::string_view key) {
  const Node* found = get(key);
  if (found == nullptr) diagnostics_.fault(node_.position, path_of(key), "is missing");
  return found;
}

std::optional<std::string> MappingReader::string(std::string_view key) {
  const Node* found = get(key);
  if (found == nullptr) return std::nullopt;
  if (const std::string* text = text_of(*found)) return *text;
  diagnostics_.fault(found->position, path_of(key), wanted("a text", *found));
  return std::nullopt;
}

std::optional<bool> MappingReader::boolean(std::string_view key) {
  const Node* found = get(key);
  if (found == nullptr) return std::nullopt;
  if (found->kind == Node::Kind::Boolean) return found->boolean;
  diagnostics_.fault(found->position, path_of(key), wanted("true or false", *found));
  return std::nullopt;
}

std::optional<std::int64_t> MappingReader::integer(std::string_view key, std::int64_t low,
                                                   std::int64_t high) {
  using Bounds = std::numeric_limits<std::int64_t>;
  const Node* found = get(key);
  if (found == nullptr) return std::nullopt;
  // 1e4 is a whole number too, however it is written.
  const bool whole = found->kind == Node::Kind::Integer ||
                     (found->kind == Node::Kind::Real && std::fabs(found->real) < 9e15 &&
                      found->real == std::floor(found->real));
  if (!whole) {
    diagnostics_.fault(found->position, path_of(key), wanted("a whole number", *found));
    return std::nullopt;
  }
  const std::int64_t value =
      found->kind == Node::Kind::Integer ? found->integer : static_cast<std::int64_t>(found->real);
  if (value >= low && value <= high) return value;
  const auto format = [](std::int64_t bound) { return std::to_string(bound); };
  diagnostics_.fault(found->position, path_of(key),
                     out_of_range(*found, low, high, Bounds::min(), Bounds::max(), format));
  return std::nullopt;
}

std::optional<double> MappingReader::number(std::string_view key, double low, double high) {
  using Bounds = std::numeric_limits<double>;
  const Node* found = get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number() || !std::isfinite(found->real)) {
    diagnostics_.fault(found->position, path_of(key), wanted("a number", *found));
    return std::nullopt;
  }
  if (found->real >= low && found->real <= high) return found->real;
  const double lowest = low == Bounds::lowest() ? low : -Bounds::infinity();
  const double highest = high == Bounds::max() ? high : Bounds::infinity();
  diagnostics_.fault(found->position, path_of(key),
                     out_of_range(*found, low, high, lowest, highest, format_number));
  return std::nullopt;
}

std::optional<double> MappingReader::duration_s(std::string_view key) {
  const Node* found = get(key);
  if (found == nullptr) return std::nullopt;
  const std::string* text = text_of(*found);
  if (text == nullptr) {
    diagnostics_.fault(found->position, path_of(key), wanted("a duration such as 90s or 10m", *found));
    return std::nullopt;
  }
  const bool plain = found->is_number();
  const Result<double> seconds = plain && std::isfinite(found->real) && found->real >= 0
                                     ? Result<double>(found->real)
                                     : parse_duration_s(*text);
  if (seconds && *seconds > 0) return *seconds;
  diagnostics_.fault(found->position, path_of(key),
                     seconds ? "must be longer than 0, not " + *text : seconds.error().message,
                     seconds ? "" : seconds.error().hint);
  return std::nullopt;
}

std::optional<std::vector<std::string>> MappingReader::strings(std::string_view key) {
  const Node* found = get(key);
  if (found == nullptr) return std::nullopt;
  if (const std::string* text = text_of(*found)) return std::vector<std::string>{*text};
  if (found->kind != Node::Kind::Sequence) {
    diagnostics_.fault(found->position, path_of(key), wanted("a list of texts", *found));
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < found->items.size(); ++i) {
    const std::string* text = text_of(found->items[i]);
    if (text != nullptr) {
      texts.push_back(*text);
      continue;
    }
    diagnostics_.fault(found->items[i].position, path_of(key) + "[" + std::to_string(i) + "]",
                       wanted("a text", found->items[i]));
  }
  if (texts.size() != found->items.size()) return std::nullopt;
  return texts;
}

std::string MappingReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void MappingReader::finish(std::initializer_list<std::string_view> also_known) {
  known_.insert(known_.end(), also_known.begin(), also_known.end());
  for (const Member& member : node_.members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    // `{min:1}` has one key, "min:1".
    const bool no_blank = member.value.kind == Node::Kind::Null && member.key.find(':') != std::string::npos;
    diagnostics_.fault(member.position, path_of(member.key), "unknown key '" + member.key + "'",
                       no_blank ? "write a blank after the colon" : did_you_mean(member.key, known_));
  }
}

}  // namespace paretune::core
