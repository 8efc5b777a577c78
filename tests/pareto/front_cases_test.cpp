// Tables from public reports with the front that is right for them (tests/data/cases 43 … 51).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "paretune/pareto/front.hpp"

namespace paretune::pareto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::json;
using Row = std::map<std::string, std::string>;

std::string path_of(const std::string& name) {
  return std::string(PARETUNE_TEST_DATA) + "/cases/" + name;
}

std::vector<Row> read_table(const std::string& name) {
  std::ifstream file(path_of(name));
  std::vector<std::string> header;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::vector<std::string> values;
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(cell);
    if (header.empty()) {
      header = values;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = values.at(i);
    rows.push_back(row);
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

Json read_expected(const std::string& name) {
  std::ifstream file(path_of(name));
  return Json::parse(file);
}

std::vector<Row> where(const std::vector<Row>& rows, const std::string& column, const std::string& value) {
  std::vector<Row> kept;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
               [&](const Row& row) { return row.at(column) == value; });
  return kept;
}

/// `objectives`: column and +1 (minimised) or -1 (maximised).
std::vector<Candidate> candidates_of(const std::vector<Row>& rows, const std::string& id,
                                     const std::vector<std::pair<std::string, double>>& objectives) {
  std::vector<Candidate> candidates;
  for (const Row& row : rows) {
    Candidate candidate{row.at(id), {}, 0};
    for (const auto& [column, sign] : objectives) candidate.cost.push_back(sign * std::stod(row.at(column)));
    candidates.push_back(candidate);
  }
  return candidates;
}

std::vector<std::string> front_ids(const std::vector<Candidate>& candidates) {
  std::vector<std::string> ids;
  for (std::size_t i : find_front(candidates, candidates.at(0).cost.size()).members)
    ids.push_back(candidates[i].id);
  std::sort(ids.begin(), ids.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return ids;
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> result;
  for (const Json& value : list)
    result.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  return result;
}

TEST(FrontCases, EqualPointsStayTogetherAndATieInOneObjectiveIsDominated) {
  const auto rows = read_table("43-tie.csv");
  EXPECT_EQ(front_ids(candidates_of(rows, "id", {{"output_throughput", -1}, {"tok_s_user", -1}})),
            texts(read_expected("43-tie.expected.json")["front"]));
}

TEST(FrontCases, ARealTableWithAWallPerWorkload) {
  const auto rows = read_table("45-real-table.csv");
  const Json expected = read_expected("45-real-table.expected.json");
  for (const std::string workload : {"1k1k", "1k8k"}) {
    const auto part = where(rows, "workload", workload);
    EXPECT_EQ(front_ids(candidates_of(part, "concurrency", {{"tput_per_gpu", -1}, {"tpot_ms", 1}})),
              texts(expected["front_concurrency"][workload]));
    EXPECT_EQ(
        front_ids(candidates_of(part, "concurrency", {{"tput_per_gpu", -1}, {"tpot_ms", 1}, {"e2e_s", 1}})),
        texts(expected["three_objectives_with_e2e_min"][workload]));
    EXPECT_EQ(front_ids(candidates_of(part, "concurrency", {{"tput_per_gpu", -1}, {"tpot_ms", -1}})),
              texts(expected["wrong_direction_tpot_max"][workload]));
  }
}

TEST(FrontCases, DuplicatesAreKeptByNameAndDegenerateFrontsAreFronts) {
  const auto rows = read_table("47-duplicates.csv");
  const Json expected = read_expected("47-duplicates.expected.json");
  const auto candidates = candidates_of(rows, "id", {{"cost", 1}, {"deflection", 1}});
  EXPECT_EQ(front_ids(candidates), texts(expected["front_ids"]));
  EXPECT_EQ(find_front(candidates, 2).distinct, expected["distinct_points"].get<std::size_t>());

  const auto one_objective = candidates_of(rows, "id", {{"deflection", 1}});
  EXPECT_THAT(front_ids(one_objective), ElementsAre("7", "9"));
  EXPECT_THAT(front_ids({candidates[4]}), ElementsAre("4"));
  EXPECT_THAT(front_ids({candidates[1], candidates[4]}), ElementsAre("1", "4"));
  EXPECT_THAT(front_ids({candidates[0], candidates[3], candidates[7]}), ElementsAre("0", "3", "7"));
}

/// Relative violation of tpot <= max_tpot and tput >= min_tput (0 = no such limit).
std::vector<Candidate> with_limits(const std::vector<Row>& rows, double max_tpot, double min_throughput) {
  auto candidates = candidates_of(rows, "concurrency", {{"tput_per_gpu", -1}, {"tpot_ms", 1}});
  for (Candidate& candidate : candidates) {
    candidate.violation = std::max(0.0, candidate.cost[1] / max_tpot - 1);
    if (min_throughput > 0) candidate.violation += std::max(0.0, 1 + candidate.cost[0] / min_throughput);
  }
  return candidates;
}

TEST(FrontCases, LimitsLeaveAFrontOrNameTheNearest) {
  const auto rows = read_table("49-constraints.csv");
  const Json expected = read_expected("49-constraints.expected.json");
  EXPECT_EQ(front_ids(with_limits(rows, 4.2, 0)), texts(expected["tpot<=4.2"]["front"]));

  const Json& hard = expected["tpot<=5 and tput>=600"];
  const auto candidates = with_limits(rows, 5, 600);
  const Front front = find_front(candidates, 2);
  EXPECT_THAT(front.members, IsEmpty());
  ASSERT_TRUE(front.nearest.has_value());
  EXPECT_EQ(candidates[front.nearest->index].id, hard["nearest"].dump());
  for (const Candidate& candidate : candidates) {
    EXPECT_NEAR(candidate.violation, hard["nearest_by_relative_violation"][candidate.id].get<double>(), 1e-4);
  }
}

TEST(FrontCases, ThreeObjectivesWithinAndAcrossContexts) {
  const auto rows = read_table("51-three-objectives.csv");
  const Json expected = read_expected("51-three-objectives.expected.json");
  const std::vector<std::pair<std::string, double>> total{
      {"tok_s_total", -1}, {"ttft_p50_s", 1}, {"power_w", 1}};
  const std::vector<std::pair<std::string, double>> request{{"tok_s_request", -1}, {"power_w", 1}};
  for (const auto& [context, fronts] : expected["per_context"].items()) {
    const auto part = where(rows, "context", context);
    EXPECT_EQ(front_ids(candidates_of(part, "id", total)), texts(fronts["max total, min ttft, min power"]));
    EXPECT_EQ(front_ids(candidates_of(part, "id", request)), texts(fronts["max per request, min power"]));
  }
  EXPECT_EQ(front_ids(candidates_of(rows, "id", total)), texts(expected["mixed (wrong use)"]));
}

}  // namespace
}  // namespace paretune::pareto
