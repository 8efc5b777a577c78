#include <filesystem>
#include <system_error>

#include "paretune/store/store.hpp"
#include "store/database.hpp"

namespace paretune::store {

namespace {

bool is_free(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) return true;
  if (status.type() != std::filesystem::file_type::directory) return false;
  const bool empty = std::filesystem::is_empty(path, failure);
  return empty && !failure;
}

}  // namespace

bool holds_study(const std::string& directory) {
  const core::Result<Content> content = inspect(directory + "/study.db");
  return content && *content == Content::Study;
}

std::string free_directory(const std::string& base, const std::string& name) {
  const std::string first = (std::filesystem::path(base) / name).string();
  std::string candidate = first;
  for (int number = 2; !is_free(candidate); ++number) candidate = first + "-" + std::to_string(number);
  return candidate;
}

}  // namespace paretune::store
