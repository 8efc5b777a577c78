#include "paretune/search/ask_tell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "paretune/core/file.hpp"
#include "paretune/core/random.hpp"
#include "paretune/pareto/hypervolume.hpp"

namespace paretune::search {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

const Json kProblem = Json::parse(R"({
  "space": {"a": {"values": [1, 2, 4]}, "b": ["x", "y"], "c": {"values": [1, 8], "live": true, "unheard of": 1}},
  "objectives": [{"metric": "tps", "direction": "max"}, {"metric": "lat", "direction": "minimize"}],
  "limits": ["lat <= 80ms"], "method": "random", "seed": 3, "unknown": {"key": 1}})");

AskTell session_of(const Json& problem) {
  core::Result<AskTell> session = AskTell::start(problem.dump());
  EXPECT_TRUE(session.ok()) << (session ? "" : session.error().message);
  return std::move(*session);
}

std::string refusal(const Json& problem) {
  const core::Result<AskTell> session = AskTell::start(problem.dump());
  return session ? "" : AskTell::error_line(session.error());
}

Json reply(AskTell& session, const Json& line) {
  const std::optional<std::string> answer = session.answer(line.dump());
  return answer ? Json::parse(*answer) : Json(nullptr);
}

Json measured(const Json& id, double tps, double lat) {
  return {{"tell", {{{"id", id}, {"metrics", {{"tps", tps}, {"lat", lat}}}}}}};
}

TEST(AskTell, ProposesPointsWithRestartAndLiveParametersApart) {
  AskTell session = session_of(kProblem);
  const Json points = reply(session, {{"ask", 2}}).at("points");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at("id"), 1);
  EXPECT_EQ(points[1].at("id"), 2);
  for (const Json& point : points) {
    EXPECT_EQ(point.at("configuration").size(), 2U);
    EXPECT_EQ(point.at("live").size(), 1U);
    EXPECT_TRUE(point.at("live").contains("c"));
  }
  EXPECT_TRUE(reply(session, measured(1, 10, 20)).is_null()) << "a valid tell has no reply";
}

TEST(AskTell, ReturnsNoPointsWhenTheSpaceOrTheBudgetIsUsedUp) {
  AskTell all = session_of(kProblem);
  EXPECT_EQ(reply(all, {{"ask", 100}}).at("points").size(), 12U);
  EXPECT_TRUE(reply(all, {{"ask", 1}}).at("points").empty());
  Json problem = kProblem;
  problem["budget"] = {{"points", 5}};
  AskTell bounded = session_of(problem);
  EXPECT_EQ(reply(bounded, {{"ask", 9}}).at("points").size(), 5U);
  EXPECT_TRUE(reply(bounded, {{"ask", 1}}).at("points").empty());
}

TEST(AskTell, AnswersMalformedLinesWithAnErrorAndChangesNothing) {
  AskTell session = session_of(kProblem);
  reply(session, {{"ask", 2}});
  const std::string before = *session.answer(R"({"front": true})");
  for (const char* line :
       {"", "x", "[1]", "{}", R"({"ask": 0})", R"({"ask": true})", R"({"ask": 1, "front": true})",
        R"({"front": 1})", R"({"tell": {}})", R"({"tell": [{"id": 9, "failed": "x"}]})",
        R"({"tell": [{"metrics": {}}]})", R"({"tell": [{"id": 1}]})", R"({"tell": [{"id": 1, "failed": 3}]})",
        R"({"tell": [{"id": 1, "metrics": {"tps": 1}}]})",
        R"({"tell": [{"id": 1, "metrics": {"tps": NaN, "lat": 1}}]})",
        R"({"tell": [{"id": 1, "failed": "x", "scope": "server"}]})",
        R"({"tell": [{"id": 1, "metrics": {"tps": 1, "lat": 1}}, {"id": 1, "failed": "x"}]})"}) {
    const std::optional<std::string> answer = session.answer(line);
    ASSERT_TRUE(answer.has_value()) << line;
    EXPECT_TRUE(Json::parse(*answer).contains("error")) << line;
  }
  EXPECT_EQ(*session.answer(R"({"front": true})"), before);
  EXPECT_TRUE(reply(session, measured(1, 10, 20)).is_null()) << "id 1 is still open";
  EXPECT_THAT(reply(session, measured(1, 10, 20)).at("error").get<std::string>(), HasSubstr("told before"));
}

