#include "paretune/load/workload.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "load/level_list.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

namespace paretune::load {

namespace {

constexpr std::int64_t kMaxTokens = 10'000'000;
constexpr std::int64_t kMaxConcurrency = 1'000'000;
constexpr double kMaxRate = 1e7;
constexpr double kNoLimit = std::numeric_limits<double>::max();

/// {mean, stdev, min, max}: without a mean it is uniform between min and max.
void read_length_mapping(const core::Node& node, const std::string& path, core::Diagnostics& diagnostics,
                         LengthModel& model) {
  core::MappingReader reader(node, path, diagnostics);
  const auto mean = reader.number("mean", 1, static_cast<double>(kMaxTokens));
  const auto stdev = reader.number("stdev", 0, static_cast<double>(kMaxTokens));
  const auto low = reader.integer("min", 1, kMaxTokens);
  const auto high = reader.integer("max", 1, kMaxTokens);
  reader.finish();
  const bool has_mean = node.find("mean") != nullptr;
  if (node.find("stdev") != nullptr && !has_mean) {
    diagnostics.fault(node.position, path, "stdev needs a mean", "write {mean: 128, stdev: 32}");
  } else if (!has_mean && (node.find("min") == nullptr || node.find("max") == nullptr)) {
    diagnostics.fault(node.position, path, "needs mean, or min and max",
                      "write 128, {mean: 128, stdev: 32} or {min: 64, max: 256}");
  }
  model.min = low.value_or(1);
  model.max = high.value_or(kMaxTokens);
  if (model.min > model.max) {
    diagnostics.fault(
        node.position, path,
        "min " + std::to_string(model.min) + " is greater than max " + std::to_string(model.max));
  }
  if (!has_mean) {
    model.kind = LengthModel::Kind::Uniform;
    model.mean = (static_cast<double>(model.min) + static_cast<double>(model.max)) / 2;
    model.stdev = 0;
    return;
  }
  model.mean = mean.value_or(model.mean);
  model.stdev = stdev.value_or(0);
  model.kind = model.stdev > 0 ? LengthModel::Kind::Normal : LengthModel::Kind::Fixed;
  if (model.mean < static_cast<double>(model.min) || model.mean > static_cast<double>(model.max)) {
    diagnostics.fault(node.position, path,
                      "mean " + core::format_number(model.mean) + " lies outside [" +
                          std::to_string(model.min) + ", " + std::to_string(model.max) + "]");
  }
}

void read_length(core::MappingReader& reader, std::string_view key, LengthModel& model) {
  const core::Node* node = reader.get(key);
  if (node == nullptr) return;
  if (node->kind == core::Node::Kind::Mapping) {
    read_length_mapping(*node, reader.path_of(key), reader.diagnostics(), model);
    return;
  }
  if (const auto fixed = reader.integer(key, 1, kMaxTokens)) {
    model = {LengthModel::Kind::Fixed, static_cast<double>(*fixed), 0, 1, kMaxTokens};
  }
}

void read_levels(core::MappingReader& reader, Workload& workload) {
  const core::Node* concurrency = reader.get("concurrency");
  const core::Node* rate = reader.get("rate");
  core::Diagnostics& diagnostics = reader.diagnostics();
  if (concurrency != nullptr && rate != nullptr) {
    diagnostics.fault(
        rate->position, reader.path_of("rate"), "stands beside concurrency; a workload has one of the two",
        "concurrency is a closed loop, rate an open one; to cap an open loop use max_concurrency");
  }
  if (concurrency != nullptr) {
    workload.concurrency =
        read_level_list(*concurrency, reader.path_of("concurrency"),
                        {.whole = true, .low = 1, .high = static_cast<double>(kMaxConcurrency)}, diagnostics);
  }
  if (rate != nullptr) {
    workload.rate = read_level_list(*rate, reader.path_of("rate"),
                                    {.whole = false, .low = 0, .high = kMaxRate}, diagnostics);
  }
}

void read_arrival(core::MappingReader& reader, Workload& workload, bool open_loop) {
  core::Diagnostics& diagnostics = reader.diagnostics();
  for (const char* key : {"max_concurrency", "arrival", "burstiness"}) {
    const core::Node* node = reader.get(key);
    if (node == nullptr || open_loop) continue;
    diagnostics.fault(node->position, reader.path_of(key), "only goes with rate (an open loop)",
                      "with concurrency a request is sent when another ends");
  }
  workload.max_concurrency = reader.integer("max_concurrency", 1, kMaxConcurrency);
  if (const auto word = reader.string("arrival")) {
    static const std::vector<std::string> kWords{"poisson", "constant", "gamma"};
    if (*word == "poisson") workload.arrival = Arrival::Poisson;
    if (*word == "constant") workload.arrival = Arrival::Constant;
    if (*word == "gamma") workload.arrival = Arrival::Gamma;
    if (std::find(kWords.begin(), kWords.end(), *word) == kWords.end()) {
      std::string hint = core::did_you_mean(*word, kWords);
      diagnostics.fault(reader.get("arrival")->position, reader.path_of("arrival"),
                        "unknown arrival '" + *word + "'",
                        hint.empty() ? "use poisson, constant or gamma" : std::move(hint));
    }
  }
  if (const auto shape = reader.number("burstiness", 1e-3, 1e6)) {
    workload.burstiness = *shape;
    if (open_loop && workload.arrival != Arrival::Gamma) {
      diagnostics.fault(reader.get("burstiness")->position, reader.path_of("burstiness"),
                        "only goes with arrival: gamma", "add arrival: gamma, or leave burstiness out");
    }
  }
}

/// Warm-up may be 0, which MappingReader::duration_s refuses.
void read_warmup(core::MappingReader& reader, Workload& workload) {
  const core::Node* node = reader.get("warmup");
  if (node == nullptr) return;
  if (node->is_number() && node->real == 0) {
    workload.warmup_s = 0;
    return;
  }
  if (node->kind == core::Node::Kind::String) {
    if (const auto seconds = core::parse_duration_s(node->text); seconds && *seconds == 0) return;
  }
  workload.warmup_s = reader.duration_s("warmup").value_or(0);
}

void read_window(core::MappingReader& reader, const core::Node& node, Workload& workload) {
  read_warmup(reader, workload);
  workload.duration_s = reader.duration_s("duration");
  workload.requests = reader.integer("requests", 1, 1'000'000'000);
  if (node.find("duration") == nullptr && node.find("requests") == nullptr) {
    reader.diagnostics().fault(node.position, reader.path_of("duration"), "is missing",
                               "give duration: 20s, requests: 100, or both");
  }
}

void read_slo(core::MappingReader& reader, Workload& workload) {
  const core::Node* node = reader.get("slo");
  const auto texts = reader.strings("slo");
  if (!texts || node == nullptr) return;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const bool listed = node->kind == core::Node::Kind::Sequence;
    const core::Position position = listed ? node->items[i].position : node->position;
    const std::string path = reader.path_of("slo") + (listed ? "[" + std::to_string(i) + "]" : "");
    auto bound = parse_request_bound((*texts)[i]);
    if (!bound) {
      reader.diagnostics().fault(position, path, bound.error().message, bound.error().hint);
      continue;
    }
    const auto same = [&](const Bound& other) { return other.metric.name == bound->metric.name; };
    if (std::any_of(workload.slo.begin(), workload.slo.end(), same)) {
      reader.diagnostics().fault(position, path, "a second bound on " + bound->metric.name);
      continue;
    }
    workload.slo.push_back(std::move(*bound));
  }
}

void read_dataset(core::MappingReader& reader, Workload& workload) {
  const core::Node* node = reader.get("dataset");
  if (node == nullptr) return;
  core::Diagnostics& diagnostics = reader.diagnostics();
  const std::string path = reader.path_of("dataset");
  if (node->kind == core::Node::Kind::String) {
    workload.dataset_kind = node->text;
  } else {
    core::MappingReader dataset(*node, path, diagnostics);
    workload.dataset_kind = dataset.string("kind").value_or("random");
    workload.dataset_file = dataset.string("file").value_or("");
    dataset.finish();
  }
  if (workload.dataset_kind != "random") {
    diagnostics.fault(node->position, path + ".kind",
                      "'" + workload.dataset_kind + "' is no kind of dataset of this version",
                      "the only kind is random (seeded prompts of the asked lengths)");
  }
  if (workload.dataset_file.empty()) return;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(workload.dataset_file, ignored)) {
    diagnostics.fault(node->position, path + ".file", "there is no file '" + workload.dataset_file + "'");
  } else if (workload.dataset_kind == "random") {
    diagnostics.fault(node->position, path + ".file", "a random dataset reads no file", "leave it out");
  }
}

/// Of one request. A time-out that was not given keeps its default.
void read_timeouts(core::MappingReader& reader, Workload& workload) {
  const core::Node* node = reader.get("timeouts");
  if (node == nullptr) return;
  core::MappingReader timeouts(*node, reader.path_of("timeouts"), reader.diagnostics());
  Timeouts& target = workload.timeouts;
  target.connect_s = timeouts.duration_s("connect").value_or(target.connect_s);
  target.first_token_s = timeouts.duration_s("first_token").value_or(target.first_token_s);
  target.gap_s = timeouts.duration_s("gap").value_or(target.gap_s);
  target.total_s = timeouts.duration_s("total").value_or(target.total_s);
  timeouts.finish();
}

core::Json length_to_json(const LengthModel& model) {
  const auto number = [](double value) -> core::Json {
    if (value == std::floor(value)) return static_cast<std::int64_t>(value);
    return value;
  };
  if (model.kind == LengthModel::Kind::Uniform) return {{"min", model.min}, {"max", model.max}};
  const bool bounded = model.min != 1 || model.max != kMaxTokens;
  if (model.kind == LengthModel::Kind::Fixed && model.mean == std::floor(model.mean))
    return number(model.mean);
  core::Json json{{"mean", number(model.mean)}, {"stdev", number(model.stdev)}};
  if (bounded) {
    json["min"] = model.min;
    json["max"] = model.max;
  }
  return json;
}

core::Json numbers_to_json(const std::vector<double>& values) {
  core::Json json = core::Json::array();
  for (const double value : values) {
    if (value == std::floor(value) && std::fabs(value) < 1e15) {
      json.push_back(static_cast<std::int64_t>(value));
    } else {
      json.push_back(value);
    }
  }
  return json;
}

}  // namespace

