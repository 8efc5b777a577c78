#include "store/sqlite_store.hpp"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace paretune::store {

namespace {

using core::Result;

constexpr std::array<std::string_view, 3> kOwnFacts{"study", "created", "created_by"};

/// Text of other programs may hold bytes that are no UTF-8; a record must be written all the same.
std::string dump(const core::Json& json) {
  return json.dump(-1, ' ', false, core::Json::error_handler_t::replace);
}

template <class Record>
Result<void> read_records(const SQLite::Database& database, const char* query,
                          Result<Record> (*read)(const core::Json&), std::vector<Record>& records) {
  SQLite::Statement rows(database, query);
  while (rows.executeStep()) {
    const core::Json json = core::Json::parse(rows.getColumn(0).getString(), nullptr, false);
    Result<Record> record = read(json);
    if (!record) return record.error();
    records.push_back(std::move(*record));
  }
  return {};
}

}  // namespace

void write_fact(const SQLite::Database& database, const std::string& key, const std::string& value) {
  SQLite::Statement put(database,
                        "INSERT INTO facts (key, value) VALUES (?, ?) "
                        "ON CONFLICT (key) DO UPDATE SET value = excluded.value");
  put.bind(1, key);
  put.bind(2, value);
  put.exec();
}

std::optional<std::string> read_fact(const SQLite::Database& database, const std::string& key) {
  SQLite::Statement get(database, "SELECT value FROM facts WHERE key = ?");
  get.bind(1, key);
  if (!get.executeStep()) return std::nullopt;
  return get.getColumn(0).getString();
}

SqliteStore::SqliteStore(std::string path, DatabasePtr database, std::optional<DirectoryLock> lock,
                         std::string study_json)
    : path_(std::move(path)),
      lock_(std::move(lock)),
      database_(std::move(database)),
      study_json_(std::move(study_json)) {}

SqliteStore::~SqliteStore() {
  if (lock_) settle(*database_);
}

template <class Action>
Result<void> SqliteStore::write(Action action) {
  if (!lock_) return core::environment_error(path_ + " is open for reading only");
  try {
    errno = 0;  // so that database_error() sees only what this action met
    action();
    return {};
  } catch (const SQLite::Exception& fault) {
    return database_error(path_, "write", fault, database_.get());
  }
}

Result<void> SqliteStore::put_launch(const trial::LaunchRecord& launch) {
  return write([&] {
    SQLite::Statement put(*database_,
                          "INSERT INTO launches (number, record) VALUES (?, ?) "
                          "ON CONFLICT (number) DO UPDATE SET record = excluded.record");
    put.bind(1, launch.number);
    put.bind(2, dump(trial::to_json(launch)));
    put.exec();
  });
}

Result<void> SqliteStore::put_point(const trial::PointRecord& point) {
  return write([&] {
    SQLite::Statement put(*database_, "INSERT INTO points (record) VALUES (?)");
    put.bind(1, dump(trial::to_json(point)));
    put.exec();
  });
}

Result<StudyData> SqliteStore::load() const {
  try {
    SQLite::Transaction moment(*database_);
    StudyData data;
    Result<void> read = read_records(*database_, "SELECT record FROM launches ORDER BY number",
                                     trial::launch_from_json, data.launches);
    if (read) {
      read = read_records(*database_, "SELECT record FROM points ORDER BY row", trial::point_from_json,
                          data.points);
    }
    if (!read) return core::io_error(path_ + ": " + read.error().message);
    return data;
  } catch (const SQLite::Exception& fault) {
    return database_error(path_, "read", fault, database_.get());
  }
}

Result<void> SqliteStore::put_fact(const std::string& key, const std::string& value) {
  if (std::find(kOwnFacts.begin(), kOwnFacts.end(), key) != kOwnFacts.end()) {
    throw std::invalid_argument("the fact '" + key + "' belongs to the store");
  }
  return write([&] { write_fact(*database_, key, value); });
}

std::optional<std::string> SqliteStore::fact(const std::string& key) const {
  try {
    return read_fact(*database_, key);
  } catch (const SQLite::Exception&) {
    return std::nullopt;
  }
}

std::string SqliteStore::note() const {
  if (!lock_ || !lock_->dead_owner()) return {};
  const LockOwner& owner = *lock_->dead_owner();
  return "took over the lock of process " + std::to_string(owner.pid) + " on " + owner.host +
         ", which ended without closing the study";
}

}  // namespace paretune::store
