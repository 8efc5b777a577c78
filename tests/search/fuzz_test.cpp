// Every method on random spaces with conditions, constraints, links and live parameters, against an evaluator
// that fails, returns NaN, answers late and out of order. Over 10^4 asks in total.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "search/support.hpp"

namespace paretune::search {
namespace {

using testing::problem_of;
using testing::searcher_of;
using testing::space_of;

struct RandomSpace {
  space::Space space;
  bool continuous = false;
};

RandomSpace random_space(core::Random& random, bool may_be_continuous) {
  RandomSpace made;
  std::string yaml =
      "a: {min: 1, max: " + std::to_string(1 + random.index(5)) + ", step: 1}\nmode: [x, y, z]\n";
  std::vector<std::string> live;
  std::vector<std::string> constraints;
  if (random.chance(0.5)) yaml += "k: {values: [1, 2, 3], when: \"mode == x\"}\n";
  if (random.chance(0.5)) yaml += "p: {min: 1, max: 8, scale: log2}\n";
  if (random.chance(0.3)) yaml += "linked: {link: [tp, pp], values: [[1, 8], [2, 4], [4, 2]]}\n";
  if (random.chance(0.4)) {
    yaml += "c: [1, 2, 4]\n";
    live.push_back("c");
    if (random.chance(0.5)) constraints.push_back("c <= a + 2");
  }
  if (random.chance(0.5)) constraints.push_back("a <= 3 or mode != y");
  if (may_be_continuous && random.chance(0.3)) {
    made.continuous = true;
    yaml += "u: {min: 0.5, max: 0.9, type: real}\n";
  }
  made.space = space_of(yaml, live, constraints);
  return made;
}

/// Answers proposals late, in random order, sometimes with a failure, NaN or a violation.
class UnreliableEvaluator {
 public:
  UnreliableEvaluator(Searcher& searcher, std::uint64_t seed) : searcher_(searcher), random_(seed) {}

  void take(const Proposal& proposal) { waiting_.push_back(proposal); }
  const std::set<space::Configuration>& ruled_out() const { return ruled_out_; }

  void answer_some(std::size_t leave_at_most) {
    random_.shuffle(waiting_);
    while (waiting_.size() > leave_at_most || (!waiting_.empty() && random_.chance(0.5))) {
      const Proposal proposal = waiting_.back();
      waiting_.pop_back();
      Observation observation = testing::told(proposal, {random_.uniform(), random_.uniform()});
      const double fate = random_.uniform();
      if (fate < 0.15) {
        observation = testing::failed(proposal, FailureScope::Launch);
        ruled_out_.insert(proposal.point.configuration);
      } else if (fate < 0.25) {
        observation = testing::failed(proposal, FailureScope::Point);
      } else if (fate < 0.3) {
        observation.cost[0] = std::nan("");
      } else if (fate < 0.5) {
        observation.violation = random_.uniform();
      }
      testing::tell_one(searcher_, observation);
      if (random_.chance(0.05)) testing::tell_one(searcher_, observation);  // told twice
    }
  }

 private:
  Searcher& searcher_;
  core::Random random_;
  std::vector<Proposal> waiting_;
  std::set<space::Configuration> ruled_out_;
};

void expect_allowed(const space::Space& space, const space::Point& point) {
  const std::optional<space::Code> code = space.encode(point);
  ASSERT_TRUE(code.has_value()) << space::describe(point.configuration);
  EXPECT_TRUE(space.valid(*code)) << space::describe(point.configuration);
  EXPECT_EQ(space.decode(*code), point) << "an inactive parameter was given a value";
}

/// @return number of asks
std::size_t fuzz_once(const std::string& method, core::Random& random) {
  const RandomSpace made = random_space(random, method != "grid");
  Problem problem = problem_of(made.space, random.next());
  problem.whole_curves = random.chance(0.5);
  if (random.chance(0.5)) problem.budget_points = 5 + random.index(100);
  const auto searcher = searcher_of(method, problem);
  UnreliableEvaluator evaluator(*searcher, random.next());
  std::set<space::Point> seen;
  std::uint64_t last_id = 0;
  std::size_t asks = 0;
  for (bool exhausted = false; !exhausted && asks < 150; ++asks) {
    const std::size_t wanted = 1 + random.index(4);
    const std::vector<Proposal> proposals = searcher->ask({wanted, std::nullopt});
    EXPECT_LE(proposals.size(), wanted);
    for (const Proposal& proposal : proposals) {
      EXPECT_TRUE(seen.insert(proposal.point).second)
          << method << " repeats " << space::describe(proposal.point.configuration);
      EXPECT_FALSE(evaluator.ruled_out().contains(proposal.point.configuration)) << method;
      EXPECT_EQ(proposal.id, ++last_id);
      expect_allowed(made.space, proposal.point);
      evaluator.take(proposal);
    }
    evaluator.answer_some(3);
    exhausted = proposals.empty();
  }
  if (asks < 150) {  // exhausted: every point of a configuration that can run was proposed
    evaluator.answer_some(0);
    EXPECT_TRUE(searcher->ask({}).empty());
    made.space.for_each_configuration([&](const space::Code& configuration) {
      for (const space::Code& code : made.space.live_codes(configuration)) {
        const space::Point point = made.space.decode(code);
        EXPECT_TRUE(seen.contains(point) || evaluator.ruled_out().contains(point.configuration)) << method;
      }
      return true;
    });
  }
  return asks;
}

class Fuzz : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Fuzz, ::testing::ValuesIn(searcher_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(Fuzz, NeverRepeatsNorProposesWhatCannotRunAndEndsOnlyWhenAllIsUsed) {
  core::Random random(core::derive_seed(7, GetParam()));
  std::size_t asks = 0;
  for (int round = 0; round < 2000 && asks < 4000; ++round) asks += fuzz_once(GetParam(), random);
  EXPECT_GE(asks, 4000U);
}

TEST_P(Fuzz, ProposesTheSameForTheSameSeedAndTells) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto run_once = [&](std::uint64_t used) {
      Problem problem =
          problem_of(space_of("a: {min: 1, max: 9, step: 1}\nb: [x, y, z]\nc: [1, 2, 4, 8]"), used);
      return testing::run(*searcher_of(GetParam(), problem), 60,
                          [](const space::Point& p) -> std::optional<std::vector<double>> {
                            if (testing::number(p, "a") == 4) return std::nullopt;
                            return std::vector<double>{testing::number(p, "a"), 1 / testing::number(p, "c")};
                          });
    };
    EXPECT_EQ(run_once(seed), run_once(seed));
    EXPECT_EQ(run_once(seed) == run_once(seed + 100), GetParam() == "grid");
  }
}

TEST_P(Fuzz, UsesASmallSpaceUpExactly) {
  const space::Space space =
      space_of("a: [1, 2, 3]\nb: [x, y]\nk: {values: [1, 2, 3], when: \"b == y\"}", {}, {"a + k <= 5"});
  const auto points =
      testing::run(*searcher_of(GetParam(), problem_of(space)), 1000, [](const space::Point&) {
        return std::vector<double>{1, 1};
      });
  EXPECT_EQ(points.size(), space.count_points()->as_uint64());
}

}  // namespace
}  // namespace paretune::search
