// Random small spaces against a slow, obviously right reading of the rules: every combination is built,
// activity is decided by looking names up in maps, and equal servers are found by comparing points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "paretune/space/space.hpp"

namespace paretune::space {
namespace {

using core::Random;

struct RandomSpace {
  std::vector<Parameter> parameters;
  std::vector<Link> links;
  std::vector<std::string> constraints;
  Configuration fixed{{"fixed-number", Value(std::int64_t{2})}, {"fixed-word", Value(std::string("on"))}};

  std::string describe() const {
    std::string text;
    for (const Parameter& parameter : parameters) {
      text += parameter.name + "(" + std::to_string(level_count(parameter.domain).value_or(0)) + ")";
      if (parameter.live) text += " live";
      if (parameter.when) text += " when " + parameter.when->text();
      text += "; ";
    }
    for (const Link& link : links) text += "link " + link.names[0] + "+" + link.names[1] + "; ";
    for (const std::string& constraint : constraints) text += "constraint " + constraint + "; ";
    return text;
  }
};

bool is_numeric(const std::string& name) {
  return name[0] == 'n';
}

/// A comparison over names; numeric parameters begin with n, texts with t.
std::string random_term(const std::vector<std::string>& names, Random& random) {
  const std::string& name = names[random.index(names.size())];
  if (!is_numeric(name)) {
    static const std::vector<std::string> kForms{" == a", " != b", " in [a, c]", " == fixed-word",
                                                 " not in [c]"};
    return name + kForms[random.index(kForms.size())];
  }
  std::string other = std::to_string(random.index(4));
  const std::string& second = names[random.index(names.size())];
  if (random.chance(0.5) && is_numeric(second)) other = second;
  static const std::vector<std::string> kForms{
      " <= ", " > ", " == ", " != ", " * 2 >= ", " + fixed-number < ", " % 2 == "};
  return name + kForms[random.index(kForms.size())] + other;
}

std::string random_expression(const std::vector<std::string>& names, Random& random) {
  std::string text = random_term(names, random);
  while (random.chance(0.35)) {
    text = "(" + text + ")" + (random.chance(0.5) ? " or " : " and ") + random_term(names, random);
  }
  return random.chance(0.2) ? "not (" + text + ")" : text;
}

Parameter random_parameter(std::size_t index, Random& random) {
  Parameter parameter;
  const bool number = random.chance(0.6);
  parameter.name = (number ? "n" : "t") + std::to_string(index);
  const std::size_t levels = 1 + random.index(4);
  if (number && random.chance(0.5)) {
    parameter.domain = SteppedRange{1, static_cast<double>(levels), 1, true, 0, levels};
    return parameter;
  }
  LevelList list;
  for (std::size_t i = 0; i < levels; ++i) {
    if (number) {
      list.levels.push_back({static_cast<std::int64_t>(i), std::to_string(i)});
    } else {
      const std::string word(1, static_cast<char>('a' + i));
      list.levels.push_back({word, word});
    }
  }
  parameter.ordered = number;
  parameter.domain = std::move(list);
  return parameter;
}

Link random_link(const Parameter& a, const Parameter& b, Random& random) {
  Link link{{a.name, b.name}, {}};
  for (std::size_t i = 0; i < *level_count(a.domain); ++i) {
    for (std::size_t j = 0; j < *level_count(b.domain); ++j) {
      if (link.rows.empty() || random.chance(0.6))
        link.rows.push_back({level_at(a.domain, i), level_at(b.domain, j)});
    }
  }
  return link;
}

RandomSpace random_space(Random& random) {
  RandomSpace space;
  const std::size_t size = 1 + random.index(6);
  std::vector<std::string> names, restart_names;
  for (std::size_t i = 0; i < size; ++i) {
    space.parameters.push_back(random_parameter(i, random));
    space.parameters.back().live = random.chance(0.25);
    names.push_back(space.parameters.back().name);
    if (!space.parameters.back().live) restart_names.push_back(names.back());
  }
  std::vector<std::string> known = names;
  for (const auto& [name, value] : space.fixed) known.push_back(name);
  const bool linked =
      size >= 2 && space.parameters[0].live == space.parameters[size - 1].live && random.chance(0.4);
  if (linked) space.links.push_back(random_link(space.parameters[0], space.parameters[size - 1], random));
  // A condition names parameters of lower rank in a random order, so that there are no cycles.
  std::vector<std::size_t> rank(size);
  for (std::size_t i = 0; i < size; ++i) rank[i] = i;
  random.shuffle(rank);
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<std::string> usable;
    for (std::size_t j = 0; j < size; ++j) {
      const bool allowed = space.parameters[i].live || !space.parameters[j].live;
      if (rank[j] < rank[i] && allowed) usable.push_back(names[j]);
    }
    if (usable.empty() || !random.chance(0.4)) continue;
    space.parameters[i].when = Expression::parse(random_expression(usable, random), known).value();
  }
  while (random.chance(0.5)) space.constraints.push_back(random_expression(names, random));
  return space;
}

/// The slow reading.
class Reference {
 public:
  explicit Reference(const RandomSpace& space) : space_(space) {
    std::vector<std::string> known;
    for (const Parameter& parameter : space.parameters) known.push_back(parameter.name);
    for (const auto& [name, value] : space.fixed) known.push_back(name);
    for (const std::string& text : space.constraints)
      constraints_.push_back(Expression::parse(text, known).value());
    extend(0);
  }

