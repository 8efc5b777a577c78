// The study database: one SQLite file per directory, the only state of a study. Every point is durable
// (committed and synced) before the next window opens.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paretune/core/result.hpp"
#include "paretune/trial/record.hpp"

namespace paretune::store {

/// Everything a study has stored, in order of writing.
struct StudyData {
  std::vector<trial::LaunchRecord> launches;
  std::vector<trial::PointRecord> points;
};

/// One writer at a time, proven by a lock that a dead process cannot hold. One thread. Every put is one
/// transaction that is on the disk when it returns; a put that failed left nothing behind and may be tried
/// again. Errors of all calls: Error{Environment} if the disk is full, not writable or held by another
/// program, Error{Io} if it fails or the file is damaged; both name the path and the reason.
class Store {
 public:
  virtual ~Store() = default;

  /// Makes DIR (and study.db in it). @return Error{InvalidInput} if it holds a study already (hint: the
  /// resume line), Error{Environment} if it is in use (names the pid) or not writable.
  static core::Result<std::unique_ptr<Store>> create(const std::string& directory,
                                                     const std::string& study_json);
  /// Opens for writing (resume). @return Error{NotFound} if there is no study, Error{Environment} if in use,
  /// Error{InvalidInput} if study.db is something else or of a newer paretune.
  static core::Result<std::unique_ptr<Store>> open(const std::string& directory);
  /// Reads without locking, also while another process writes. Puts into it are refused with
  /// Error{Environment}.
  static core::Result<std::unique_ptr<Store>> open_read_only(const std::string& directory);

  virtual std::string study_json() const = 0;
  virtual core::Result<void> put_launch(
      const trial::LaunchRecord& launch) = 0;  ///< inserts or updates by number
  virtual core::Result<void> put_point(const trial::PointRecord& point) = 0;  ///< appends
  virtual core::Result<StudyData> load() const = 0;                           ///< one consistent moment

  /// Small facts: "finished", "elapsed_s", "environment". @throws std::invalid_argument for the store's own
  /// keys "study", "created" and "created_by".
  virtual core::Result<void> put_fact(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> fact(const std::string& key) const = 0;

  /// What the user should hear about opening: a lock of a dead process was taken over. Empty if there is
  /// nothing.
  virtual std::string note() const { return {}; }
};

/// Does DIR hold a study (of any version)? Reads only.
bool holds_study(const std::string& directory);

/// BASE/NAME, or the first of BASE/NAME-2, BASE/NAME-3 … that does not exist or is an empty directory.
std::string free_directory(const std::string& base, const std::string& name);

}  // namespace paretune::store
