#include "search/ask_tell_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "paretune/core/diagnostics.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::search {

namespace {

using core::Diagnostics;
using core::MappingReader;
using core::Node;

constexpr double kHuge = std::numeric_limits<double>::max();

/// What a study may say of a parameter; other keys are ignored here (design §7).
constexpr std::array<std::string_view, 10> kParameterKeys{"values", "when", "ordered", "style", "min",
                                                          "max",    "step", "scale",   "type",  "link"};

/// The space without keys that studies do not have, and the names that are marked as live.
struct CleanSpace {
  Node node;
  std::vector<std::string> live;
};

CleanSpace clean_space(const Node& space, Diagnostics& diagnostics) {
  CleanSpace clean{space, {}};
  for (core::Member& member : clean.node.members) {
    if (member.value.kind != Node::Kind::Mapping) continue;
    MappingReader reader(member.value, "space." + member.key, diagnostics);
    if (reader.boolean("live").value_or(false)) {
      const Node* link = member.value.find("link");
      if (link == nullptr) clean.live.push_back(member.key);
      for (const Node& name : link != nullptr ? link->items : std::vector<Node>{})
        clean.live.push_back(name.text);
    }
    std::erase_if(member.value.members, [](const core::Member& entry) {
      return std::find(kParameterKeys.begin(), kParameterKeys.end(), entry.key) == kParameterKeys.end();
    });
  }
  return clean;
}

space::Space read_problem_space(MappingReader& reader, Diagnostics& diagnostics) {
  const Node* node = reader.required("space");
  if (node == nullptr) return {};
  const CleanSpace clean = clean_space(*node, diagnostics);
  space::SpaceSection section = space::read_space(&clean.node, diagnostics);
  const auto constraints = space::read_constraints(reader.get("constraints"), section, {}, diagnostics);
  if (!diagnostics.ok()) return {};
  for (space::Parameter& parameter : section.parameters) {
    parameter.live = std::find(clean.live.begin(), clean.live.end(), parameter.name) != clean.live.end();
  }
  auto space = space::Space::create(section.parameters, section.links, constraints);
  if (space) return std::move(*space);
  diagnostics.fault(node->position, "space", space.error().message, space.error().hint);
  return {};
}

std::optional<Direction> read_direction(MappingReader& reader) {
  const Node* node = reader.required("direction");
  if (node == nullptr) return std::nullopt;
  if (node->text == "min" || node->text == "minimize") return Direction::Min;
  if (node->text == "max" || node->text == "maximize") return Direction::Max;
  reader.diagnostics().fault(node->position, reader.path_of("direction"),
                             "'" + node->text + "' is no direction", "write min or max");
  return std::nullopt;
}

std::vector<Objective> read_objectives(MappingReader& reader) {
  std::vector<Objective> objectives;
  const Node* list = reader.required("objectives");
  if (list == nullptr) return objectives;
  Diagnostics& diagnostics = reader.diagnostics();
  if (list->kind != Node::Kind::Sequence || list->items.empty()) {
    diagnostics.fault(list->position, "objectives",
                      "must be a list of at least one {\"metric\", \"direction\"}");
    return objectives;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    MappingReader item(list->items[i], "objectives[" + std::to_string(i) + "]", diagnostics);
    item.required("metric");
    const std::optional<std::string> metric = item.string("metric");
    const std::optional<Direction> direction = read_direction(item);
    if (!metric || !direction) continue;
    const bool twice =
        std::ranges::any_of(objectives, [&](const Objective& o) { return o.metric == *metric; });
    if (twice)
      diagnostics.fault(list->items[i].position, item.path_of("metric"), "'" + *metric + "' is there twice");
    objectives.push_back({*metric, *direction});
  }
  return objectives;
}

void read_limits(MappingReader& reader, AskTellProblem& result) {
  for (const std::string& text : reader.strings("limits").value_or(std::vector<std::string>{})) {
    const core::Result<Limit> limit = parse_limit(text);
    if (!limit) {
      reader.diagnostics().fault({}, "limits", limit.error().message, limit.error().hint);
      continue;
    }
    result.problem.limits.push_back(*limit);
    result.limit_texts.push_back(text);
  }
}

void read_budget_and_cost(MappingReader& reader, Problem& problem) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (const Node* node = reader.get("budget")) {
    MappingReader budget(*node, "budget", reader.diagnostics());
    if (const auto points = budget.integer("points", 1, kMost))
      problem.budget_points = static_cast<std::size_t>(*points);
    if (const auto launches = budget.integer("launches", 1, kMost)) {
      problem.budget_launches = static_cast<std::size_t>(*launches);
    }
  }
  if (const Node* node = reader.get("cost")) {
    MappingReader cost(*node, "cost", reader.diagnostics());
    problem.cost.launch = cost.number("launch", 0, kHuge).value_or(problem.cost.launch);
    problem.cost.measure = cost.number("measure", 0, kHuge).value_or(problem.cost.measure);
  }
}

