#include "paretune/search/ask_tell.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "paretune/core/diagnostics.hpp"
#include "paretune/core/json.hpp"
#include "search/ask_tell_front.hpp"
#include "search/ask_tell_problem.hpp"

namespace paretune::search {

namespace {

using core::Json;
using core::Node;

/// One ask may not wish for more than this: a larger number is a mistake, and answering it would take all
/// memory.
constexpr std::int64_t kMaxAsk = 100'000;

/// Failures that say nothing about the configuration, only about this live setting (design §7).
const std::set<std::string, std::less<>> kPointFailures{"timeout", "timeout_measure", "not_measured",
                                                        "too_many_errors", "invalid_point"};

Json point_json(const Proposal& proposal) {
  return Json{{"id", proposal.id},
              {"configuration", space::to_json(proposal.point.configuration)},
              {"live", space::to_json(proposal.point.live)}};
}

}  // namespace

class AskTell::Session {
 public:
  Session(AskTellProblem setup, std::unique_ptr<Searcher> searcher)
      : setup_(std::move(setup)), searcher_(std::move(searcher)) {}

  core::Result<std::optional<std::string>> answer(std::string_view line) {
    const core::Result<Node> root = parse_line(line);
    if (!root) return root.error();
    const Node* ask = root->find("ask");
    const Node* tell = root->find("tell");
    const Node* front = root->find("front");
    const int kinds = (ask != nullptr ? 1 : 0) + (tell != nullptr ? 1 : 0) + (front != nullptr ? 1 : 0);
    if (kinds != 1) return core::invalid_input("a line must have one of ask, tell and front");
    if (ask != nullptr) return answer_ask(*root);
    if (tell != nullptr) return take_tell(*tell);
    if (front->kind != Node::Kind::Boolean || !front->boolean)
      return core::invalid_input("front: must be true");
    return std::optional(front_json(setup_, told_, issued_).dump());
  }

 private:
  core::Result<std::optional<std::string>> answer_ask(const Node& root) {
    core::Diagnostics diagnostics;
    core::MappingReader reader(root, "", diagnostics);
    const std::optional<std::int64_t> wanted = reader.integer("ask", 1, kMaxAsk);
    if (!wanted) return faults_of(diagnostics);
    std::size_t count = static_cast<std::size_t>(*wanted);
    if (setup_.problem.budget_points) count = std::min(count, *setup_.problem.budget_points - issued_);
    Json points = Json::array();
    for (Proposal& proposal : searcher_->ask({count, running_})) {
      points.push_back(point_json(proposal));
      const std::uint64_t id = proposal.id;
      pending_.emplace(id, std::move(proposal));
      ++issued_;
    }
    return std::optional(Json{{"points", std::move(points)}}.dump());
  }

  /// All entries are checked before the first one counts.
  core::Result<std::optional<std::string>> take_tell(const Node& list) {
    core::Diagnostics diagnostics;
    if (list.kind != Node::Kind::Sequence) return core::invalid_input("tell: must be a list");
    std::vector<TellEntry> entries;
    std::set<std::uint64_t> ids;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      core::MappingReader reader(list.items[i], "tell[" + std::to_string(i) + "]", diagnostics);
      std::optional<TellEntry> entry = read_entry(reader);
      if (!entry) continue;
      if (!ids.insert(entry->observation.id).second) {
        diagnostics.fault({}, reader.path_of("id"), "the id is there twice");
      }
      entries.push_back(std::move(*entry));
    }
    if (!diagnostics.ok()) return faults_of(diagnostics);
    for (TellEntry& entry : entries) apply(std::move(entry));
    return std::optional<std::string>();
  }

  struct TellEntry {
    Observation observation;
    std::map<std::string, std::optional<double>> metrics;
    std::string failure;  ///< "" = measured
  };

  std::optional<TellEntry> read_entry(core::MappingReader& reader) {
    TellEntry entry;
    reader.required("id");
    const std::optional<std::int64_t> id = reader.integer("id", 1, std::numeric_limits<std::int64_t>::max());
    if (!id) return std::nullopt;
    entry.observation.id = static_cast<std::uint64_t>(*id);
    const auto proposal = pending_.find(entry.observation.id);
    if (proposal == pending_.end()) {
      const bool known = entry.observation.id <= issued_;
      reader.diagnostics().fault({}, reader.path_of("id"),
                                 std::to_string(*id) + (known ? " was told before" : " was not asked for"));
      return std::nullopt;
    }
    entry.observation.point = proposal->second.point;
    entry.observation.seconds = reader.number("seconds", 0, std::numeric_limits<double>::max()).value_or(0);
    const Node* metrics = reader.get("metrics");
    const Node* failed = reader.get("failed");
    if ((metrics == nullptr) == (failed == nullptr)) {
      reader.diagnostics().fault({}, reader.path_of("metrics"), "give either metrics or failed");
      return std::nullopt;
    }
    const bool fine =
        metrics != nullptr ? read_measured(*metrics, reader, entry) : read_failure(*failed, reader, entry);
    return fine ? std::optional(std::move(entry)) : std::nullopt;
  }

