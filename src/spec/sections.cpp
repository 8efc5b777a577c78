#include "spec/sections.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "paretune/core/text.hpp"

namespace paretune::spec {

namespace {

using core::Diagnostics;
using core::MappingReader;
using core::Node;

constexpr std::size_t kLongestName = 100;
constexpr std::int64_t kMostLaunches = 1'000'000'000;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
         c == '_';
}

/// The name becomes a directory: nothing hidden, nothing that looks like a flag.
bool is_study_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

std::string name_of_file(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '-');
  name.erase(0, std::min(name.find_first_not_of(".-"), name.size()));
  if (name.size() > kLongestName) name.resize(kLongestName);
  return name.empty() ? "study" : name;
}

std::string item_path(const char* section, const Node& node, std::size_t index) {
  return node.kind == Node::Kind::Sequence ? std::string(section) + "[" + std::to_string(index) + "]"
                                           : section;
}

/// A list, or one item that stands for a list of one.
std::vector<const Node*> items_of(const Node& node) {
  std::vector<const Node*> items;
  if (node.kind == Node::Kind::Sequence) {
    for (const Node& item : node.items) items.push_back(&item);
  } else if (node.kind != Node::Kind::Null) {
    items.push_back(&node);
  }
  return items;
}

std::optional<load::Metric> metric_of(const Node& node, const std::string& path, Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::String) {
    diagnostics.fault(node.position, path, "must be the name of a metric, not " + core::describe(node));
    return std::nullopt;
  }
  core::Result<load::Metric> metric = load::parse_metric(node.text);
  if (metric) return std::move(*metric);
  diagnostics.fault(node.position, path, metric.error().message, metric.error().hint);
  return std::nullopt;
}

/// true = maximise.
std::optional<bool> read_direction(MappingReader& reader) {
  static const std::vector<std::string> kMax{"max", "maximize", "maximise"};
  static const std::vector<std::string> kMin{"min", "minimize", "minimise"};
  const std::optional<std::string> word = reader.string("direction");
  if (!word) return std::nullopt;
  if (std::find(kMax.begin(), kMax.end(), *word) != kMax.end()) return true;
  if (std::find(kMin.begin(), kMin.end(), *word) != kMin.end()) return false;
  std::string hint =
      core::did_you_mean(*word, std::array<std::string, 4>{"max", "min", "maximize", "minimize"});
  reader.diagnostics().fault(reader.get("direction")->position, reader.path_of("direction"),
                             "unknown direction '" + *word + "'",
                             hint.empty() ? "use max or min" : std::move(hint));
  return std::nullopt;
}

void warn_if_against_nature(const ObjectiveSpec& objective, const MetricUse& use, Diagnostics& diagnostics) {
  if (objective.maximize == objective.metric.higher_is_better) return;
  diagnostics.warn(use.position, use.path,
                   objective.metric.name + " is " + (objective.maximize ? "maximised" : "minimised") +
                       ", although " + (objective.metric.higher_is_better ? "higher" : "lower") +
                       " is better");
}

std::optional<ObjectiveSpec> read_objective(const Node& node, const std::string& path, MetricUse& use,
                                            Diagnostics& diagnostics) {
  const Node* named = &node;
  std::optional<bool> maximize;
  if (node.kind == Node::Kind::Mapping) {
    MappingReader reader(node, path, diagnostics);
    named = reader.required("metric");
    maximize = read_direction(reader);
    reader.finish();
    if (named == nullptr) return std::nullopt;
  }
  use = {"", named->position, named == &node ? path : path + ".metric"};
  std::optional<load::Metric> metric = metric_of(*named, use.path, diagnostics);
  if (!metric) return std::nullopt;
  use.name = metric->name;
  const bool natural = metric->higher_is_better;
  return ObjectiveSpec{std::move(*metric), maximize.value_or(natural)};
}

/// A value of the reference point: a plain number, or a text with a unit ("200ms").
std::optional<double> read_quantity(const Node& node, const load::Metric& metric, const std::string& path,
                                    Diagnostics& diagnostics) {
  if (!node.is_number() && node.kind != Node::Kind::String) {
    diagnostics.fault(node.position, path, "must be a number, not " + core::describe(node));
    return std::nullopt;
  }
  const core::Result<load::Bound> bound = load::parse_bound(metric.name + " <= " + node.text);
  if (bound) return bound->value;
  diagnostics.fault(node.position, path, bound.error().message, bound.error().hint);
  return std::nullopt;
}

std::string example_objectives() {
  return "for example objectives: [output_throughput, \"ttft:p95\"]";
}

}  // namespace

std::string read_name(const Node* node, const std::string& file, Diagnostics& diagnostics) {
  if (node == nullptr || node->kind == Node::Kind::Null) return name_of_file(file);
  // `name: 2024` and `name: 1.10` are names as written.
  const bool usable = node->kind == Node::Kind::String || node->is_number();
  if (usable && is_study_name(node->text)) return node->text;
  diagnostics.fault(node->position, "name",
                    usable ? "'" + node->text + "' cannot name a directory"
                           : "must be a text, not " + core::describe(*node),
                    "use letters, digits, '.', '-' and '_', and begin with a letter or a digit");
  return name_of_file(file);
}

