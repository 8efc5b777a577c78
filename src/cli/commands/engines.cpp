// paretune engines: the catalogue of engines and their knobs.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"

namespace paretune::cli {
namespace {

struct EnginesOptions {
  std::string kind;
  bool json = false;
};

core::Json to_json(const engine::EngineKind& kind) {
  core::Json json;
  json["kind"] = engine::to_string(kind.kind);
  json["title"] = kind.title;
  json["command"] = kind.command;
  json["ready_path"] = kind.ready_path;
  json["ready_timeout_s"] = kind.ready_timeout_s;
  json["launchable"] = kind.launchable;
  json["constraints"] = kind.constraints;
  json["knobs"] = core::Json::array();
  for (const auto& knob : kind.knobs) {
    json["knobs"].push_back({{"name", knob.name},
                             {"type", knob.type},
                             {"default", knob.default_text},
                             {"choices", knob.choices},
                             {"hot", knob.hot},
                             {"doc", knob.doc}});
  }
  return json;
}

void print_list(Io& io) {
  for (const std::string& name : engine::kind_names()) {
    const auto& kind = engine::engine_kind(*engine::kind_from(name));
    io.out << fmt::format("{:<14}{}{}\n", name, kind.title, kind.launchable ? "" : " (not launched yet)");
  }
  io.out << "\nknobs of one: paretune engines KIND\n";
}

void print_kind(const engine::EngineKind& kind, Io& io) {
  io.out << fmt::format("{}: {}\n", engine::to_string(kind.kind), kind.title);
  if (!kind.command.empty()) io.out << "command  " << core::shell_join(kind.command) << '\n';
  if (!kind.ready_path.empty()) io.out << "ready    " << kind.ready_path << '\n';
  std::size_t width = 4;
  for (const auto& knob : kind.knobs) width = std::max(width, knob.name.size());
  if (!kind.knobs.empty())
    io.out << "\n" << fmt::format("{:<{}}  {:<8}  {:<10}  what\n", "knob", width, "type", "default");
  for (const auto& knob : kind.knobs) {
    const std::string choices = knob.choices.empty() ? "" : " [" + core::join(knob.choices, ", ") + "]";
    io.out << fmt::format("{:<{}}  {:<8}  {:<10}  {}{}\n", knob.name, width, knob.type, knob.default_text,
                          knob.doc, choices);
  }
  if (!kind.constraints.empty()) io.out << "\nrules\n";
  for (const std::string& rule : kind.constraints) io.out << "  " << rule << '\n';
}

ExitCode run_engines(const EnginesOptions& options, Io& io) {
  if (options.kind.empty()) {
    if (!options.json) {
      print_list(io);
      return ExitCode::Done;
    }
    core::Json all = core::Json::array();
    for (const std::string& name : engine::kind_names())
      all.push_back(to_json(engine::engine_kind(*engine::kind_from(name))));
    io.out << all.dump(2) << '\n';
    return ExitCode::Done;
  }
  const auto kind = engine::kind_from(options.kind);
  if (!kind) {
    return report_error(io,
                        core::invalid_input("unknown engine '" + options.kind + "'",
                                            core::did_you_mean(options.kind, engine::kind_names()) +
                                                " (known: " + core::join(engine::kind_names(), ", ") + ")"));
  }
  if (options.json) {
    io.out << to_json(engine::engine_kind(*kind)).dump(2) << '\n';
  } else {
    print_kind(engine::engine_kind(*kind), io);
  }
  return ExitCode::Done;
}

}  // namespace

void add_engines_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<EnginesOptions>();
  CLI::App* command = app.add_subcommand("engines", "Known engines; knobs, defaults and rules of one");
  command->add_option("kind", options->kind, "Engine, e.g. vllm or llama.cpp")->type_name("KIND");
  command->add_flag("--json", options->json, "JSON on stdout");
  command->footer("Example:\n  paretune engines llama.cpp");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_engines(*options, context.io); };
  });
}

}  // namespace paretune::cli
