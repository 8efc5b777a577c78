// The tables of study.db and the steps from one version of them to the next (docs/store.md describes them for
// people).
#pragma once

#include <SQLiteCpp/Database.h>

namespace paretune::store {

/// PRAGMA application_id of our files: the letters "Ptun".
inline constexpr int kApplicationId = 0x5074756e;

/// PRAGMA user_version that this program reads and writes.
int schema_version();
/// Of the file; 0 for a blank one. @throws SQLite::Exception.
int schema_version_of(SQLite::Database& database);

/// Runs the missing steps. Call it inside a transaction. @throws SQLite::Exception.
void upgrade_schema(SQLite::Database& database);

}  // namespace paretune::store
