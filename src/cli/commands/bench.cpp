// paretune bench: the load generator on a running endpoint.
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/signals.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/load/bench.hpp"

namespace paretune::cli {
namespace {

struct BenchFlags {
  std::string url, model, api = "chat", api_key_env, ca_file;
  std::vector<std::string> headers, slo;
  bool insecure = false, keep_eos = false, detailed = false;
  std::optional<std::int64_t> concurrency, requests;
  std::string rate, duration, warmup, arrival = "poisson";
  std::string prompt_tokens = "128", output_tokens = "128";
  double burstiness = 1;
  std::optional<std::uint64_t> seed;
  std::string json_file, records_file;
};

/// "128", "128,32" (mean, standard deviation) or "64-256" (uniform).
core::Result<load::LengthModel> parse_length(const std::string& text, const char* flag) {
  const auto bad = [&](const std::string& why) {
    return core::invalid_input(fmt::format("{} {}: {}", flag, text, why), "use N, MEAN,STDEV or LOW-HIGH");
  };
  load::LengthModel length;
  const auto comma = text.find(','), dash = text.find('-');
  const auto split = std::min(comma, dash);
  const auto first = core::parse_integer(text.substr(0, split));
  if (!first || *first < 1) return bad("not a number of tokens of at least 1");
  length.mean = static_cast<double>(*first);
  if (split == std::string::npos) return length;
  const auto second = core::parse_integer(text.substr(split + 1));
  if (!second || *second < 0) return bad("not a number of tokens");
  if (split == comma) {
    length.kind = load::LengthModel::Kind::Normal;
    length.stdev = static_cast<double>(*second);
    return length;
  }
  if (*second < *first) return bad("the high end is below the low end");
  length.kind = load::LengthModel::Kind::Uniform;
  length.min = *first;
  length.max = *second;
  length.mean = 0.5 * static_cast<double>(*first + *second);
  return length;
}

core::Result<void> set_level(const BenchFlags& flags, load::BenchOptions& bench) {
  auto& workload = bench.workload;
  if (flags.rate.empty() || core::to_lower(flags.rate) == "inf") {
    const std::int64_t concurrency = flags.concurrency.value_or(1);
    if (concurrency < 1)
      return core::invalid_input(fmt::format("--concurrency {}: must be at least 1", concurrency));
    bench.level = {.open_loop = false, .value = static_cast<double>(concurrency)};
    workload.concurrency = {bench.level.value};
    return {};
  }
  const auto rate = core::parse_number(flags.rate);
  if (!rate || !(*rate > 0)) {
    return core::invalid_input("--rate " + flags.rate + ": not a positive number of requests/s",
                               "use a number, or inf for a closed loop");
  }
  bench.level = {.open_loop = true, .value = *rate};
  workload.rate = {*rate};
  workload.max_concurrency = flags.concurrency;
  workload.burstiness = flags.burstiness;
  if (flags.arrival == "constant") workload.arrival = load::Arrival::Constant;
  if (flags.arrival == "gamma") workload.arrival = load::Arrival::Gamma;
  return {};
}

core::Result<void> set_window(const BenchFlags& flags, load::Workload& workload) {
  if (!flags.requests && flags.duration.empty()) {
    return core::invalid_input("neither --requests nor --duration is given", "e.g. --duration 30s");
  }
  if (flags.requests && *flags.requests < 1) {
    return core::invalid_input(fmt::format("--requests {}: must be at least 1", *flags.requests));
  }
  workload.requests = flags.requests;
  if (!flags.duration.empty()) {
    const auto duration = core::parse_duration_s(flags.duration);
    if (!duration) return duration.error();
    if (!(*duration > 0)) return core::invalid_input("--duration " + flags.duration + ": must be above 0");
    workload.duration_s = *duration;
  }
  if (!flags.warmup.empty()) {
    const auto warmup = core::parse_duration_s(flags.warmup);
    if (!warmup) return warmup.error();
    workload.warmup_s = *warmup;
  }
  return {};
}

core::Result<void> set_address(const BenchFlags& flags, load::EndpointAddress& address) {
  address.base_url = flags.url;
  address.model = flags.model;
  address.api = flags.api == "completions" ? load::Api::Completions : load::Api::Chat;
  address.ca_file = flags.ca_file;
  address.insecure = flags.insecure;
  for (const std::string& header : flags.headers) {
    const auto colon = header.find(':');
    if (colon == std::string::npos || colon == 0) {
      return core::invalid_input("--header '" + header + "': no colon", "use --header 'Name: value'");
    }
    address.headers[header.substr(0, colon)] =
        std::string(core::trim(std::string_view(header).substr(colon + 1)));
  }
  if (flags.api_key_env.empty()) return {};
  const char* key = std::getenv(flags.api_key_env.c_str());
  if (key == nullptr || *key == '\0') {
    return core::invalid_input("--api-key-env " + flags.api_key_env + ": the variable is not set");
  }
  address.api_key = key;
  return {};
}

core::Result<load::BenchOptions> options_of(const BenchFlags& flags) {
  load::BenchOptions bench;
  bench.seed = flags.seed;
  if (auto set = set_address(flags, bench.address); !set) return set.error();
  if (auto set = set_level(flags, bench); !set) return set.error();
  if (auto set = set_window(flags, bench.workload); !set) return set.error();
  const auto prompt = parse_length(flags.prompt_tokens, "--prompt-tokens");
  if (!prompt) return prompt.error();
  const auto output = parse_length(flags.output_tokens, "--output-tokens");
  if (!output) return output.error();
  bench.workload.prompt_tokens = *prompt;
  bench.workload.output_tokens = *output;
  bench.workload.ignore_eos = !flags.keep_eos;
  for (const std::string& text : flags.slo) {
    const auto bound = load::parse_request_bound(text);
    if (!bound) return bound.error();
    bench.workload.slo.push_back(*bound);
  }
  bench.address.timeouts = bench.workload.timeouts;
  return bench;
}

std::string metric_text(const load::Measurement& measurement, const std::string& name) {
  const auto found = measurement.metrics.find(name);
  return found == measurement.metrics.end() ? "-" : core::format_short(found->second);
}

void print_latency_table(const load::Measurement& measurement, Io& io) {
  io.out << fmt::format("\n{:<12}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}   95 % interval of p95\n", "ms", "mean",
                        "p50", "p90", "p95", "p99", "max");
  for (const char* base : {"ttft", "tpot", "itl", "e2e", "send_lag"}) {
    std::string line = fmt::format("{:<12}", base);
    for (const char* statistic : {":mean", ":p50", ":p90", ":p95", ":p99", ":max"}) {
      line += fmt::format("{:>10}", metric_text(measurement, base + std::string(statistic)));
    }
    if (const auto interval = measurement.ci95.find(base + std::string(":p95"));
        interval != measurement.ci95.end()) {
      line += fmt::format("   {} to {}", core::format_short(interval->second.first),
                          core::format_short(interval->second.second));
    }
    io.out << line << '\n';
  }
}

void print_result(const load::BenchOptions& bench, const load::BenchResult& result, Io& io) {
  const load::Measurement& measured = result.measurement;
  io.out << fmt::format("{}  model {}  {} {}\n", core::printable(bench.address.base_url),
                        core::printable(result.address.model), bench.level.open_loop ? "rate" : "concurrency",
                        core::format_short(bench.level.value));
  io.out << fmt::format("requests    {} ok, {} failed, {} cut off by the end of the window of {}\n",
                        measured.ok, measured.failed, measured.cancelled,
                        core::format_duration(measured.window_s));
  for (const auto& [outcome, count] : measured.failures)
    io.out << fmt::format("            {} x {}\n", count, outcome);
  if (!measured.first_error.empty())
    io.out << "first error " << core::printable(measured.first_error) << '\n';
  const struct {
    const char *label, *metric, *unit;
  } rows[] = {{"requests/s", "request_throughput", ""}, {"output", "output_throughput", "tok/s"},
              {"total", "total_throughput", "tok/s"},   {"per user", "output_throughput_per_user", "tok/s"},
              {"in flight", "concurrency", ""},         {"goodput", "goodput", "requests/s"}};
  for (const auto& row : rows) {
    const std::string text = metric_text(measured, row.metric);
    if (text != "-") io.out << fmt::format("{:<12}{} {}\n", row.label, text, row.unit);
  }
  print_latency_table(measured, io);
  for (const auto& finding : measured.findings) {
    io.out << fmt::format("\n{} {}: {}\n  {}\n", finding.invalidates ? "INVALID" : "finding", finding.code,
                          finding.message, finding.recommendation);
  }
}

core::Result<void> write_text(const std::string& file, const std::string& text, Io& io) {
  if (file == "-") {
    io.out << text;
    return {};
  }
  return core::write_file_atomically(file, text);
}

core::Result<void> write_files(const BenchFlags& flags, const load::BenchOptions& bench,
                               const load::BenchResult& result, Io& io) {
  if (!flags.json_file.empty()) {
    const std::string text = load::bench_json(bench, result, flags.detailed).dump(2) + "\n";
    if (auto written = write_text(flags.json_file, text, io); !written) return written;
  }
  if (flags.records_file.empty()) return {};
  const bool csv = flags.records_file.ends_with(".csv");
  return write_text(flags.records_file,
                    csv ? load::records_csv(result.window, bench.level.open_loop)
                        : load::records_jsonl(result.window, bench.level.open_loop),
                    io);
}

ExitCode run_bench_command(const BenchFlags& flags, Io& io) {
  const auto bench = options_of(flags);
  if (!bench) return report_error(io, bench.error());
  StopOnSignal signals;
  const auto progress = [&io](const load::Progress& state) {
    if (!io.err_tty) return;
    const double rate = state.elapsed_s > 0 ? static_cast<double>(state.finished) / state.elapsed_s : 0;
    io.err << fmt::format("\r\x1b[K{}  {} done  {} failed  {} in flight  {} requests/s",
                          core::format_duration(state.elapsed_s), state.finished, state.failed,
                          state.in_flight, core::format_short(rate));
    io.err.flush();
  };
  const auto result = load::run_bench(*bench, signals.token(), progress);
  if (io.err_tty) io.err << "\r\x1b[K";
  if (!result) return report_error(io, result.error());
  if (flags.json_file != "-" && flags.records_file != "-") print_result(*bench, *result, io);
  if (auto written = write_files(flags, *bench, *result, io); !written)
    return report_error(io, written.error());
  if (result->window.interrupted) return ExitCode::Interrupted;
  if (result->measurement.ok == 0) {
    return report_error(
        io, {core::ErrorCode::Internal, "no request succeeded",
             result->measurement.first_error.empty() ? "give the window more time"
                                                     : core::printable(result->measurement.first_error)});
  }
  return ExitCode::Done;
}

void add_options(CLI::App& command, BenchFlags& flags) {
  command.add_option("--url", flags.url, "Base URL, e.g. http://127.0.0.1:8000")->required()->type_name("U");
  command.add_option("--model", flags.model, "Model id (default: the only one of /v1/models)")
      ->type_name("M");
  command.add_option("--api", flags.api, "chat or completions (default chat)")
      ->check(CLI::IsMember({"chat", "completions"}))
      ->type_name("A");
  command
      .add_option("--concurrency", flags.concurrency,
                  "Closed loop: requests in flight (default 1); with --rate: cap")
      ->type_name("N");
  command.add_option("--rate", flags.rate, "Open loop: requests/s; inf = closed loop")->type_name("R");
  command.add_option("--arrival", flags.arrival, "poisson, constant or gamma (default poisson)")
      ->check(CLI::IsMember({"poisson", "constant", "gamma"}))
      ->type_name("A");
  command.add_option("--burstiness", flags.burstiness, "Shape of gamma arrivals (default 1 = Poisson)")
      ->type_name("B");
  command.add_option("--requests", flags.requests, "Measured requests")->type_name("N");
  command.add_option("--duration", flags.duration, "Measured time, e.g. 30s")->type_name("T");
  command.add_option("--warmup", flags.warmup, "Time before the measured window, excluded")->type_name("T");
  command.add_option("--prompt-tokens", flags.prompt_tokens, "N, MEAN,STDEV or LOW-HIGH (default 128)")
      ->type_name("N");
  command.add_option("--output-tokens", flags.output_tokens, "N, MEAN,STDEV or LOW-HIGH (default 128)")
      ->type_name("N");
  command.add_flag("--keep-eos", flags.keep_eos,
                   "Let the model end early (default: ignore_eos where it is known)");
  command.add_option("--slo", flags.slo, "Bound for goodput: 'ttft <= 200ms' (repeatable)")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  command.add_option("--seed", flags.seed, "Of prompts and arrivals (default: a fresh one, reported)")->type_name("N");
  command.add_option("--json", flags.json_file, "Write vLLM-compatible JSON (- = stdout)")->type_name("FILE");
  command.add_flag("--detailed", flags.detailed, "JSON with the arrays per request");
  command.add_option("--records", flags.records_file, "Write one line per request: .jsonl or .csv")
      ->type_name("FILE");
  command.add_option("--header", flags.headers, "Extra request header 'Name: value' (repeatable)")
      ->type_name("H")
      ->allow_extra_args(false);
  command.add_option("--api-key-env", flags.api_key_env, "Variable that holds the API key")->type_name("VAR");
  command.add_option("--ca-file", flags.ca_file, "CA certificates for https")->type_name("FILE");
  command.add_flag("--insecure", flags.insecure, "Do not verify the TLS certificate");
}

}  // namespace

void add_bench_command(CLI::App& app, Context& context) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand("bench", "Load a running endpoint and measure it");
  add_options(*command, *flags);
  command->footer(
      "Example:\n  paretune bench --url http://127.0.0.1:8000 --concurrency 8 --duration 30s --warmup 5s");
  command->callback([flags, &context] {
    context.action = [flags, &context] { return run_bench_command(*flags, context.io); };
  });
}

}  // namespace paretune::cli
