#include "store/database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "store/schema.hpp"

namespace paretune::store {

namespace {

/// How long a write waits for somebody who holds the file (a shell, a backup) before it is given up.
constexpr int kBusyTimeoutMs = 10'000;
/// At the end of a run nobody should have to wait for a reader.
constexpr int kSettleTimeoutMs = 200;

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

bool is_out_of_space(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

bool is_disk_fault(int error) {
  return is_out_of_space(error) || error == EIO || error == EROFS;
}

std::string directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

bool keeps_write_ahead_log(const std::string& path) {
  struct statfs facts {};
  return ::statfs(directory_of(path).c_str(), &facts) != 0 ||
         !is_network_file_system(static_cast<unsigned long>(facts.f_type));
}

/// A reader with an open transaction blocks the change; the old journal serves as well then.
void use_write_ahead_log(SQLite::Database& database) {
  try {
    database.execAndGet("PRAGMA journal_mode = WAL");
  } catch (const SQLite::Exception& fault) {
    if (fault.getErrorCode() != SQLITE_BUSY && fault.getErrorCode() != SQLITE_LOCKED) throw;
  }
}

/// "file:" URI of a path, for the one option that SQLite takes in no other way.
std::string immutable_uri(const std::string& path) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    if (c != '?' && c != '#' && c != '%') {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kHex[byte >> 4];
    uri += kHex[byte & 15];
  }
  return uri + "?immutable=1";
}

/// A connection that has proved that it can read. @throws SQLite::Exception.
DatabasePtr probe(const std::string& name, int flags) {
  auto database = std::make_unique<SQLite::Database>(name, flags, kBusyTimeoutMs);
  database->exec("PRAGMA query_only = ON");
  database->execAndGet("SELECT count(*) FROM sqlite_master");
  return database;
}

bool may_write(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0 && ::access(directory_of(path).c_str(), W_OK) == 0;
}

/// Write permission lets a reader finish what a killed writer left in the journal; it never changes content.
DatabasePtr connect_somehow(const std::string& path) {
  if (may_write(path)) return probe(path, SQLite::OPEN_READWRITE);
  try {
    return probe(path, SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception&) {
    // The log needs a shared-memory file beside it. Without a log the file is complete, and nobody can change
    // it here.
    if (::access((path + "-wal").c_str(), F_OK) == 0) throw;
    return probe(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  }
}

Content content_of(SQLite::Database& database) {
  if (database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0) return Content::Blank;
  const bool ours = database.execAndGet("PRAGMA application_id").getInt() == kApplicationId;
  return ours ? Content::Study : Content::Foreign;
}

}  // namespace

bool is_network_file_system(unsigned long type) {
  static constexpr std::array<unsigned long, 9> kTypes{
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB 2
      0x5346414f,  // AFS
      0x00c36400,  // Ceph
      0x0bd00bd0,  // Lustre
      0x01021997,  // 9P
      0x47504653,  // GPFS
  };
  return std::find(kTypes.begin(), kTypes.end(), type & 0xffffffffUL) != kTypes.end();
}

core::Error database_error(const std::string& path, const char* doing, const SQLite::Exception& fault,
                           const SQLite::Database* database) {
  const int left_behind = errno;
  const int code = fault.getErrorCode() & 0xff;
  int error = database == nullptr ? 0 : sqlite3_system_errno(database->getHandle());
  // SQLite 3.40 does not keep the reason of a failed commit; the system's own word is still there then.
  if (error == 0 && code == SQLITE_IOERR && is_disk_fault(left_behind)) error = left_behind;
  const std::string what = std::string("cannot ") + doing + " " + path + ": ";
  if (code == SQLITE_FULL || is_out_of_space(error)) {
    return core::environment_error(what + reason_of(error == 0 ? ENOSPC : error),
                                   "free some space there; everything stored before is kept");
  }
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return core::environment_error(what + "another program holds it",
                                     "close the program (an sqlite3 shell, a backup) that has it open");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return core::environment_error(what + (error == 0 ? std::string(fault.what()) : reason_of(error)),
                                     "check the permissions of the file and of its directory");
    case SQLITE_NOTADB:
      return core::invalid_input(what + "it is no SQLite database",
                                 "it was not made by paretune and is left as it is");
    case SQLITE_CORRUPT:
      return core::io_error(what + "it is damaged (" + fault.what() + ")",
                            "sqlite3 " + path + " .recover may save what can be read");
    default:
      return core::io_error(what + fault.what() +
                            (error == 0 ? std::string() : " (" + reason_of(error) + ")"));
  }
}

core::Result<Content> inspect(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Content::Missing;
    return core::environment_error("cannot read " + path + ": " + reason_of(errno));
  }
  if (!S_ISREG(facts.st_mode)) return Content::Foreign;
  core::Result<DatabasePtr> database = connect_reader(path);
  if (!database) {
    if (database.error().code == core::ErrorCode::InvalidInput) return Content::Foreign;
    return database.error();
  }
  try {
    return content_of(**database);
  } catch (const SQLite::Exception& fault) {
    return database_error(path, "read", fault, database->get());
  }
}

core::Result<DatabasePtr> connect_writer(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), R_OK | W_OK) != 0) {
    return core::environment_error("cannot write " + path + ": " + reason_of(errno));
  }
  DatabasePtr database;
  try {
    database = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                  kBusyTimeoutMs);
    if (keeps_write_ahead_log(path)) use_write_ahead_log(*database);
    // EXTRA = FULL, and with a rollback journal its removal is synced too: a commit survives a power cut.
    database->exec("PRAGMA synchronous = EXTRA");
  } catch (const SQLite::Exception& fault) {
    return database_error(path, "open", fault, database.get());
  }
  return database;
}

core::Result<DatabasePtr> connect_reader(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) {
    return core::environment_error("cannot read " + path + ": " + reason_of(errno));
  }
  try {
    return connect_somehow(path);
  } catch (const SQLite::Exception& fault) {
    return database_error(path, "read", fault, nullptr);
  }
}

void settle(SQLite::Database& database) {
  try {
    database.setBusyTimeout(kSettleTimeoutMs);
    database.execAndGet("PRAGMA journal_mode = DELETE");
  } catch (const SQLite::Exception&) {
    // A reader is at work. Nothing is lost: the log is part of the study until somebody folds it in.
  }
}

}  // namespace paretune::store
