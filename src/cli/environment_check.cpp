#include "cli/environment_check.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"
#include "paretune/engine/server.hpp"
#include "paretune/load/endpoint.hpp"
#include "paretune/search/searcher.hpp"
#include "paretune/sim/options.hpp"

namespace paretune::cli {
namespace {

constexpr double kHelpTimeout = 60;  // vllm imports its whole stack to print its help
constexpr double kEndpointTimeout = 10;

Check ok(std::string name, std::string detail) {
  return {std::move(name), Check::State::Ok, std::move(detail), {}};
}
Check warning(std::string name, std::string detail) {
  return {std::move(name), Check::State::Warning, std::move(detail), {}};
}
Check fault(std::string name, core::Error error) {
  return {std::move(name), Check::State::Fault, error.message, std::move(error)};
}

Check check_method(const spec::StudySpec& spec) {
  search::Problem problem;
  problem.space = spec.space;
  problem.objectives.push_back({.metric = "any", .direction = search::Direction::Min});
  problem.whole_curves = true;
  auto searcher = search::make_searcher(spec.search.method, std::move(problem));
  if (!searcher) return fault("search method", searcher.error());
  return ok("search method", spec.search.method);
}

bool is_own_binary(const spec::StudySpec& spec) {
  return spec.engine.kind == engine::Kind::Sim && spec.engine.command.empty();
}

Check check_program(const spec::StudySpec& spec) {
  if (is_own_binary(spec)) return ok("engine program", "this binary (paretune sim)");
  const std::string& program = spec.engine.command.front();
  const std::string path = find_program(program);
  if (!path.empty()) return ok("engine program", path);
  return fault("engine program",
               core::environment_error("engine program '" + program + "' was not found",
                                       "install it, or give its path as engine.command: [/path/to/" +
                                           std::filesystem::path(program).filename().string() + "]"));
}

/// Only where the model is surely a file: llama.cpp takes a path.
std::optional<Check> check_model(const spec::StudySpec& spec) {
  if (spec.engine.kind != engine::Kind::LlamaCpp || spec.engine.model.empty()) return std::nullopt;
  if (std::filesystem::exists(spec.engine.model)) return ok("model file", spec.engine.model);
  return fault("model file", core::invalid_input("engine.model: '" + spec.engine.model + "' does not exist",
                                                 "give the path of a GGUF file"));
}

core::Result<std::vector<std::string>> flags_of(const engine::EngineSpec& engine_spec) {
  if (engine_spec.kind != engine::Kind::Sim) return engine::installed_flags(engine_spec, kHelpTimeout);
  std::vector<std::string> names;
  for (const sim::SimFlag& flag : sim::sim_flags()) names.push_back(flag.name);
  return names;
}

Check check_engine_flags(const spec::StudySpec& spec) {
  if (spec.engine.kind == engine::Kind::Command) return ok("engine flags", "not checked for kind command");
  const auto flags = flags_of(spec.engine);
  if (!flags || flags->empty()) {
    return warning("engine flags", "not checked: " + (flags ? "its help lists none" : flags.error().message));
  }
  if (auto known = spec::check_flags(spec, *flags); !known) return fault("engine flags", known.error());
  return ok("engine flags", fmt::format("all known ({} flags in the engine's help)", flags->size()));
}

Check check_endpoint(const spec::StudySpec& spec) {
  const load::EndpointAddress address = engine::endpoint_address(spec.engine);
  const auto models = load::list_models(address, kEndpointTimeout);
  if (!models) {
    return fault("endpoint",
                 core::environment_error(
                     "endpoint " + spec.engine.url + ": " + models.error().message,
                     models.error().hint.empty() ? "is the server running?" : models.error().hint));
  }
  return ok("endpoint", spec.engine.url + " serves " + core::join(*models, ", "));
}

Check check_descriptors(const spec::StudySpec& spec) {
  double most = 0;
  for (const double level : spec.workload.levels()) most = std::max(most, level);
  if (spec.workload.open_loop()) most = static_cast<double>(spec.workload.max_concurrency.value_or(1024));
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const double needed = most + 64;
  const std::string detail =
      fmt::format("{} open files allowed, {} connections asked for", limit.rlim_cur, most);
  if (static_cast<double>(limit.rlim_cur) >= needed) return ok("open files", detail);
  return fault("open files", core::environment_error(detail, "raise the limit: ulimit -n " +
                                                                 std::to_string(static_cast<long>(needed))));
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* path = std::getenv("PATH");
  for (const std::string& directory : core::split(path ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
  }
  return {};
}

std::vector<Check> check_study_environment(const spec::StudySpec& spec) {
  std::vector<Check> checks{check_method(spec), check_descriptors(spec)};
  if (spec.engine.kind == engine::Kind::Endpoint) {
    checks.push_back(check_endpoint(spec));
    return checks;
  }
  if (const auto model = check_model(spec)) checks.push_back(*model);
  checks.push_back(check_program(spec));
  if (checks.back().state == Check::State::Ok) checks.push_back(check_engine_flags(spec));
  return checks;
}

core::Result<void> first_fault(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    if (check.state == Check::State::Fault) return check.error;
  }
  return {};
}

}  // namespace paretune::cli
