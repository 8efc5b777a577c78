#include "load/level_list.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "paretune/core/units.hpp"

namespace paretune::load {

namespace {

constexpr std::size_t kMaxLevels = 1000;

std::optional<double> read_level(const core::Node& node, const std::string& path, const LevelLimits& limits,
                                 core::Diagnostics& diagnostics) {
  if (!node.is_number() || !std::isfinite(node.real)) {
    diagnostics.fault(node.position, path, "must be a number, not " + core::describe(node));
    return std::nullopt;
  }
  if (limits.whole && node.real != std::floor(node.real)) {
    diagnostics.fault(node.position, path, "must be a whole number, not " + node.text);
    return std::nullopt;
  }
  const bool too_small = limits.whole ? node.real < limits.low : node.real <= limits.low;
  if (too_small || node.real > limits.high) {
    diagnostics.fault(node.position, path,
                      std::string("must be ") + (limits.whole ? "at least " : "greater than ") +
                          core::format_number(limits.low) + " and at most " +
                          core::format_number(limits.high) + ", not " + node.text);
    return std::nullopt;
  }
  return node.real;
}

std::vector<double> read_list(const core::Node& node, const std::string& path, const LevelLimits& limits,
                              core::Diagnostics& diagnostics) {
  std::vector<double> levels;
  if (node.items.empty()) diagnostics.fault(node.position, path, "the list is empty");
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item = path + "[" + std::to_string(i) + "]";
    const auto level = read_level(node.items[i], item, limits, diagnostics);
    if (!level) continue;
    if (std::find(levels.begin(), levels.end(), *level) != levels.end()) {
      diagnostics.fault(node.items[i].position, item, node.items[i].text + " is listed twice");
      continue;
    }
    levels.push_back(*level);
  }
  return levels;
}

/// min, min*2, … : the powers stay exact, and max itself is a level only if it is reached.
std::vector<double> doubled(double low, double high) {
  std::vector<double> levels;
  for (double level = low; level <= high && levels.size() < kMaxLevels; level *= 2) levels.push_back(level);
  return levels;
}

std::vector<double> stepped(double low, double high, double step) {
  std::vector<double> levels;
  // From the index, not by adding up, so that 0.1 + 0.2 does not show; the slack keeps an end that divides.
  const double count = std::floor((high - low) / step + 1e-9) + 1;
  for (double i = 0; i < count && levels.size() <= kMaxLevels; ++i) {
    levels.push_back(std::round((low + i * step) * 1e9) / 1e9);
  }
  return levels;
}

std::vector<double> read_range(const core::Node& node, const std::string& path, const LevelLimits& limits,
                               core::Diagnostics& diagnostics) {
  core::MappingReader reader(node, path, diagnostics);
  const core::Node* low_node = reader.required("min");
  const core::Node* high_node = reader.required("max");
  const auto step = reader.number("step", 1e-9, limits.high);
  const auto scale = reader.string("scale");
  reader.finish();
  if (low_node == nullptr || high_node == nullptr) return {};
  const auto low = read_level(*low_node, path + ".min", limits, diagnostics);
  const auto high = read_level(*high_node, path + ".max", limits, diagnostics);
  if (!low || !high) return {};
  if (*low > *high) {
    diagnostics.fault(node.position, path,
                      "min " + low_node->text + " is greater than max " + high_node->text);
    return {};
  }
  if (scale && *scale != "log2") {
    diagnostics.fault(reader.get("scale")->position, path + ".scale",
                      "'" + *scale + "' is no scale of load levels", "use scale: log2, or step");
    return {};
  }
  if (scale && step) diagnostics.fault(node.position, path, "step and scale exclude each other");
  if (scale) return doubled(*low, *high);
  if (!step && !limits.whole) {
    diagnostics.fault(node.position, path, "needs step or scale: log2");
    return {};
  }
  if (limits.whole && step && *step != std::floor(*step)) {
    diagnostics.fault(node.position, path + ".step", "must be a whole number");
    return {};
  }
  std::vector<double> levels = stepped(*low, *high, step.value_or(1));
  if (levels.size() > kMaxLevels) {
    diagnostics.fault(node.position, path, "has more than " + std::to_string(kMaxLevels) + " levels",
                      "use a larger step or scale: log2");
    return {};
  }
  return levels;
}

}  // namespace

std::vector<double> read_level_list(const core::Node& node, const std::string& path,
                                    const LevelLimits& limits, core::Diagnostics& diagnostics) {
  if (node.kind == core::Node::Kind::Sequence) return read_list(node, path, limits, diagnostics);
  if (node.kind == core::Node::Kind::Mapping) return read_range(node, path, limits, diagnostics);
  const auto level = read_level(node, path, limits, diagnostics);
  return level ? std::vector<double>{*level} : std::vector<double>{};
}

}  // namespace paretune::load