TEST(AskTell, NamesEveryFaultOfTheFirstLine) {
  Json problem = kProblem;
  problem["space"]["a"] = {{"min", 3}, {"max", 1}};
  problem["objectives"][0]["direction"] = "up";
  problem["limits"] = {"lat ~ 3"};
  const std::string message = refusal(problem);
  EXPECT_THAT(message, HasSubstr("space.a"));
  EXPECT_THAT(message, HasSubstr("'up'"));
  EXPECT_THAT(message, HasSubstr("lat ~ 3"));
}

TEST(AskTell, RefusesMethodsThatAreNotThere) {
  Json problem = kProblem;
  problem["method"] = "mobo";
  EXPECT_THAT(refusal(problem), HasSubstr("not available yet"));
  problem["method"] = "nsga";
  EXPECT_THAT(refusal(problem), HasSubstr("nsga2"));
}

TEST(AskTell, RulesOutAConfigurationAfterALaunchFailureButNotAfterAFailedPoint) {
  for (const bool launch : {false, true}) {
    AskTell session = session_of(kProblem);
    const Json first = reply(session, {{"ask", 1}}).at("points").at(0);
    reply(session, {{"tell", {{{"id", 1}, {"failed", launch ? "out_of_memory" : "timeout"}}}}});
    int same = 0;
    const Json answered = reply(session, {{"ask", 100}});  // kept: a range does not keep a temporary alive
    for (const Json& point : answered.at("points")) {
      same += point.at("configuration") == first.at("configuration");
    }
    EXPECT_EQ(same, launch ? 0 : 1);
  }
}

TEST(AskTell, TakesTheScopeOfAFailureFromTheTellerIfGiven) {
  AskTell session = session_of(kProblem);
  reply(session, {{"ask", 1}});
  reply(session, {{"tell", {{{"id", 1}, {"failed", "out_of_memory"}, {"scope", "point"}}}}});
  EXPECT_EQ(reply(session, {{"ask", 100}}).at("points").size(), 11U);
}

TEST(AskTell, ShowsTheFeasibleFrontInTheFormOfFrontJson) {
  Json problem = kProblem;
  problem["reference_point"] = {{"tps", 1}, {"lat", 100}};
  AskTell session = session_of(problem);
  reply(session, {{"ask", 4}});
  reply(session, measured(1, 10, 20));
  reply(session, measured(2, 100, 90));  // over the limit
  reply(session, measured(3, 5, 30));    // dominated
  reply(session, {{"tell", {{{"id", 4}, {"failed", "crash"}}}}});
  const Json front = reply(session, {{"front", true}});
  EXPECT_EQ(front.at("objectives")[0], Json::parse(R"({"metric": "tps", "direction": "max", "unit": null})"));
  EXPECT_EQ(front.at("limits"), Json::parse(R"(["lat <= 80ms"])"));
  EXPECT_EQ(front.at("reference_point"), problem.at("reference_point"));
  EXPECT_DOUBLE_EQ(front.at("hypervolume").get<double>(), 9.0 * 80);
  EXPECT_NEAR(front.at("hypervolume_log").get<double>(), std::log(10.0) * std::log(5.0), 1e-12);
  ASSERT_EQ(front.at("points").size(), 1U);
  EXPECT_EQ(front.at("points")[0].at("id"), 1);
  EXPECT_EQ(front.at("points")[0].at("knee"), true);
  EXPECT_EQ(front.at("failures")[0].at("class"), "crash");
  EXPECT_FALSE(front.contains("nearest"));
}

