// Hypervolume of three costs: sweep in the third cost, the covered area of the plane kept as a staircase.
// Source: Beume, Fonseca, López-Ibáñez, Paquete & Vahrenhold, IEEE TEVC 13(5), 2009 (the sweep and its
// bound).
#include <algorithm>
#include <cstdint>

#include "pareto/rank_set.hpp"
#include "pareto/volumes.hpp"

namespace paretune::pareto {

namespace {

struct Spot {
  double x, y, z;
};

/// Steps of the staircase as ranks by (x, y, z), so that of equal x the lower y comes first.
class SweptArea {
 public:
  explicit SweptArea(const std::vector<Spot>& by_rank) : by_rank_(by_rank), steps_(by_rank.size()) {}

  double area() const { return area_; }

  void add(std::size_t rank) {
    const Spot& spot = by_rank_[rank];
    const std::size_t left = steps_.before(rank);
    const double ceiling = left == RankSet::kNone ? 0.0 : by_rank_[left].y;
    if (ceiling <= spot.y) return;  // a step to the left is as low: covered already
    double x = spot.x;
    double height = ceiling;
    std::size_t right = steps_.after(rank);
    for (; right != RankSet::kNone && by_rank_[right].y >= spot.y; right = steps_.after(rank)) {
      area_ += (by_rank_[right].x - x) * (height - spot.y);
      x = by_rank_[right].x;
      height = by_rank_[right].y;
      steps_.erase(right);
    }
    const double end = right == RankSet::kNone ? 0.0 : by_rank_[right].x;
    area_ += (end - x) * (height - spot.y);
    steps_.insert(rank);
  }

 private:
  const std::vector<Spot>& by_rank_;
  RankSet steps_;
  double area_ = 0;
};

}  // namespace

double volume_3d(const ShiftedCosts& costs) {
  struct Height {
    double z;
    std::uint32_t rank;
  };
  std::vector<Spot> spots(costs.size());
  for (std::size_t i = 0; i < spots.size(); ++i)
    spots[i] = {costs.row(i)[0], costs.row(i)[1], costs.row(i)[2]};
  std::sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.z < b.z;
  });
  std::vector<Height> heights(spots.size());
  for (std::size_t i = 0; i < spots.size(); ++i) heights[i] = {spots[i].z, static_cast<std::uint32_t>(i)};
  std::sort(heights.begin(), heights.end(),
            [](const Height& a, const Height& b) { return a.z != b.z ? a.z < b.z : a.rank < b.rank; });

  SweptArea swept(spots);
  double volume = 0;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    swept.add(heights[k].rank);
    const double next = k + 1 < heights.size() ? heights[k + 1].z : 0.0;
    volume += swept.area() * (next - heights[k].z);
  }
  return volume;
}

}  // namespace paretune::pareto
