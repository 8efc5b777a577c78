// Collects every fault of a file before the program gives up, so that the user sees all of them in one
// message, and a reader for mappings that refuses unknown keys with "did you mean".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/document.hpp"

namespace paretune::core {

struct Fault {
  Position position;
  std::string path;     ///< where in the tree: "space.batch-size.min"
  std::string message;  ///< with the value
  std::string hint;     ///< may be empty
};

class Diagnostics {
 public:
  void fault(Position position, std::string path, std::string message, std::string hint = {});
  void warn(Position position, std::string path, std::string message, std::string hint = {});

  bool ok() const { return faults_.empty(); }
  const std::vector<Fault>& faults() const { return faults_; }
  const std::vector<Fault>& warnings() const { return warnings_; }

  /// All faults as one Error{InvalidInput}; each line is "FILE:LINE:COLUMN: path: message (hint)".
  Error to_error(std::string_view file) const;

 private:
  std::vector<Fault> faults_;
  std::vector<Fault> warnings_;
};

/// "FILE:LINE:COLUMN: path: message (hint)"; the position is left out when unknown.
std::string format_fault(const Fault& fault, std::string_view file);

/// Reads one mapping. Every getter marks its key as known; finish() reports the others with the nearest known
/// key. Getters return nullopt when the key is absent or, after recording a fault, when it has the wrong
/// type.
class MappingReader {
 public:
  /// Records a fault if `node` is not a mapping (a null node reads as an empty mapping).
  MappingReader(const Node& node, std::string path, Diagnostics& diagnostics);

  const Node* get(std::string_view key);       ///< nullptr if absent
  const Node* required(std::string_view key);  ///< nullptr and a fault if absent
  std::optional<std::string> string(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t low, std::int64_t high);
  std::optional<double> number(std::string_view key, double low, double high);
  std::optional<double> duration_s(
      std::string_view key);  ///< 90s, 10m, 1.5h, 250ms; a plain number is seconds; > 0
  std::optional<std::vector<std::string>> strings(
      std::string_view key);  ///< a list of strings, or one string

  std::string path_of(std::string_view key) const;
  Diagnostics& diagnostics() { return diagnostics_; }
  /// Faults for keys nobody asked for. `also_known` are keys read elsewhere. Call once, at the end.
  void finish(std::initializer_list<std::string_view> also_known = {});

 private:
  const Node& node_;
  std::string path_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_;
};

}  // namespace paretune::core
