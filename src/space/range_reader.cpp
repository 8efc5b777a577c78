#include <algorithm>
#include <cmath>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "space/section_detail.hpp"

namespace paretune::space::detail {

namespace {

using core::Node;

constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53
constexpr double kMostLevels = 1e9;                          // more is a typing error, and codes stay exact

/// The parts of a range as the file gives them.
struct RangeText {
  const Node* min = nullptr;
  const Node* max = nullptr;
  const Node* step = nullptr;
  Scale scale = Scale::Linear;
  bool has_scale = false;
  bool integer = true;
};

class RangeReader {
 public:
  RangeReader(core::MappingReader& reader, const Node& node, const std::string& path)
      : reader_(reader), node_(node), path_(path) {}

  std::optional<RangeResult> read() {
    text_.min = number("min", true);
    text_.max = number("max", true);
    text_.step = number("step", false);
    read_scale();
    read_type();
    if (ok_) check_bounds();
    if (ok_ && text_.step != nullptr) check_step();
    if (ok_ && text_.scale != Scale::Linear) check_log();
    if (!ok_) return std::nullopt;
    RangeResult result{make_domain(), text_.scale};
    if (!ok_) return std::nullopt;
    return result;
  }

 private:
  void fault(const Node& at, std::string_view key, std::string message, std::string hint = {}) {
    reader_.diagnostics().fault(at.position, key.empty() ? path_ : reader_.path_of(key), std::move(message),
                                std::move(hint));
    ok_ = false;
  }

  const Node* number(std::string_view key, bool needed) {
    const Node* found = reader_.get(key);
    if (found == nullptr) {
      if (needed) fault(node_, key, "is missing", "a range needs min and max");
      return nullptr;
    }
    if (found->is_number() && std::isfinite(found->real)) return found;
    fault(*found, key, "must be a number, not " + core::describe(*found));
    return nullptr;
  }

  void read_scale() {
    const Node* found = reader_.get("scale");
    if (found == nullptr) return;
    static const std::vector<std::string> kNames{"linear", "log", "log2"};
    const auto name = std::find(kNames.begin(), kNames.end(), found->text);
    if (found->kind != Node::Kind::String || name == kNames.end()) {
      fault(*found, "scale", "must be linear, log or log2, not " + core::describe(*found),
            core::did_you_mean(found->text, kNames));
      return;
    }
    text_.has_scale = true;
    text_.scale = *name == "linear" ? Scale::Linear : *name == "log" ? Scale::Log : Scale::Log2;
  }

  void read_type() {
    const auto whole = [](const Node* node) { return node == nullptr || node->kind == Node::Kind::Integer; };
    text_.integer = whole(text_.min) && whole(text_.max) && whole(text_.step);
    const Node* found = reader_.get("type");
    if (found == nullptr) return;
    if (found->kind == Node::Kind::String && found->text == "real") {
      text_.integer = false;
    } else if (found->kind == Node::Kind::String && (found->text == "integer" || found->text == "int")) {
      for (const auto& [key, node] :
           {std::pair{"min", text_.min}, {"max", text_.max}, {"step", text_.step}}) {
        if (node != nullptr && node->real != std::floor(node->real)) {
          fault(*node, key, "must be a whole number for type integer, not " + node->text);
        }
      }
      text_.integer = true;
    } else {
      fault(*found, "type", "must be integer or real, not " + core::describe(*found));
    }
  }

  void check_bounds() {
    if (text_.min->real > text_.max->real) {
      fault(*text_.min, "min", "is above max: " + text_.min->text + " > " + text_.max->text);
    }
    for (const Node* bound : {text_.min, text_.max}) {
      if (text_.integer && std::fabs(bound->real) > kLargestExactInteger) {
        fault(*bound, "",
              bound->text + " is beyond 2^53, where neighbouring whole numbers can no longer be told apart");
      }
    }
  }

  void check_step() {
    if (!(text_.step->real > 0)) fault(*text_.step, "step", "must be above 0, not " + text_.step->text);
    if (text_.scale != Scale::Linear) {
      fault(*text_.step, "step",
            "does not go with scale " + std::string(text_.scale == Scale::Log ? "log" : "log2"),
            "leave one of them out");
    }
  }

  void check_log() {
    if (text_.min->real > 0) return;
    fault(*text_.min, "min", "must be above 0 on a logarithmic scale, not " + text_.min->text);
  }

  Domain make_domain() {
    if (text_.integer && text_.scale == Scale::Log2) return power_range();
    if (text_.integer || text_.step != nullptr) return stepped_range();
    return RealRange{text_.min->real, text_.max->real, text_.scale};
  }

  Domain power_range() {
    PowerRange range;
    range.min = static_cast<std::int64_t>(text_.min->real);
    range.max = static_cast<std::int64_t>(text_.max->real);
    std::int64_t last = range.min;
    for (range.count = 1; last <= range.max / 2; ++range.count) last *= 2;
    warn_if_not_reached(static_cast<double>(last), "by doubling");
    return range;
  }

  Domain stepped_range() {
    SteppedRange range;
    range.min = text_.min->real;
    range.max = text_.max->real;
    range.step = text_.step == nullptr ? 1 : text_.step->real;
    range.integer = text_.integer;
    range.decimals = text_.integer ? 0 : std::max(decimals(range.min), decimals(range.step));
    // (0.95 - 0.9) / 0.01 is 4.999…: a step that ends within a millionth of max is meant to reach it.
    const double steps = std::floor((range.max - range.min) / range.step + 1e-6);
    if (steps >= kMostLevels) {
      fault(node_, "", "has " + core::format_number(steps + 1) + " values",
            "use a larger step, or scale: log2");
      return range;
    }
    range.count = static_cast<std::size_t>(steps) + 1;
    warn_if_not_reached(as_number(level_at(range, range.count - 1).value),
                        "by steps of " + core::format_number(range.step));
    return range;
  }

  /// Digits after the point in the shortest text of a number: 0.01 -> 2.
  static int decimals(double value) {
    const std::string text = core::format_number(value);
    const std::size_t point = text.find('.');
    const std::size_t exponent = text.find("e-");
    int digits =
        point == std::string::npos ? 0 : static_cast<int>(std::min(text.find('e'), text.size()) - point - 1);
    if (exponent != std::string::npos) digits += std::stoi(text.substr(exponent + 2));
    return digits;
  }

  void warn_if_not_reached(double last, const std::string& how) {
    if (last == text_.max->real) return;
    reader_.diagnostics().warn(
        text_.max->position, reader_.path_of("max"),
        text_.max->text + " is not reached " + how + "; the last value is " + core::format_number(last));
  }

  core::MappingReader& reader_;
  const Node& node_;
  const std::string& path_;
  RangeText text_;
  bool ok_ = true;
};

}  // namespace

std::optional<RangeResult> read_range(core::MappingReader& reader, const core::Node& node,
                                      const std::string& path) {
  return RangeReader(reader, node, path).read();
}

}  // namespace paretune::space::detail
