// Short ways to a study for the tests of spec.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "paretune/spec/study_spec.hpp"

namespace paretune::spec::testing {

/// A whole study of the simulated server; `more` is appended and must not repeat a key.
inline std::string study_with(const std::string& more) {
  return "engine: {kind: sim, args: {max-model-len: 2048}}\n"
         "workload: {prompt_tokens: 64, output_tokens: 16, concurrency: [1, 4], duration: 5s}\n" +
         (more.find("objectives") == std::string::npos
              ? std::string("objectives: [output_throughput, ttft:p95]\n")
              : std::string()) +
         more;
}

inline core::Result<StudySpec> read(const std::string& text, const std::vector<std::string>& sets = {},
                                    const std::string& file = "study.yaml") {
  core::Result<core::Document> document = core::parse_document(text, file);
  if (!document) return document.error();
  return read_study(std::move(*document), sets);
}

/// The message of the faults; "" if there is none.
inline std::string faults_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const core::Result<StudySpec> spec = read(text, sets);
  return spec ? "" : spec.error().message;
}

inline std::string warnings_of(const core::Result<StudySpec>& spec) {
  std::string lines;
  if (!spec) return "FAULTS " + spec.error().message;
  for (const core::Fault& warning : spec->warnings) lines += core::format_fault(warning, spec->file) + "\n";
  return lines;
}

/// Sets an environment variable for one test.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_.c_str()); }
  void unset() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

}  // namespace paretune::spec::testing
