#include "engine/engine_command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "paretune/engine/catalog.hpp"

namespace paretune::engine {
namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool names_program(const std::string& word, const std::string& program) {
  const std::string name = file_name(word);
  if (name == program) return true;
  return program.starts_with("python") && name.starts_with("python");
}

}  // namespace

std::vector<std::string> default_command(Kind kind) {
  std::vector<std::string> command = engine_kind(kind).command;
  if (kind == Kind::Sim) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) command.front() = self.string();
  }
  return command;
}

std::vector<std::string> completed_command(Kind kind, std::vector<std::string> command) {
  const std::vector<std::string>& standard = engine_kind(kind).command;
  if (standard.size() > 1 && !command.empty() && names_program(command.back(), standard.front())) {
    command.insert(command.end(), standard.begin() + 1, standard.end());
  }
  return command;
}

bool runs_elsewhere(const std::vector<std::string>& command) {
  constexpr std::array kLaunchers{"docker", "podman", "nerdctl",   "kubectl",
                                  "ssh",    "srun",   "apptainer", "singularity"};
  if (command.empty()) return false;
  const std::size_t first = file_name(command.front()) == "sudo" && command.size() > 1 ? 1 : 0;
  return std::find(kLaunchers.begin(), kLaunchers.end(), file_name(command[first])) != kLaunchers.end();
}

}  // namespace paretune::engine