std::map<std::string, space::Value> read_values(const Node& node, const std::string& path,
                                                Diagnostics& diagnostics) {
  std::map<std::string, space::Value> values;
  MappingReader check(node, path, diagnostics);
  for (const core::Member& member : node.members) {
    const auto level = space::read_level(member.value, check.path_of(member.key), diagnostics);
    if (level) values[member.key] = level->value;
  }
  return values;
}

/// {"configuration": {…}, "live": {…}}, or all parameters in one object.
space::Point read_point(const Node& node, const std::string& path, const space::Space& space,
                        Diagnostics& diagnostics) {
  const bool flat = node.find("configuration") == nullptr || space.find("configuration") != nullptr;
  space::Point point;
  if (!flat) {
    MappingReader reader(node, path, diagnostics);
    point.configuration =
        read_values(*reader.get("configuration"), reader.path_of("configuration"), diagnostics);
    if (const Node* live = reader.get("live"))
      point.live = read_values(*live, reader.path_of("live"), diagnostics);
    return point;
  }
  for (auto& [name, value] : read_values(node, path, diagnostics)) {
    const space::Parameter* parameter = space.find(name);
    (parameter != nullptr && parameter->live ? point.live : point.configuration)[name] = value;
  }
  return point;
}

void read_candidates(MappingReader& reader, Problem& problem) {
  const Node* list = reader.get("candidates");
  if (list == nullptr) return;
  if (list->kind != Node::Kind::Sequence || list->items.empty()) {
    reader.diagnostics().fault(list->position, "candidates", "must be a list of at least one point");
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const std::string path = "candidates[" + std::to_string(i) + "]";
    problem.candidates.push_back(read_point(list->items[i], path, problem.space, reader.diagnostics()));
  }
}

void read_prior(MappingReader& reader, Problem& problem) {
  const Node* list = reader.get("prior");
  if (list == nullptr) return;
  if (list->kind != Node::Kind::Sequence) {
    reader.diagnostics().fault(list->position, "prior",
                               "must be a list of {\"configuration\", \"live\", \"metrics\"}");
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& item = list->items[i];
    MappingReader entry(item, "prior[" + std::to_string(i) + "]", reader.diagnostics());
    const Node* metrics = entry.required("metrics");
    if (entry.required("configuration") == nullptr || metrics == nullptr) continue;
    Observation expected;
    expected.point = read_point(item, entry.path_of("configuration"), problem.space, reader.diagnostics());
    const std::optional<Judged> judged = judge(problem, read_metrics(*metrics));
    if (!judged) continue;  // a model that knows only some metrics
    expected.cost = judged->cost;
    expected.violation = judged->violation;
    problem.prior.push_back(std::move(expected));
  }
}

void read_reference(MappingReader& reader, AskTellProblem& result) {
  const Node* node = reader.get("reference_point");
  if (node == nullptr) return;
  MappingReader reference(*node, "reference_point", reader.diagnostics());
  for (const Objective& objective : result.problem.objectives) {
    const std::optional<double> value = reference.number(objective.metric, -kHuge, kHuge);
    result.reference.push_back(value && objective.direction == Direction::Max ? std::optional(-*value)
                                                                              : value);
  }
}

}  // namespace

core::Error faults_of(const Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const core::Fault& fault : diagnostics.faults()) {
    std::string text = fault.path.empty() ? fault.message : fault.path + ": " + fault.message;
    if (!fault.hint.empty()) text += " (" + fault.hint + ")";
    texts.push_back(std::move(text));
  }
  return core::invalid_input(core::join(texts, "; "));
}