  bool read_measured(const Node& metrics, core::MappingReader& reader, TellEntry& entry) {
    const std::string path = reader.path_of("metrics");
    core::MappingReader check(metrics, path, reader.diagnostics());
    if (metrics.kind != Node::Kind::Mapping) return false;
    entry.metrics = read_metrics(metrics);
    std::set<std::string> required;
    for (const Objective& objective : setup_.problem.objectives) required.insert(objective.metric);
    for (const Limit& limit : setup_.problem.limits) required.insert(limit.metric);
    bool complete = true;
    for (const std::string& metric : required) {
      if (entry.metrics.contains(metric)) continue;
      complete = false;
      const bool given = metrics.find(metric) != nullptr;
      reader.diagnostics().fault({}, path,
                                 "'" + metric + (given ? "' must be a number or null" : "' is missing"));
    }
    if (!complete) return false;
    if (const std::optional<Judged> judged = judge(setup_.problem, entry.metrics)) {
      entry.observation.cost = judged->cost;
      entry.observation.violation = judged->violation;
    } else {
      entry.observation.failure = FailureScope::Point;
      entry.failure = "not_measured";
    }
    return read_deviations(reader, entry);
  }

  bool read_deviations(core::MappingReader& reader, TellEntry& entry) {
    const Node* node = reader.get("sd");
    if (node == nullptr) return true;
    core::MappingReader sd(*node, reader.path_of("sd"), reader.diagnostics());
    std::vector<double> deviations;
    for (const Objective& objective : setup_.problem.objectives) {
      if (const auto value = sd.number(objective.metric, 0, std::numeric_limits<double>::max()))
        deviations.push_back(*value);
    }
    // Some known and others not is as good as unknown.
    if (deviations.size() == setup_.problem.objectives.size()) entry.observation.sd = deviations;
    return reader.diagnostics().ok();
  }

  bool read_failure(const Node& failed, core::MappingReader& reader, TellEntry& entry) {
    if (failed.kind != Node::Kind::String) {
      reader.diagnostics().fault({}, reader.path_of("failed"), "must be a text such as \"out_of_memory\"");
      return false;
    }
    entry.failure = failed.text;
    entry.observation.failure =
        kPointFailures.contains(failed.text) ? FailureScope::Point : FailureScope::Launch;
    const Node* scope = reader.get("scope");
    if (scope == nullptr) return true;
    if (scope->text == "launch") {
      entry.observation.failure = FailureScope::Launch;
    } else if (scope->text == "point") {
      entry.observation.failure = FailureScope::Point;
    } else {
      reader.diagnostics().fault({}, reader.path_of("scope"), "must be launch or point");
      return false;
    }
    return true;
  }

  void apply(TellEntry entry) {
    const Observation& observation = entry.observation;
    searcher_->tell({&observation, 1});
    running_ = observation.point.configuration;
    if (observation.failure == FailureScope::Launch) running_.reset();
    pending_.erase(observation.id);
    told_.push_back({observation, std::move(entry.metrics), std::move(entry.failure)});
  }

  AskTellProblem setup_;
  std::unique_ptr<Searcher> searcher_;
  std::map<std::uint64_t, Proposal> pending_;
  std::vector<ToldPoint> told_;
  std::size_t issued_ = 0;
  std::optional<space::Configuration> running_;  ///< the server that is up, as far as the tells say
};

core::Result<AskTell> AskTell::start(std::string_view first_line) {
  core::Result<AskTellProblem> setup = read_ask_tell_problem(first_line);
  if (!setup) return setup.error();
  core::Result<std::unique_ptr<Searcher>> searcher = make_searcher(setup->method, setup->problem);
  if (!searcher) return searcher.error();
  return AskTell(std::make_unique<Session>(std::move(*setup), std::move(*searcher)));
}

std::optional<std::string> AskTell::answer(std::string_view line) {
  core::Result<std::optional<std::string>> answer = session_->answer(line);
  return answer ? std::move(*answer) : error_line(answer.error());
}

std::string AskTell::error_line(const core::Error& error) {
  Json json{{"error", error.message}};
  if (!error.hint.empty()) json["hint"] = error.hint;
  // Text of the line itself may not be valid UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

AskTell::AskTell(std::unique_ptr<Session> session) : session_(std::move(session)) {}
AskTell::AskTell(AskTell&&) noexcept = default;
AskTell& AskTell::operator=(AskTell&&) noexcept = default;
AskTell::~AskTell() = default;

}  // namespace paretune::search
