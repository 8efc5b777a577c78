#include "paretune/probe/environment.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/fmt/fmt.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"

extern char** environ;

namespace paretune::probe {
namespace {

std::string file_text(const std::string& path) {
  auto text = core::read_file(path);
  return text ? std::string(core::trim(*text)) : std::string();
}

/// Value of the first line "key : value" of a /proc file.
std::string proc_field(const std::string& text, std::string_view key) {
  for (const std::string& line : core::split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos) return std::string(core::trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return 1;
}

/// Standard output of a program, "" if it is missing, fails or takes longer than two seconds.
std::string output_of(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  pollfd readable{ends[0], POLLIN, 0};
  while (!failed && poll(&readable, 1, 2000) > 0) {
    char buffer[4096];
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (failed) return {};
  kill(pid, SIGKILL);  // no effect on one that has ended
  int status = 0;
  waitpid(pid, &status, 0);
  return text;
}

std::vector<Gpu> find_gpus() {
  std::vector<Gpu> gpus;
  const std::string text = output_of(
      {"nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"});
  for (const std::string& line : core::split(text, '\n')) {
    const auto cells = core::split(line, ',');
    if (cells.size() != 3) continue;
    const auto mib = core::parse_number(core::trim(cells[1]));
    if (!mib) continue;
    gpus.push_back({std::string(core::trim(cells[0])), *mib / 1024.0, std::string(core::trim(cells[2]))});
  }
  return gpus;
}

void add_noise_findings(Environment& environment) {
  if (environment.load_average > 0.5 * environment.cpus) {
    environment.findings.push_back(
        {"busy_machine", false, environment.load_average,
         fmt::format("load average {:.1f} on {} CPUs: other work may disturb the figures",
                     environment.load_average, environment.cpus),
         "stop other work, or repeat the study later"});
  }
  if (!environment.governor.empty() && environment.governor != "performance") {
    environment.findings.push_back(
        {"cpu_frequency_scaling", false, std::nullopt,
         "CPU governor is '" + environment.governor + "': clocks change during a window",
         "set the governor to performance for steadier figures"});
  }
}

}  // namespace

Environment describe_environment() {
  Environment environment;
  utsname names{};
  if (uname(&names) == 0) {
    environment.host = names.nodename;
    environment.kernel = std::string(names.sysname) + " " + names.release;
  }
  environment.cpu_model = proc_field(file_text("/proc/cpuinfo"), "model name");
  environment.cpus = usable_cpus();
  const std::string total = proc_field(file_text("/proc/meminfo"), "MemTotal");
  if (const auto kib = core::parse_number(total.substr(0, total.find(' ')))) {
    environment.memory_gib = *kib / (1024.0 * 1024.0);
  }
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) environment.load_average = load[0];
  environment.governor = file_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  environment.gpus = find_gpus();
  add_noise_findings(environment);
  return environment;
}

core::Json to_json(const Environment& environment) {
  core::Json json;
  json["host"] = environment.host;
  json["kernel"] = environment.kernel;
  json["cpu_model"] = environment.cpu_model;
  json["cpus"] = environment.cpus;
  json["memory_gib"] = environment.memory_gib;
  json["load_average"] = environment.load_average;
  json["governor"] = environment.governor.empty() ? core::Json(nullptr) : core::Json(environment.governor);
  json["gpus"] = core::Json::array();
  for (const Gpu& gpu : environment.gpus) {
    json["gpus"].push_back({{"name", gpu.name}, {"memory_gib", gpu.memory_gib}, {"driver", gpu.driver}});
  }
  json["findings"] = core::Json::array();
  for (const core::Finding& finding : environment.findings) {
    json["findings"].push_back(
        {{"code", finding.code}, {"message", finding.message}, {"recommendation", finding.recommendation}});
  }
  return json;
}

}  // namespace paretune::probe