  std::set<Point> points;
  std::set<Configuration> configurations;
  std::map<Configuration, std::set<LiveSetting>> live_settings;

 private:
  void extend(std::size_t index) {
    if (index == space_.parameters.size()) {
      record();
      return;
    }
    const Parameter& parameter = space_.parameters[index];
    const bool is_linked = !space_.links.empty() && (parameter.name == space_.links[0].names[0] ||
                                                     parameter.name == space_.links[0].names[1]);
    if (!is_linked) {
      for (std::size_t level = 0; level < *level_count(parameter.domain); ++level) {
        chosen_[parameter.name] = level_at(parameter.domain, level).value;
        extend(index + 1);
      }
      return;
    }
    if (parameter.name == space_.links[0].names[1]) {
      extend(index + 1);
      return;
    }
    for (const auto& row : space_.links[0].rows) {
      chosen_[space_.links[0].names[0]] = row[0].value;
      chosen_[space_.links[0].names[1]] = row[1].value;
      extend(index + 1);
    }
  }

  std::optional<Value> look_up(std::string_view name) const {
    const auto fixed = space_.fixed.find(std::string(name));
    if (fixed != space_.fixed.end()) return fixed->second;
    if (!is_active(name)) return std::nullopt;
    return chosen_.at(std::string(name));
  }

  bool is_active(std::string_view name) const {
    for (const Parameter& parameter : space_.parameters) {
      if (parameter.name != name) continue;
      return !parameter.when ||
             parameter.when->holds([this](std::string_view other) { return look_up(other); });
    }
    return false;
  }

  void record() {
    for (const Expression& constraint : constraints_) {
      if (!constraint.holds_or_inactive([this](std::string_view name) { return look_up(name); })) return;
    }
    Point point;
    for (const Parameter& parameter : space_.parameters) {
      if (!is_active(parameter.name)) continue;
      (parameter.live ? point.live : point.configuration)[parameter.name] = chosen_.at(parameter.name);
    }
    configurations.insert(point.configuration);
    live_settings[point.configuration].insert(point.live);
    points.insert(std::move(point));
  }

