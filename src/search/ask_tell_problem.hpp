// The first line of ask/tell, read and checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/document.hpp"
#include "paretune/core/result.hpp"
#include "paretune/search/searcher.hpp"

namespace paretune::search {

struct AskTellProblem {
  std::string name;  ///< "" if there is none
  std::string method;
  Problem problem;
  std::vector<std::string> limit_texts;          ///< as written, one per limit
  std::vector<std::optional<double>> reference;  ///< costs; empty or m entries
};

/// @return Error{InvalidInput} with all faults, separated by "; ".
core::Result<AskTellProblem> read_ask_tell_problem(std::string_view line);

/// One JSON line as a tree. @return Error{InvalidInput} if it is no JSON object.
core::Result<core::Node> parse_line(std::string_view line);

/// A bound as in a study: "tpot:p95 <= 80ms". Metric names are free text; durations become milliseconds, % a
/// fraction.
core::Result<Limit> parse_limit(std::string_view text);

/// Numbers of a metrics object; null = not measured. Other entries are ignored.
std::map<std::string, std::optional<double>> read_metrics(const core::Node& node);

/// Costs and violation of metric values. @return nullopt if an objective or a limit was not measured.
struct Judged {
  std::vector<double> cost;
  double violation = 0;
};
std::optional<Judged> judge(const Problem& problem,
                            const std::map<std::string, std::optional<double>>& metrics);

/// "FILE:LINE:COL"-free text of collected faults, one line.
core::Error faults_of(const core::Diagnostics& diagnostics);

}  // namespace paretune::search
