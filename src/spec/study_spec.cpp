#include "paretune/spec/study_spec.hpp"

#include <algorithm>

#include "paretune/core/text.hpp"
#include "spec/cross_checks.hpp"
#include "spec/secrets.hpp"
#include "spec/sections.hpp"
#include "spec/spelling.hpp"

namespace paretune::spec {

namespace {

using core::Diagnostics;
using core::Node;

/// Collects what the readers of all sections find, in the order in which they need each other.
class StudyReader {
 public:
  StudyReader(core::Document document, Diagnostics& diagnostics)
      : document_(std::move(document)), root_(document_.root), diagnostics_(diagnostics) {}

  StudySpec read();

 private:
  const Node* section(const char* key) const { return root_.find(key); }
  void check_keys();
  void note_positions();
  void read_space();
  void build_space();
  void read_objectives();

  core::Document document_;
  const Node& root_;
  Diagnostics& diagnostics_;
  StudySpec spec_;
  space::SpaceSection section_;
  std::vector<std::string> constraints_;
  std::vector<std::string> known_;  ///< names that expressions may use
  bool space_is_sound_ = false;
};

void StudyReader::check_keys() {
  core::MappingReader reader(root_, "", diagnostics_);
  for (const std::string& key : study_keys()) reader.get(key);
  reader.finish({"as_written"});
}

void StudyReader::note_positions() {
  const Node* engine = section("engine");
  const Node* args = engine == nullptr ? nullptr : engine->find("args");
  for (const auto& [prefix, mapping] : {std::pair{"engine.args.", args}, {"space.", section("space")}}) {
    if (mapping == nullptr) continue;
    for (const core::Member& member : mapping->members) {
      spec_.positions[prefix + member.key] = member.position;
      const Node* link = member.value.find("link");
      if (link == nullptr) continue;
      for (const Node& name : link->items) spec_.positions[prefix + name.text] = name.position;
    }
  }
}

void StudyReader::read_space() {
  const std::size_t before = diagnostics_.faults().size();
  const space::Configuration fixed = spec_.engine.fixed();
  section_ = space::read_space(section("space"), diagnostics_, fixed);
  for (const auto& [name, value] : fixed) known_.push_back(name);
  // Parameters with a fault count as known: one fault need not cause a second one.
  if (const Node* space = section("space")) {
    for (const core::Member& member : space->members) {
      if (member.value.find("link") == nullptr) known_.push_back(member.key);
    }
  }
  for (const space::Parameter& parameter : section_.parameters) known_.push_back(parameter.name);
  std::sort(known_.begin(), known_.end());
  known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
  space::SpaceSection with_live = section_;
  if (!spec_.workload.levels().empty()) with_live.parameters.push_back(live_parameter(spec_.workload));
  constraints_ = space::read_constraints(section("constraints"), with_live, fixed, diagnostics_);
  check_parameters(root_, spec_, section_, diagnostics_);
  resolve_gpus(root_, known_, spec_, diagnostics_);
  space_is_sound_ = diagnostics_.faults().size() == before && !spec_.workload.levels().empty();
}

void StudyReader::build_space() {
  if (!space_is_sound_) return;
  std::vector<space::Parameter> parameters = section_.parameters;
  parameters.push_back(live_parameter(spec_.workload));
  core::Result<space::Space> space =
      space::Space::create(std::move(parameters), section_.links, constraints_, spec_.engine.fixed());
  if (!space) {
    const Node* node = section("space");
    for (const std::string& line : core::split(space.error().message, '\n')) {
      diagnostics_.fault(node == nullptr ? root_.position : node->position, "space", line,
                         space.error().hint);
    }
    return;
  }
  spec_.space = std::move(*space);
  check_space(root_, spec_, diagnostics_);
}

void StudyReader::read_objectives() {
  std::vector<MetricUse> uses;
  spec_.objectives = spec::read_objectives(section("objectives"), root_, uses, diagnostics_);
  spec_.limits = read_limits(section("limits"), uses, diagnostics_);
  spec_.reference_point = read_reference_point(section("reference_point"), spec_.objectives, diagnostics_);
  check_metrics(spec_, uses, diagnostics_);
}

StudySpec StudyReader::read() {
  check_keys();
  if (root_.kind != Node::Kind::Mapping) return std::move(spec_);
  note_positions();
  spec_.file = document_.file;
  spec_.name = read_name(section("name"), document_.file, diagnostics_);
  spec_.engine = engine::read_engine(section("engine"), diagnostics_);
  spec_.workload = load::read_workload(section("workload"), diagnostics_);
  spec_.search = read_search(section("search"), diagnostics_);
  spec_.budget = read_budget(section("budget"), diagnostics_);
  spec_.price = read_price(section("price"), diagnostics_);
  read_space();
  read_objectives();
  spec_.baseline = read_baseline(section("baseline"), spec_, section_.parameters, diagnostics_);
  build_space();
  return std::move(spec_);
}

/// A stored study was whole when it was written: what is wrong with these keys now is wrong with the machine.
bool is_about_the_environment(const core::Fault& fault) {
  static const std::vector<std::string> kPaths{"engine.model", "engine.ca_file", "engine.api_key_env",
                                               "workload.dataset.file"};
  return std::find(kPaths.begin(), kPaths.end(), fault.path) != kPaths.end();
}

}  // namespace

const std::vector<std::string>& study_keys() {
  static const std::vector<std::string> keys{"name",     "engine",     "space",  "constraints",
                                             "workload", "objectives", "limits", "baseline",
                                             "search",   "budget",     "price",  "reference_point"};
  return keys;
}

core::Result<StudySpec> read_study(core::Document document, const std::vector<std::string>& sets) {
  Diagnostics diagnostics;
  const std::string file = document.file;
  for (const std::string& assignment : sets) {
    const core::Result<void> set = core::set_value(document, assignment);
    if (!set) diagnostics.fault({}, "", set.error().message, set.error().hint);
  }
  apply_spelling(document);
  std::vector<SecretText> secrets = find_secrets(document, diagnostics);
  core::expand_environment(document, diagnostics);
  resolve_secrets(document, secrets);
  StudySpec spec = StudyReader(std::move(document), diagnostics).read();
  if (!diagnostics.ok()) return diagnostics.to_error(file);
  spec.secrets = std::move(secrets);
  spec.warnings = diagnostics.warnings();
  return spec;
}

core::Result<StudySpec> read_stored_study(const std::string& study_json) {
  core::Result<core::Document> document = core::parse_document(study_json, "study.json");
  if (!document) return document.error();
  apply_spelling(*document);
  Diagnostics ignored;
  std::vector<SecretText> secrets = find_secrets(*document, ignored);
  core::expand_environment(*document, ignored);
  keep_references(*document, secrets);
  Diagnostics diagnostics;
  StudySpec spec = StudyReader(std::move(*document), diagnostics).read();
  Diagnostics remaining;
  for (const core::Fault& fault : diagnostics.faults()) {
    if (!is_about_the_environment(fault))
      remaining.fault(fault.position, fault.path, fault.message, fault.hint);
  }
  if (!remaining.ok()) return remaining.to_error("study.json");
  spec.secrets = std::move(secrets);
  spec.warnings = diagnostics.warnings();
  for (const core::Fault& fault : diagnostics.faults()) spec.warnings.push_back(fault);
  return spec;
}

core::Result<StudySpec> load_study(const std::string& path, const std::vector<std::string>& sets) {
  core::Result<core::Document> document = core::load_document(path);
  if (!document) return document.error();
  return read_study(std::move(*document), sets);
}

}  // namespace paretune::spec
