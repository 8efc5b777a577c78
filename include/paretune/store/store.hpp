// The study database: one SQLite file per directory, the only state of a study. Every point is durable (committed and
// synced) before the next window opens.
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

/// One writer at a time, proven by a lock that a dead process cannot hold. One thread.
class Store {
 public:
  virtual ~Store() = default;

  /// Makes DIR (and study.db in it). @return Error{InvalidInput} if it holds a study already (hint: the resume line),
  /// Error{Environment} if it is in use (names the pid) or not writable.
  static core::Result<std::unique_ptr<Store>> create(const std::string& directory, const std::string& study_json);
  /// Opens for writing (resume). @return Error{NotFound} if there is no study, Error{Environment} if in use.
  static core::Result<std::unique_ptr<Store>> open(const std::string& directory);
  /// Reads without locking, also while another process writes.
  static core::Result<std::unique_ptr<Store>> open_read_only(const std::string& directory);

  virtual std::string study_json() const = 0;
  virtual core::Result<void> put_launch(const trial::LaunchRecord& launch) = 0;  ///< inserts or updates by number
  virtual core::Result<void> put_point(const trial::PointRecord& point) = 0;     ///< appends
  virtual core::Result<StudyData> load() const = 0;

  /// Small facts: "finished", "elapsed_s", "environment".
  virtual core::Result<void> put_fact(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> fact(const std::string& key) const = 0;
};

}  // namespace paretune::store
