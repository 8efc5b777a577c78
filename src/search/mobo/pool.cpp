#include "search/mobo/pool.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "search/mobo/coordinates.hpp"

namespace paretune::search {
namespace {

constexpr std::size_t kContinuousLevels = 16;  // of a live axis without levels
constexpr std::size_t kMostNeighbourLevels = 24;
constexpr std::size_t kMostLevels = 256;

/// All combinations of the live axes, as codes with restart axes 0.
std::vector<space::Code> all_levels(const space::Space& space) {
  std::vector<space::Code> levels{space::Code(space.axes().size(), 0.0)};
  for (std::size_t i = 0; i < space.axes().size(); ++i) {
    const space::Axis& axis = space.axes()[i];
    if (!axis.live) continue;
    std::vector<double> values;
    if (axis.levels) {
      for (std::size_t v = 0; v < *axis.levels; ++v) values.push_back(static_cast<double>(v));
    } else {
      for (std::size_t v = 0; v < kContinuousLevels; ++v) {
        std::vector<double> unit(space.axes().size(), 0.5);
        unit[i] = (static_cast<double>(v) + 0.5) / static_cast<double>(kContinuousLevels);
        values.push_back(space.from_unit(unit)[i]);
      }
    }
    std::vector<space::Code> grown;
    for (const space::Code& level : levels) {
      for (const double value : values) {
        grown.push_back(level);
        grown.back()[i] = value;
      }
    }
    levels = std::move(grown);
    if (levels.size() > kMostLevels) levels.resize(kMostLevels);
  }
  return levels;
}

void fill_existing(const space::Space& space, Pool& pool) {
  const bool rules = !space.constraints().empty();
  pool.exists.assign(pool.launches.size(), std::vector<bool>(pool.levels.size(), true));
  if (!rules) return;
  for (std::size_t c = 0; c < pool.launches.size(); ++c) {
    for (std::size_t l = 0; l < pool.levels.size(); ++l) pool.exists[c][l] = space.valid(pool.point(space, c, l));
  }
}

Pool candidate_pool(const Problem& problem) {
  Pool pool;
  std::map<space::Code, std::size_t> launch_index, level_index;
  std::vector<std::pair<std::size_t, std::size_t>> points;
  for (const space::Point& candidate : problem.candidates) {
    const auto code = problem.space.encode(candidate);
    if (!code) continue;
    const space::Code launch = restart_part(problem.space, *code);
    space::Code level = *code;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!problem.space.axes()[i].live) level[i] = 0;
    }
    const auto c = launch_index.try_emplace(launch, pool.launches.size());
    if (c.second) pool.launches.push_back(launch);
    const auto l = level_index.try_emplace(level, pool.levels.size());
    if (l.second) pool.levels.push_back(level);
    points.emplace_back(c.first->second, l.first->second);
  }
  pool.exists.assign(pool.launches.size(), std::vector<bool>(pool.levels.size(), false));
  for (const auto& [c, l] : points) pool.exists[c][l] = true;
  return pool;
}

space::Code moved(const space::Space& space, const space::Code& launch, std::size_t axis, double value) {
  space::Code code = launch;
  code[axis] = value;
  return space.canonical(std::move(code));
}

}  // namespace

space::Code Pool::point(const space::Space& space, std::size_t launch, std::size_t level) const {
  space::Code code = launches[launch];
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (space.axes()[i].live) code[i] = levels[level][i];
  }
  return space.canonical(std::move(code));
}

bool is_enumerable(const space::Space& space, std::size_t most) {
  for (const space::Axis& axis : space.axes()) {
    if (!axis.live && !axis.levels) return false;
  }
  const auto count = space.count_configurations();
  if (!count || count->saturated()) return false;
  const auto exact = count->as_uint64();
  return exact && *exact <= most;
}

Pool whole_pool(const Problem& problem) {
  if (!problem.candidates.empty()) return candidate_pool(problem);
  std::vector<space::Code> launches;
  problem.space.for_each_configuration([&](const space::Code& code) {
    launches.push_back(code);
    return true;
  });
  return pool_of(problem, std::move(launches));
}

Pool pool_of(const Problem& problem, std::vector<space::Code> launches) {
  Pool pool;
  pool.launches = std::move(launches);
  pool.levels = all_levels(problem.space);
  fill_existing(problem.space, pool);
  return pool;
}

std::vector<space::Code> neighbours(const space::Space& space, const space::Code& launch, core::Random& random) {
  std::vector<space::Code> result;
  for (std::size_t i = 0; i < space.axes().size(); ++i) {
    const space::Axis& axis = space.axes()[i];
    if (axis.live) continue;
    if (!axis.levels) {
      const std::vector<double> unit = space.to_unit(launch);
      for (const double step : {-0.2, -0.05, 0.05, 0.2}) {
        std::vector<double> to = unit;
        to[i] = std::clamp(unit[i] + step * (0.5 + random.uniform()), 0.0, 1.0);
        result.push_back(moved(space, launch, i, space.from_unit(to)[i]));
      }
    } else if (axis.ordered) {
      if (launch[i] > 0) result.push_back(moved(space, launch, i, launch[i] - 1));
      if (launch[i] + 1 < static_cast<double>(*axis.levels)) result.push_back(moved(space, launch, i, launch[i] + 1));
    } else {
      const std::size_t most = std::min(*axis.levels, kMostNeighbourLevels);
      for (std::size_t v = 0; v < most; ++v) {
        const auto value = static_cast<double>(most == *axis.levels ? v : random.index(*axis.levels));
        if (value != launch[i]) result.push_back(moved(space, launch, i, value));
      }
    }
  }
  std::erase_if(result, [&](const space::Code& code) { return !space.valid(code); });
  return result;
}

Pool sampled_pool(const Problem& problem, const std::vector<space::Code>& good, std::size_t count,
                  core::Random& random) {
  std::set<space::Code> launches;
  for (const space::Code& code : good) {
    launches.insert(code);
    for (space::Code& near : neighbours(problem.space, code, random)) {
      // Two steps: most improvements of a front member change one or two parameters.
      if (random.chance(0.3)) {
        for (space::Code& next : neighbours(problem.space, near, random)) {
          if (random.chance(0.1)) launches.insert(restart_part(problem.space, std::move(next)));
        }
      }
      launches.insert(restart_part(problem.space, std::move(near)));
    }
  }
  for (std::size_t i = 0; i < 2 * count && launches.size() < count; ++i) {
    const auto code = problem.space.sample(random);
    if (!code) break;
    launches.insert(restart_part(problem.space, *code));
  }
  return pool_of(problem, {launches.begin(), launches.end()});
}

}  // namespace paretune::search
