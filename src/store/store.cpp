#include "paretune/store/store.hpp"

#include <SQLiteCpp/Transaction.h>
#include <unistd.h>

#include <utility>

#include "paretune/core/clock.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "paretune/core/version.hpp"
#include "store/database.hpp"
#include "store/lock.hpp"
#include "store/schema.hpp"
#include "store/sqlite_store.hpp"

namespace paretune::store {

namespace {

using core::Result;
using StorePtr = std::unique_ptr<Store>;

std::string database_path(const std::string& directory) {
  return directory + "/study.db";
}

core::Error foreign_file(const std::string& path) {
  return core::invalid_input(path + " is no study of paretune and is left as it is",
                             "choose another directory, or move the file away");
}

/// Nothing that was stored is ever written over.
Result<void> require_no_study(const std::string& directory) {
  const Result<Content> content = inspect(database_path(directory));
  if (!content) return content.error();
  if (*content == Content::Foreign) return foreign_file(database_path(directory));
  if (*content != Content::Study) return {};
  return core::invalid_input(directory + " holds a study already",
                             "continue it with: paretune resume " + core::shell_quote(directory) +
                                 ", or choose another directory with --out");
}

Result<void> require_study(const std::string& directory) {
  const Result<Content> content = inspect(database_path(directory));
  if (!content) return content.error();
  if (*content == Content::Study) return {};
  if (*content == Content::Foreign) return foreign_file(database_path(directory));
  return core::Error{core::ErrorCode::NotFound, "there is no study in " + directory,
                     "a study is made by: paretune tune STUDY --out " + core::shell_quote(directory)};
}

Result<void> require_directory(const std::string& directory) {
  Result<void> made = core::require_writable_directory(directory);
  if (made) return made;
  core::Error error = made.error();
  error.code = core::ErrorCode::Environment;
  return error;
}

/// Refuses what this program cannot read. @throws SQLite::Exception.
Result<void> check_version(SQLite::Database& database, const std::string& path, bool may_upgrade) {
  const int version = schema_version_of(database);
  const std::string versions = " (schema " + std::to_string(version) + "; paretune " + core::version() +
                               " knows " + std::to_string(schema_version()) + ")";
  if (version > schema_version()) {
    return core::invalid_input(path + " was made by a newer paretune" + versions,
                               "install that version or a later one");
  }
  if (version < schema_version() && !may_upgrade) {
    return core::invalid_input(path + " was made by an older paretune" + versions,
                               "resume the study once to bring it up to date");
  }
  return {};
}

/// @throws SQLite::Exception.
Result<void> check_health(SQLite::Database& database, const std::string& path) {
  const std::string verdict = database.execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict == "ok") return {};
  return core::io_error(path + " is damaged: " + verdict,
                        "sqlite3 " + core::shell_quote(path) + " .recover may save what can be read");
}

/// Before anything is written: a file of a newer program or with damage stays as it is, to the byte.
Result<void> require_usable(const std::string& path) {
  const Result<DatabasePtr> database = connect_reader(path);
  if (!database) return database.error();
  try {
    Result<void> usable = check_version(**database, path, true);
    return usable ? check_health(**database, path) : usable;
  } catch (const SQLite::Exception& fault) {
    return database_error(path, "read", fault, database->get());
  }
}

/// Schema and study in one transaction: a file holds both or none. @throws SQLite::Exception.
void found_study(SQLite::Database& database, const std::string& study_json) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  upgrade_schema(database);
  write_fact(database, "study", study_json);
  write_fact(database, "created", core::utc_timestamp());
  write_fact(database, "created_by", std::string("paretune ") + core::version());
  transaction.commit();
}

/// @throws SQLite::Exception.
void bring_up_to_date(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  upgrade_schema(database);
  transaction.commit();
}

void remove_files(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path + suffix).c_str());
}

}  // namespace

Result<StorePtr> Store::create(const std::string& directory, const std::string& study_json) {
  const std::string path = database_path(directory);
  if (const std::optional<LockOwner> owner = lock_owner(directory)) return in_use(directory, *owner);
  if (const Result<void> free = require_no_study(directory); !free) return free.error();
  if (const Result<void> made = require_directory(directory); !made) return made.error();
  Result<DirectoryLock> lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  // Once more: another process may have made one between the first look and the lock.
  if (const Result<void> free = require_no_study(directory); !free) return free.error();
  Result<DatabasePtr> database = connect_writer(path);
  if (!database) return database.error();
  try {
    found_study(**database, study_json);
  } catch (const SQLite::Exception& fault) {
    core::Error error = database_error(path, "write", fault, database->get());
    database->reset();
    remove_files(path);
    return error;
  }
  return StorePtr(std::make_unique<SqliteStore>(path, std::move(*database), std::move(*lock), study_json));
}

Result<StorePtr> Store::open(const std::string& directory) {
  const std::string path = database_path(directory);
  if (const Result<void> study = require_study(directory); !study) return study.error();
  Result<DirectoryLock> lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  if (const Result<void> usable = require_usable(path); !usable) return usable.error();
  Result<DatabasePtr> database = connect_writer(path);
  if (!database) return database.error();
  try {
    bring_up_to_date(**database);
    std::string study = read_fact(**database, "study").value_or("");
    return StorePtr(
        std::make_unique<SqliteStore>(path, std::move(*database), std::move(*lock), std::move(study)));
  } catch (const SQLite::Exception& fault) {
    return database_error(path, "open", fault, database->get());
  }
}

Result<StorePtr> Store::open_read_only(const std::string& directory) {
  const std::string path = database_path(directory);
  if (const Result<void> study = require_study(directory); !study) return study.error();
  Result<DatabasePtr> database = connect_reader(path);
  if (!database) return database.error();
  try {
    if (const Result<void> version = check_version(**database, path, false); !version) return version.error();
    std::string study = read_fact(**database, "study").value_or("");
    return StorePtr(
        std::make_unique<SqliteStore>(path, std::move(*database), std::nullopt, std::move(study)));
  } catch (const SQLite::Exception& fault) {
    return database_error(path, "read", fault, database->get());
  }
}

}  // namespace paretune::store
