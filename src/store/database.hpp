// Opening study.db: journal, durability, and what SQLite's errors mean to a user. One thread.
// Source: sqlite.org/wal.html, sqlite.org/pragma.html (synchronous, journal_mode, query_only).
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <memory>
#include <string>

#include "paretune/core/result.hpp"

namespace paretune::store {

using DatabasePtr = std::unique_ptr<SQLite::Database>;

/// What a file is, by its header and schema.
enum class Content {
  Missing,
  Blank,    ///< empty, or left by a process that was killed before its first commit: nothing is lost by using
            ///< it
  Study,    ///< ours, of any version
  Foreign,  ///< anything else; never written to
};

/// @return Error{Environment} if the file cannot be read, Error{Io} if it is damaged.
core::Result<Content> inspect(const std::string& path);

/// For the one writer; makes the file if it is missing. Every commit is synced to the disk.
/// @return Error{Environment}, Error{Io}.
core::Result<DatabasePtr> connect_writer(const std::string& path);
/// For readers: also beside a writer, on read-only media, and after a crash of the writer.
core::Result<DatabasePtr> connect_reader(const std::string& path);

/// Folds the journal into the database, so that a study at rest is one file that can be copied and read
/// anywhere. Does nothing while somebody reads: then the last one to close does it.
void settle(SQLite::Database& database);

/// @param doing     "write", "read", "open"
/// @param database  where the fault happened, for the reason of the operating system; may be null
core::Error database_error(const std::string& path, const char* doing, const SQLite::Exception& fault,
                           const SQLite::Database* database);

/// Types of Linux file systems (statfs) whose shared memory does not reach other hosts: no write-ahead log
/// there.
bool is_network_file_system(unsigned long type);

}  // namespace paretune::store