TEST(AskTell, NamesTheNearestPointWhenNothingIsFeasible) {
  AskTell session = session_of(kProblem);
  reply(session, {{"ask", 2}});
  reply(session, measured(1, 10, 120));
  reply(session, measured(2, 10, 100));
  const Json front = reply(session, {{"front", true}});
  EXPECT_TRUE(front.at("points").empty());
  EXPECT_TRUE(front.at("reference_point").is_null());
  EXPECT_EQ(front.at("nearest").at("id"), 2);
  EXPECT_DOUBLE_EQ(front.at("nearest").at("violation").get<double>(), 0.25);
}

TEST(AskTell, CountsAnUnmeasuredMetricAsAFailedPoint) {
  AskTell session = session_of(kProblem);
  reply(session, {{"ask", 1}});
  EXPECT_TRUE(
      reply(session, Json::parse(R"({"tell": [{"id": 1, "metrics": {"tps": null, "lat": 2}}]})")).is_null());
  EXPECT_EQ(reply(session, {{"front", true}}).at("failures")[0].at("class"), "not_measured");
}

TEST(AskTell, ProposesOnlyCandidatesInEitherForm) {
  Json problem = kProblem;
  problem["candidates"] =
      Json::parse(R"([{"a": 1, "b": "x", "c": 8}, {"configuration": {"a": 4, "b": "y"}, "live": {"c": 1}}])");
  AskTell session = session_of(problem);
  EXPECT_EQ(reply(session, {{"ask", 9}}).at("points").size(), 2U);
}

TEST(AskTell, StartsWithWhatThePriorExpects) {
  Json problem = kProblem;
  problem["method"] = "nsga2";
  problem["prior"] = Json::parse(R"([
    {"configuration": {"a": 1, "b": "x"}, "live": {"c": 1}, "metrics": {"tps": 1, "lat": 50}},
    {"configuration": {"a": 4, "b": "y"}, "live": {"c": 8}, "metrics": {"tps": 9, "lat": 5}}])");
  AskTell session = session_of(problem);
  EXPECT_EQ(reply(session, {{"ask", 1}}).at("points")[0].at("configuration"),
            Json::parse(R"({"a": 4, "b": "y"})"));
}

/// A table of measured servers (its source and licence are in the file); launches that are not in it fail.
class Table {
 public:
  Table() : problem_(Json::parse(core::read_file(PARETUNE_TEST_DATA "/search/qwen32-h100.json").value())) {
    for (const Json& row : problem_.at("rows")) rows_[row.at("x").dump()] = row.at("y");
  }
  Json first_line(const std::string& method, int seed) const {
    Json line{{"method", method}, {"seed", seed}, {"budget", {{"points", budget()}}}};
    for (const Json& v : problem_.at("variables"))
      line["space"][v.at("name").get<std::string>()] = {{"values", v.at("values")}};
    for (const Json& o : problem_.at("objectives")) {
      line["objectives"].push_back({{"metric", o.at("name")}, {"direction", o.at("direction")}});
    }
    return line;
  }
  std::size_t budget() const { return problem_.at("budget"); }
  const Json* measure(const Json& configuration) const {
    const auto row = rows_.find(configuration.dump());
    return row == rows_.end() ? nullptr : &row->second;
  }
  /// Share of the true hypervolume, in the normalised logarithmic units of the file.
  double share(const std::vector<const Json*>& found) const {
    const Json& objectives = problem_.at("objectives");
    pareto::CostMatrix costs(objectives.size());
    for (const Json* metrics : found) {
      pareto::CostVector row;
      for (std::size_t j = 0; j < objectives.size(); ++j) {
        const double sign = objectives[j].at("direction") == "maximize" ? -1 : 1;
        const auto scaled = [&](double value) { return sign * std::log(value); };
        const double ideal = scaled(problem_.at("ideal")[j]);
        const double value = metrics->at(objectives[j].at("name").get<std::string>());
        row.push_back((scaled(value) - ideal) / (scaled(problem_.at("nadir")[j]) - ideal));
      }
      costs.add(row);
    }
    const pareto::CostVector reference(objectives.size(), 1.1);
    return pareto::hypervolume(costs, reference) / problem_.at("true_hv").get<double>();
  }

