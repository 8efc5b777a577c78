// paretune init: a commented study for what is found on this machine.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/environment_check.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/engine/catalog.hpp"
#include "paretune/probe/environment.hpp"

namespace paretune::cli {
namespace {

struct InitOptions {
  std::string engine, model, output;
  bool force = false;
};

/// What is installed here, best guess first; the simulated server always works.
std::string found_engine() {
  for (const char* name : {"vllm", "sglang", "llama.cpp"}) {
    const auto& kind = engine::engine_kind(*engine::kind_from(name));
    if (!kind.command.empty() && !find_program(kind.command.front()).empty()) return name;
  }
  return "sim";
}

std::string engine_section(const std::string& kind, const std::string& model) {
  std::string text = "engine:\n  kind: " + kind + "\n";
  if (kind == "endpoint") {
    return text + "  url: http://127.0.0.1:8000   # a server that is running already: live settings only\n";
  }
  if (kind == "command") {
    text += "  command: [my-server, --model, \"{model}\", --host, \"{host}\", --port, \"{port}\"]\n";
  }
  const std::string name = model.empty() ? (kind == "sim" ? "sim-8b" : "${MODEL_PATH}") : model;
  text += "  model: " + name +
          (model.empty() && kind != "sim" ? "   # set MODEL_PATH, or write the path or name here" : "") +
          "\n";
  if (kind == "llama.cpp")
    text += "  args: {ctx-size: 8192}    # fixed flags, the same for every configuration\n";
  if (kind == "vllm" || kind == "sglang") {
    text += "  gpus: tensor-parallel-size   # number or expression: feeds per-GPU metrics and money\n";
    text += "  ready: {timeout: 20m}        # loading weights and capturing graphs takes minutes\n";
  }
  return text;
}

std::string space_section(const std::string& kind, int cpus, int gpus) {
  if (kind == "endpoint") return "";
  std::string text =
      "\n# Restart parameters: each new combination is one server launch. Names are the engine's own "
      "flags.\nspace:\n";
  if (kind == "llama.cpp") {
    text += "  parallel: [1, 2, 4, 8]        # slots: requests served at once\n";
    text += "  ubatch-size: [128, 256, 512]\n";
    text += fmt::format("  threads: [{}]\n", cpus > 1 ? fmt::format("{}, {}", (cpus + 1) / 2, cpus) : "1");
    text += "  flash-attn: [\"on\", \"off\"]\n";
    text += "  cache-type-k: {values: [f16, q8_0], when: \"flash-attn == on\"}\n";
  } else if (kind == "vllm" || kind == "sim") {
    std::string tp = "1";
    for (int n = 2; n <= (kind == "sim" ? 2 : gpus); n *= 2) tp += ", " + std::to_string(n);
    text += "  tensor-parallel-size: [" + tp + "]\n";
    text += "  max-num-seqs: [16, 64, 256]\n";
    text += "  max-num-batched-tokens: {min: 2048, max: 8192, scale: log2}\n";
    text += "constraints: [\"max-num-batched-tokens >= max-num-seqs\"]\n";
  } else if (kind == "sglang") {
    text += "  tensor-parallel-size: [1]\n";
    text += "  max-running-requests: [16, 64, 256]\n  chunked-prefill-size: [2048, 4096, 8192]\n";
  } else {
    text += "  # my-flag: [1, 2, 4]\n";
    text = "\n# space:\n  # my-flag: [1, 2, 4]   # each combination is one server launch\n";
  }
  return text;
}

std::string study_text(const std::string& kind, const std::string& model, int cpus, int gpus) {
  std::string text =
      "# A paretune study. Check it: paretune validate FILE. Count it: paretune plan FILE. Run it: paretune "
      "tune FILE.\n";
  text += "name: " + kind + "-study\n";
  text += engine_section(kind, model);
  text += space_section(kind, cpus, gpus);
  text += R"(
workload:
  prompt_tokens: {mean: 128, stdev: 32}
  output_tokens: 64
  concurrency: [1, 2, 4, 8]   # live setting: every launch measures all of these; or rate: [0.5, 1, 2]
  warmup: 3s
  duration: 20s

objectives:
  - {metric: output_throughput, direction: max}
  - {metric: "ttft:p95", direction: min}
# limits: ["tpot:p95 <= 80ms", "error_rate <= 1%"]
# baseline: {}                # your present configuration, always measured first

search: {method: nsga2, seed: 1}
budget: {launches: 12, time: 30m}
# price: {gpu_hour: 2.5, currency: USD}
)";
  return text;
}

ExitCode run_init(const InitOptions& options, Io& io) {
  const std::string kind = options.engine.empty() ? found_engine() : options.engine;
  if (!engine::kind_from(kind)) {
    return report_error(io, core::invalid_input("unknown engine '" + kind + "'",
                                                core::did_you_mean(kind, engine::kind_names()) + " (known: " +
                                                    core::join(engine::kind_names(), ", ") + ")"));
  }
  const probe::Environment machine = probe::describe_environment();
  const std::string text =
      study_text(kind, options.model, machine.cpus, static_cast<int>(machine.gpus.size()));
  if (options.output.empty()) {
    io.out << text;
    return ExitCode::Done;
  }
  if (std::filesystem::exists(options.output) && !options.force) {
    return report_error(
        io, core::invalid_input("'" + options.output + "' exists already", "--force replaces it"));
  }
  if (auto written = core::write_file_atomically(options.output, text); !written)
    return report_error(io, written.error());
  io.err << "wrote " << options.output << " for " << kind << "; next: paretune tune "
         << core::shell_quote(options.output) << '\n';
  return ExitCode::Done;
}

}  // namespace

void add_init_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* command = app.add_subcommand("init", "Write a commented study for what is found on this machine");
  command->add_option("--engine", options->engine, "Engine kind (default: one that is installed, else sim)")
      ->type_name("K");
  command->add_option("--model", options->model, "Model path or name")->type_name("M");
  command->add_option("-o,--output", options->output, "File to write (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Replace an existing file");
  command->footer("Example:\n  paretune init --engine llama.cpp --model model.gguf -o study.yaml");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_init(*options, context.io); };
  });
}

}  // namespace paretune::cli