const char* to_string(Arrival arrival) {
  switch (arrival) {
    case Arrival::Constant:
      return "constant";
    case Arrival::Poisson:
      return "poisson";
    case Arrival::Gamma:
      return "gamma";
  }
  return "poisson";
}

Workload read_workload(const core::Node* node, core::Diagnostics& diagnostics) {
  Workload workload;
  workload.prompt_tokens.max = workload.output_tokens.max = kMaxTokens;
  if (node == nullptr || node->kind == core::Node::Kind::Null) {
    diagnostics.fault(
        node == nullptr ? core::Position{} : node->position, "workload", "is missing",
        "for example workload: {prompt_tokens: 128, output_tokens: 64, concurrency: [1, 4], duration: 20s}");
    return workload;
  }
  core::MappingReader reader(*node, "workload", diagnostics);
  if (node->kind != core::Node::Kind::Mapping) return workload;
  read_length(reader, "prompt_tokens", workload.prompt_tokens);
  read_length(reader, "output_tokens", workload.output_tokens);
  read_levels(reader, workload);
  if (node->find("concurrency") == nullptr && node->find("rate") == nullptr) {
    diagnostics.fault(
        node->position, "workload.concurrency", "is missing",
        "give concurrency: [1, 2, 4, 8] (closed loop) or rate: [0.5, 1, 2] (requests/s, open loop)");
  }
  // With neither given, that fault is enough: do not blame the arrival keys as well.
  read_arrival(reader, workload, node->find("rate") != nullptr || node->find("concurrency") == nullptr);
  read_window(reader, *node, workload);
  read_slo(reader, workload);
  workload.temperature = reader.number("temperature", 0, kNoLimit).value_or(workload.temperature);
  workload.ignore_eos = reader.boolean("ignore_eos").value_or(workload.ignore_eos);
  read_dataset(reader, workload);
  read_timeouts(reader, workload);
  reader.finish();
  return workload;
}

