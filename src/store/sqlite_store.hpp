// The store over one SQLite connection. Built by Store::create, open and open_read_only once the file has
// been checked.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "paretune/store/store.hpp"
#include "store/database.hpp"
#include "store/lock.hpp"

namespace paretune::store {

class SqliteStore final : public Store {
 public:
  /// @param lock  absent for a reader
  SqliteStore(std::string path, DatabasePtr database, std::optional<DirectoryLock> lock,
              std::string study_json);
  ~SqliteStore() override;

  std::string study_json() const override { return study_json_; }
  core::Result<void> put_launch(const trial::LaunchRecord& launch) override;
  core::Result<void> put_point(const trial::PointRecord& point) override;
  core::Result<StudyData> load() const override;
  core::Result<void> put_fact(const std::string& key, const std::string& value) override;
  std::optional<std::string> fact(const std::string& key) const override;
  std::string note() const override;

 private:
  template <class Action>
  core::Result<void> write(Action action);

  std::string path_;
  std::optional<DirectoryLock> lock_;  // outlives the connection
  DatabasePtr database_;
  std::string study_json_;
};

/// @throws SQLite::Exception.
void write_fact(const SQLite::Database& database, const std::string& key, const std::string& value);
/// nullopt if it was never written. @throws SQLite::Exception.
std::optional<std::string> read_fact(const SQLite::Database& database, const std::string& key);

}  // namespace paretune::store
