#include "engine/process/exec_image.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "paretune/core/text.hpp"

namespace paretune::engine {
namespace {

std::map<std::string, std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) merged.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto& [name, value] : added) merged[name] = value;
  return merged;
}

bool is_executable_file(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && access(path.c_str(), X_OK) == 0;
}

core::Result<std::string> find_program(const std::string& name, const std::string& search_path) {
  const std::string hint = "install it, or give its path in engine.command";
  if (name.find('/') != std::string::npos) {
    if (is_executable_file(name)) return name;
    const bool exists = access(name.c_str(), F_OK) == 0;
    return core::environment_error(
        "cannot start '" + name + "': " + (exists ? "it is no executable file" : "no such file"), hint);
  }
  for (const std::string& directory : core::split(search_path, ':')) {
    const std::string path = (directory.empty() ? "." : directory) + "/" + name;
    if (is_executable_file(path)) return path;
  }
  return core::environment_error("cannot start '" + name + "': not found in PATH", hint);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void make_first_victim_of_memory_shortage() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, "500", 3);
  close(file);
}

}  // namespace

core::Result<ExecImage> ExecImage::prepare(std::vector<std::string> argv,
                                           const std::map<std::string, std::string>& environment) {
  if (argv.empty() || argv.front().empty()) return core::environment_error("the command to start is empty");
  const auto merged = merged_environment(environment);
  const auto path_entry = merged.find("PATH");
  auto path = find_program(argv.front(),
                           path_entry == merged.end() ? "/usr/local/bin:/usr/bin:/bin" : path_entry->second);
  if (!path) return path.error();
  ExecImage image;
  image.path_ = std::move(*path);
  image.argv_ = std::move(argv);
  for (const auto& [name, value] : merged) image.environment_.push_back(name + "=" + value);
  image.argv_pointers_ = pointers_to(image.argv_);
  image.environment_pointers_ = pointers_to(image.environment_);
  return image;
}

void reset_signal_dispositions() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
}

void close_all_but(int first, int second, int third) {
  std::array<int, 3> kept{first, second, third};
  std::sort(kept.begin(), kept.end());
  unsigned from = 3;
  for (const int file : kept) {
    if (file < 3) continue;
    if (static_cast<unsigned>(file) > from) close_range(from, static_cast<unsigned>(file) - 1, 0);
    from = static_cast<unsigned>(file) + 1;
  }
  close_range(from, ~0U, 0);
}

void exec_child(const ExecImage& image, int output, int report) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  reset_signal_dispositions();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  make_first_victim_of_memory_shortage();
  const int input = open("/dev/null", O_RDONLY);
  if (input >= 0) dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_all_but(report);
  execve(image.path(), image.argv(), image.environment());
  const int reason = errno;
  if (report >= 0) [[maybe_unused]]
    const ssize_t written = write(report, &reason, sizeof reason);
  _exit(127);
}

}  // namespace paretune::engine