core::Result<Node> parse_line(std::string_view line) {
  if (core::trim(line).empty()) return core::invalid_input("the line is empty");
  core::Result<core::Document> document = core::parse_document(line, "line.json");
  if (!document) {
    core::Error error = document.error();
    constexpr std::string_view kPlace = "line.json:1:";
    if (error.message.starts_with(kPlace)) error.message.replace(0, kPlace.size(), "column ");
    return error;
  }
  if (document->root.kind != Node::Kind::Mapping) {
    return core::invalid_input("a line must be a JSON object, not " + core::describe(document->root));
  }
  return std::move(document->root);
}

core::Result<Limit> parse_limit(std::string_view text) {
  const std::string hint = "write METRIC <= NUMBER or METRIC >= NUMBER";
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos)
    return core::invalid_input("'" + std::string(text) + "' is no limit", hint);
  Limit limit;
  limit.upper = text[at] == '<';
  limit.metric = core::trim(text.substr(0, at));
  std::string_view bound = text.substr(at + 1);
  if (!bound.empty() && bound.front() == '=') bound.remove_prefix(1);
  bound = core::trim(bound);
  const std::size_t end = bound.find_last_of("0123456789.") + 1;  // npos + 1 = 0
  const std::string unit(core::trim(bound.substr(end)));
  static const std::map<std::string, double> kUnits{
      {"", 1},      {"ms", 1},       {"s", 1000},  {"us", 0.001},     {"%", 0.01},
      {"tok/s", 1}, {"tokens/s", 1}, {"req/s", 1}, {"requests/s", 1}, {"/s", 1}};
  const auto factor = kUnits.find(unit);
  const core::Result<double> number = core::parse_number(bound.substr(0, end));
  if (limit.metric.empty() || !number) {
    return core::invalid_input("'" + std::string(text) + "' is no limit", hint);
  }
  if (factor == kUnits.end()) {
    return core::invalid_input("'" + std::string(text) + "': unknown unit '" + unit + "'",
                               "use ms, s, % or no unit");
  }
  limit.bound = *number * factor->second;
  return limit;
}

std::map<std::string, std::optional<double>> read_metrics(const Node& node) {
  std::map<std::string, std::optional<double>> metrics;
  for (const core::Member& member : node.members) {
    const Node& value = member.value;
    if (value.kind == Node::Kind::Null) metrics[member.key] = std::nullopt;
    if (value.is_number() && std::isfinite(value.real)) metrics[member.key] = value.real;
  }
  return metrics;
}

std::optional<Judged> judge(const Problem& problem,
                            const std::map<std::string, std::optional<double>>& metrics) {
  const auto value_of = [&](const std::string& metric) -> std::optional<double> {
    const auto found = metrics.find(metric);
    return found == metrics.end() ? std::nullopt : found->second;
  };
  std::vector<std::optional<double>> values;
  for (const Objective& objective : problem.objectives) values.push_back(value_of(objective.metric));
  const std::optional<std::vector<double>> cost = costs_of(problem.objectives, values);
  if (!cost) return std::nullopt;
  Judged judged{*cost, 0};
  for (const Limit& limit : problem.limits) {
    const std::optional<double> value = value_of(limit.metric);
    if (!value) return std::nullopt;
    judged.violation += violation_of(limit, *value);
  }
  return judged;
}

core::Result<AskTellProblem> read_ask_tell_problem(std::string_view line) {
  const core::Result<Node> root = parse_line(line);
  if (!root) return root.error();
  Diagnostics diagnostics;
  MappingReader reader(*root, "", diagnostics);
  AskTellProblem result;
  result.name = reader.string("name").value_or("");
  result.method = reader.string("method").value_or("nsga2");
  result.problem.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(1));
  result.problem.space = read_problem_space(reader, diagnostics);
  result.problem.objectives = read_objectives(reader);
  read_limits(reader, result);
  read_budget_and_cost(reader, result.problem);
  read_reference(reader, result);
  if (diagnostics.ok()) {  // points can be read only in a space that is right
    read_candidates(reader, result.problem);
    read_prior(reader, result.problem);
  }
  if (!diagnostics.ok()) return faults_of(diagnostics);
  return result;
}

}  // namespace paretune::search