std::vector<ObjectiveSpec> read_objectives(const Node* node, const Node& root, std::vector<MetricUse>& uses,
                                           Diagnostics& diagnostics) {
  const std::vector<const Node*> items = node == nullptr ? std::vector<const Node*>{} : items_of(*node);
  if (items.empty()) {
    diagnostics.fault(node == nullptr ? root.position : node->position, "objectives",
                      node == nullptr ? "is missing" : "names no metric", example_objectives());
  }
  std::vector<ObjectiveSpec> objectives;
  for (std::size_t i = 0; i < items.size(); ++i) {
    MetricUse use;
    std::optional<ObjectiveSpec> objective =
        read_objective(*items[i], item_path("objectives", *node, i), use, diagnostics);
    if (!objective) continue;
    const auto same = [&](const ObjectiveSpec& other) { return other.metric.name == objective->metric.name; };
    if (std::any_of(objectives.begin(), objectives.end(), same)) {
      diagnostics.fault(use.position, use.path, objective->metric.name + " is an objective already");
      continue;
    }
    warn_if_against_nature(*objective, use, diagnostics);
    uses.push_back(std::move(use));
    objectives.push_back(std::move(*objective));
  }
  return objectives;
}

std::vector<load::Bound> read_limits(const Node* node, std::vector<MetricUse>& uses,
                                     Diagnostics& diagnostics) {
  std::vector<load::Bound> limits;
  const std::vector<const Node*> items = node == nullptr ? std::vector<const Node*>{} : items_of(*node);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string path = item_path("limits", *node, i);
    if (items[i]->kind != Node::Kind::String) {
      diagnostics.fault(items[i]->position, path, "must be a bound, not " + core::describe(*items[i]),
                        "write METRIC <= VALUE, for example \"ttft:p95 <= 200ms\"");
      continue;
    }
    core::Result<load::Bound> bound = load::parse_bound(items[i]->text);
    if (!bound) {
      diagnostics.fault(items[i]->position, path, bound.error().message, bound.error().hint);
      continue;
    }
    for (const load::Bound& other : limits) {
      if (other.metric.name != bound->metric.name) continue;
      if (other.upper == bound->upper) {
        diagnostics.fault(items[i]->position, path,
                          "is a second " + std::string(bound->upper ? "upper" : "lower") + " limit on " +
                              other.metric.name + ", beside '" + load::to_text(other) + "'");
      } else if ((bound->upper ? bound->value : other.value) < (bound->upper ? other.value : bound->value)) {
        diagnostics.fault(items[i]->position, path,
                          "contradicts '" + load::to_text(other) + "': nothing meets both");
      }
    }
    uses.push_back({bound->metric.name, items[i]->position, path});
    limits.push_back(std::move(*bound));
  }
  return limits;
}

load::MetricValues read_reference_point(const Node* node, const std::vector<ObjectiveSpec>& objectives,
                                        Diagnostics& diagnostics) {
  load::MetricValues values;
  if (node == nullptr || node->kind == Node::Kind::Null) return values;
  if (node->kind != Node::Kind::Mapping) {
    diagnostics.fault(node->position, "reference_point", "must be a mapping, not " + core::describe(*node),
                      "for example {output_throughput: 0, \"ttft:p95\": 1000}");
    return values;
  }
  for (const core::Member& member : node->members) {
    const std::string path = "reference_point." + member.key;
    const core::Result<load::Metric> metric = load::parse_metric(member.key);
    if (!metric) {
      diagnostics.fault(member.position, path, metric.error().message, metric.error().hint);
      continue;
    }
    const auto same = [&](const ObjectiveSpec& objective) { return objective.metric.name == metric->name; };
    if (std::none_of(objectives.begin(), objectives.end(), same)) {
      diagnostics.fault(member.position, path, metric->name + " is no objective of this study");
    }
    const std::optional<double> value = read_quantity(member.value, *metric, path, diagnostics);
    if (value && !values.emplace(metric->name, *value).second) {
      diagnostics.fault(member.position, path, metric->name + " is given twice");
    }
  }
  return values;
}

SearchSpec read_search(const Node* node, Diagnostics& diagnostics) {
  SearchSpec search;
  if (node == nullptr) return search;
  MappingReader reader(*node, "search", diagnostics);
  search.method = reader.string("method").value_or(search.method);
  const auto seed = reader.integer("seed", 0, std::numeric_limits<std::int64_t>::max());
  if (seed) search.seed = static_cast<std::uint64_t>(*seed);
  reader.finish();
  return search;
}

BudgetSpec read_budget(const Node* node, Diagnostics& diagnostics) {
  BudgetSpec budget;
  if (node == nullptr) return budget;
  MappingReader reader(*node, "budget", diagnostics);
  budget.launches = reader.integer("launches", 1, kMostLaunches);
  budget.points = reader.integer("points", 1, kMostLaunches);
  budget.time_s = reader.duration_s("time");
  reader.finish();
  return budget;
}

std::optional<PriceSpec> read_price(const Node* node, Diagnostics& diagnostics) {
  if (node == nullptr || node->kind == Node::Kind::Null) return std::nullopt;
  MappingReader reader(*node, "price", diagnostics);
  PriceSpec price;
  if (node->kind == Node::Kind::Mapping) reader.required("gpu_hour");
  price.gpu_hour = reader.number("gpu_hour", 0, std::numeric_limits<double>::max()).value_or(0);
  price.currency = reader.string("currency").value_or(price.currency);
  reader.finish();
  return price;
}

}  // namespace paretune::spec