 private:
  Json problem_;
  std::map<std::string, Json> rows_;
};

double median_share(const Table& table, const std::string& method) {
  std::vector<double> shares;
  for (int seed = 1; seed <= 9; ++seed) {
    AskTell session = session_of(table.first_line(method, seed));
    std::vector<const Json*> found;
    std::set<std::string> seen;
    for (Json points = reply(session, {{"ask", 1}}).at("points"); !points.empty();
         points = reply(session, {{"ask", 1}}).at("points")) {
      const Json& configuration = points[0].at("configuration");
      EXPECT_TRUE(seen.insert(configuration.dump()).second) << method << " repeats " << configuration;
      const Json* metrics = table.measure(configuration);
      Json entry{{"id", points[0].at("id")}};
      if (metrics != nullptr) {
        entry["metrics"] = *metrics;
        found.push_back(metrics);
      } else {
        entry["failed"] = "launch_failed";
      }
      EXPECT_TRUE(reply(session, {{"tell", Json::array({entry})}}).is_null());
    }
    EXPECT_EQ(seen.size(), table.budget());
    shares.push_back(table.share(found));
  }
  std::sort(shares.begin(), shares.end());
  return shares[4];
}

TEST(AskTell, FindsMoreOfAMeasuredFrontWithNsga2ThanAtRandom) {
  const Table table;
  const double nsga2 = median_share(table, "nsga2");
  EXPECT_GT(nsga2, median_share(table, "random"));
  EXPECT_GT(nsga2, 0.95);
  EXPECT_LE(nsga2, 1 + 1e-9);
}

/// 10,000 lines of asks, late and repeated tells, failures and rubbish.
TEST(AskTell, SurvivesAnUnreliableEvaluator) {
  core::Random random(5);
  std::size_t lines = 0;
  while (lines < 10'000) {
    Json problem = kProblem;
    problem["space"]["d"] = {{"min", 1}, {"max", 40}, {"step", 1}};
    problem["space"]["e"] = {{"values", {1, 2, 3}}, {"when", "b == x"}};
    problem["method"] = random.chance(0.5) ? "nsga2" : "sobol";
    problem["seed"] = random.index(1000);
    AskTell session = session_of(problem);
    std::vector<Json> open;
    std::set<std::string> seen;
    std::set<std::string> ruled_out;
    for (int i = 0; i < 250; ++i, ++lines) {
      const Json answered = reply(session, {{"ask", 1 + random.index(3)}});  // kept: a range does not keep a temporary alive
      for (const Json& point : answered.at("points")) {
        EXPECT_TRUE(seen.insert(point.at("configuration").dump() + point.at("live").dump()).second);
        EXPECT_FALSE(ruled_out.contains(point.at("configuration").dump()));
        EXPECT_EQ(point.at("configuration").contains("e"), point.at("configuration").at("b") == "x");
        open.push_back(point);
      }
      random.shuffle(open);
      while (!open.empty() && random.chance(0.6)) {
        const Json point = open.back();
        open.pop_back();
        Json entry{{"id", point.at("id")}};
        if (random.chance(0.2)) {
          entry["failed"] = "crash";
          ruled_out.insert(point.at("configuration").dump());
        } else {
          entry["metrics"] = {{"tps", random.uniform()},
                              {"lat", random.chance(0.1) ? Json(nullptr) : Json(100 * random.uniform())}};
        }
        EXPECT_TRUE(reply(session, {{"tell", Json::array({entry})}}).is_null());
        if (random.chance(0.1)) {
          EXPECT_TRUE(reply(session, {{"tell", Json::array({entry})}}).contains("error"));
        }
      }
      if (random.chance(0.05)) {
        EXPECT_TRUE(reply(session, {{"front", true}}).contains("hypervolume"));
      }
    }
  }
}

}  // namespace
}  // namespace paretune::search