  const RandomSpace& space_;
  std::vector<Expression> constraints_;
  std::map<std::string, Value> chosen_;
};

struct Case {
  explicit Case(int seed)
      : random(static_cast<std::uint64_t>(seed)), random_space(paretune::space::random_space(random)) {
    core::Result<Space> created = Space::create(random_space.parameters, random_space.links,
                                                random_space.constraints, random_space.fixed);
    if (!created) throw std::runtime_error(created.error().message + " in " + random_space.describe());
    space = std::move(*created);
  }
  Random random;
  RandomSpace random_space;
  Space space;
};

/// Runs `check` on many random spaces and stops at the first that fails.
void for_random_spaces(const std::function<void(Case&)>& check) {
  for (int seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    Case one(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + one.random_space.describe());
    check(one);
  }
}

void agrees_with_the_slow_reading(Case& one) {
  const Reference reference(one.random_space);
  EXPECT_EQ(one.space.count_points()->to_string(), std::to_string(reference.points.size()));
  EXPECT_EQ(one.space.count_configurations()->to_string(), std::to_string(reference.configurations.size()));

  std::set<Point> points;
  std::set<Configuration> configurations;
  Code previous;
  one.space.for_each_configuration([&](const Code& code) {
    EXPECT_TRUE(previous.empty() || previous < code) << "not in lexicographic order";
    previous = code;
    std::vector<Code> live = one.space.live_codes(code);
    EXPECT_TRUE(std::is_sorted(live.begin(), live.end()));
    EXPECT_FALSE(live.empty());
    EXPECT_TRUE(configurations.insert(one.space.decode(code).configuration).second) << "a server twice";
    for (const Code& each : live) {
      EXPECT_TRUE(one.space.valid(each));
      EXPECT_EQ(one.space.canonical(each), each);
      EXPECT_TRUE(points.insert(one.space.decode(each)).second) << "a point twice";
    }
    return true;
  });
  EXPECT_EQ(configurations, reference.configurations);
  EXPECT_EQ(points, reference.points);
}

void encodes_what_it_decodes(Case& one) {
  for (int i = 0; i < 50; ++i) {
    std::vector<double> unit;
    for (std::size_t a = 0; a < one.space.axes().size(); ++a) unit.push_back(one.random.uniform());
    const Code code = one.space.from_unit(unit);
    EXPECT_EQ(one.space.from_unit(one.space.to_unit(code)), code);
    const Code canonical = one.space.canonical(code);
    EXPECT_EQ(one.space.canonical(canonical), canonical);
    EXPECT_EQ(one.space.decode(canonical), one.space.decode(code));
    EXPECT_EQ(one.space.valid(canonical), one.space.valid(code));
    EXPECT_EQ(one.space.encode(one.space.decode(code)), canonical);
  }
}

void samples_uniformly(Case& one) {
  const Reference reference(one.random_space);
  std::map<Point, int> hits;
  const int draws = 200 + 30 * static_cast<int>(reference.points.size());
  for (int i = 0; i < draws; ++i) {
    const std::optional<Code> code = one.space.sample(one.random);
    ASSERT_EQ(code.has_value(), !reference.points.empty());
    if (!code) return;
    EXPECT_EQ(one.space.canonical(*code), *code);
    ++hits[one.space.decode(*code)];
  }
  EXPECT_EQ(hits.size(), reference.points.size());
  // Uniform: each count is binomial; six deviations leave no room for chance over all seeds.
  const double expected = static_cast<double>(draws) / static_cast<double>(reference.points.size());
  for (const auto& [point, count] : hits) {
    EXPECT_TRUE(reference.points.count(point) > 0);
    EXPECT_NEAR(count, expected, 6 * std::sqrt(expected) + 1);
  }
}

TEST(RandomSpaces, CountAndEnumerateLikeTheSlowReading) {
  for_random_spaces(agrees_with_the_slow_reading);
}

TEST(RandomSpaces, EncodeWhatTheyDecode) {
  for_random_spaces(encodes_what_it_decodes);
}

TEST(RandomSpaces, SampleUniformlyAndOnlyValidCodes) {
  for_random_spaces(samples_uniformly);
}

}  // namespace
}  // namespace paretune::space