core::Json to_json(const Workload& workload) {
  core::Json json;
  json["prompt_tokens"] = length_to_json(workload.prompt_tokens);
  json["output_tokens"] = length_to_json(workload.output_tokens);
  if (!workload.levels().empty()) json[workload.live_name()] = numbers_to_json(workload.levels());
  if (workload.open_loop()) {
    json["arrival"] = to_string(workload.arrival);
    if (workload.arrival == Arrival::Gamma) json["burstiness"] = workload.burstiness;
    if (workload.max_concurrency) json["max_concurrency"] = *workload.max_concurrency;
  }
  json["warmup"] = workload.warmup_s;
  if (workload.duration_s) json["duration"] = *workload.duration_s;
  if (workload.requests) json["requests"] = *workload.requests;
  if (!workload.slo.empty()) {
    for (const Bound& bound : workload.slo) json["slo"].push_back(to_text(bound));
  }
  json["temperature"] = workload.temperature;
  json["ignore_eos"] = workload.ignore_eos;
  if (workload.dataset_kind != "random") {
    json["dataset"] = {{"kind", workload.dataset_kind}, {"file", workload.dataset_file}};
  }
  json["timeouts"] = {{"connect", workload.timeouts.connect_s},
                      {"first_token", workload.timeouts.first_token_s},
                      {"gap", workload.timeouts.gap_s},
                      {"total", workload.timeouts.total_s}};
  return json;
}

}  // namespace paretune::load
