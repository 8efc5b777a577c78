#include "store/schema.hpp"

#include <array>
#include <string>

namespace paretune::store {

namespace {

/// `record` is the truth: one JSON object per row (trial::to_json), so that a new field needs no new column.
/// The other columns are computed from it when somebody asks.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE facts (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE launches (
  number        INTEGER PRIMARY KEY,
  record        TEXT NOT NULL CHECK (json_valid(record)),
  configuration TEXT AS (json_extract(record, '$.configuration')),
  pid           INTEGER AS (json_extract(record, '$.process.pid')),
  started       TEXT AS (json_extract(record, '$.started')),
  ready_s       REAL AS (json_extract(record, '$.ready_s')),
  seconds       REAL AS (json_extract(record, '$.seconds')),
  ended         INTEGER AS (json_extract(record, '$.ended')),
  class         TEXT AS (json_extract(record, '$.failure.class')),
  log           TEXT AS (json_extract(record, '$.log'))
);

CREATE TABLE points (
  row           INTEGER PRIMARY KEY AUTOINCREMENT,
  record        TEXT NOT NULL CHECK (json_valid(record)),
  id            TEXT AS (json_extract(record, '$.id')),
  launch        INTEGER AS (json_extract(record, '$.launch')),
  repeat        INTEGER AS (json_extract(record, '$.repeat')),
  pid           INTEGER AS (json_extract(record, '$.pid')),
  status        TEXT AS (json_extract(record, '$.status')),
  class         TEXT AS (json_extract(record, '$.failure.class')),
  configuration TEXT AS (json_extract(record, '$.configuration')),
  live          TEXT AS (json_extract(record, '$.live')),
  violation     REAL AS (json_extract(record, '$.violation')),
  gpus          REAL AS (json_extract(record, '$.gpus')),
  started       TEXT AS (json_extract(record, '$.started')),
  seconds       REAL AS (json_extract(record, '$.seconds')),
  reason        TEXT AS (json_extract(record, '$.reason'))
);

CREATE TRIGGER points_keep_their_content BEFORE UPDATE ON points
BEGIN SELECT RAISE(ABORT, 'points are append only'); END;
CREATE TRIGGER points_stay BEFORE DELETE ON points
BEGIN SELECT RAISE(ABORT, 'points are append only'); END;

CREATE VIEW metrics AS
SELECT p.row AS row, p.id AS id, p.launch AS launch, p.status AS status, p.live AS live,
       m.key AS metric, m.value AS value,
       json_extract(p.record, '$.ci95."' || m.key || '"[0]') AS low,
       json_extract(p.record, '$.ci95."' || m.key || '"[1]') AS high
FROM points p, json_each(p.record, '$.metrics') m;
)sql";

/// Step i brings version i to i + 1. Released steps never change; a new version appends one.
constexpr std::array kSteps{kVersion1};

}  // namespace

int schema_version() {
  return static_cast<int>(kSteps.size());
}

int schema_version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

void upgrade_schema(SQLite::Database& database) {
  const auto from = static_cast<std::size_t>(schema_version_of(database));
  if (from >= kSteps.size()) return;
  for (std::size_t step = from; step < kSteps.size(); ++step) database.exec(kSteps[step]);
  database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.exec("PRAGMA user_version = " + std::to_string(schema_version()));
}

}  // namespace paretune::store
