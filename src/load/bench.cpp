#include "paretune/load/bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <random>

#include "paretune/core/text.hpp"

namespace paretune::load {

namespace {

constexpr double kLookupTimeout_s = 10;

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return text.data();
}

/// Proves that something answers there, and finds the model's name if it was left out.
core::Result<std::string> find_model(const EndpointAddress& address) {
  const auto models = list_models(address, std::min(kLookupTimeout_s, address.timeouts.connect_s));
  if (models) {
    if (!address.model.empty()) return address.model;
    if (models->size() == 1) return models->front();
    if (models->empty()) {
      return core::environment_error("the endpoint lists no model yet",
                                     "name one with --model, or wait until it is loaded");
    }
    return core::invalid_input(
        "the endpoint serves " + std::to_string(models->size()) + " models: " + core::join(*models, ", "),
        "name one with --model");
  }
  core::Error error = models.error();
  if (error.code == core::ErrorCode::InvalidInput) return error;
  // Some servers have no list of models; those that cannot be reached at all are another matter.
  if (error.code == core::ErrorCode::Unhealthy && !address.model.empty()) return address.model;
  error.code = core::ErrorCode::Environment;
  return error;
}

std::uint64_t fresh_seed() {
  std::random_device source;
  // 53 bits: readers of JSON that know only doubles keep the number exact.
  return ((std::uint64_t{source()} << 32) | source()) >> 11;
}

std::size_t connections_for(const BenchOptions& options) {
  if (!options.level.open_loop) return static_cast<std::size_t>(std::max(1.0, options.level.value));
  if (options.workload.max_concurrency) return static_cast<std::size_t>(*options.workload.max_concurrency);
  // Open loop without a cap: as many as needed; this many stay open for reuse.
  constexpr double kFewest = 64;
  constexpr double kMost = 4096;
  return static_cast<std::size_t>(std::clamp(std::ceil(options.level.value * 10), kFewest, kMost));
}

}  // namespace

core::Result<BenchResult> run_bench(const BenchOptions& options, std::stop_token stop,
                                    const std::function<void(const Progress&)>& progress) {
  BenchResult result;
  result.address = options.address;
  auto model = find_model(options.address);
  if (!model) return model.error();
  result.address.model = std::move(*model);
  auto endpoint = make_http_endpoint(result.address, connections_for(options));
  if (!endpoint) return endpoint.error();
  WindowOptions window_options;
  window_options.seed = result.seed = options.seed ? *options.seed : fresh_seed();
  window_options.address = result.address;
  window_options.max_errors = options.max_errors;
  // Whoever asks for a number of requests gets them all, and the count of those that failed.
  if (options.max_errors == 0 && options.workload.requests) window_options.max_errors = SIZE_MAX;
  result.started = local_time();
  auto window =
      generate_load(**endpoint, options.workload, options.level, window_options, std::move(stop), progress);
  if (!window) return window.error();
  result.window = std::move(*window);
  result.measurement = summarize(result.window, options.workload, options.level, options.summary);
  if (options.address.insecure) {
    result.measurement.findings.push_back({"tls_unverified", false, std::nullopt,
                                           "the server's certificate was not verified", "give its CA file"});
  }
  return result;
}

}  // namespace paretune::load
