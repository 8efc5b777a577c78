#include "pareto/cut_filter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace paretune::pareto {

namespace {

/// How many open members are looked at for the next pivot.
constexpr std::size_t kLookahead = 8;

double box_of(const CutFilter::Row& row) {
  return row[0] * row[1] * row[2] * row[3];
}

CutFilter::Row cut(const CutFilter::Row& row, const CutFilter::Row& corner) {
  return {std::max(row[0], corner[0]), std::max(row[1], corner[1]), std::max(row[2], corner[2]),
          std::max(row[3], corner[3])};
}

}  // namespace

CutFilter::CutFilter(const std::vector<Row>& rows)
    : words_((rows.size() + 63) / 64),
      position_(rows.size()),
      rows_(rows.size()),
      sets_(rows.size() * kCosts * words_),
      members_(words_),
      open_(words_) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return box_of(rows[a]) > box_of(rows[b]); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    position_[order[k]] = k;
    rows_[k] = rows[order[k]];
  }
  std::vector<std::uint64_t> set(words_);
  for (std::size_t j = 0; j < kCosts; ++j) {
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return rows_[a][j] > rows_[b][j]; });
    std::fill(set.begin(), set.end(), 0);
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      for (; end < order.size() && rows_[order[end]][j] == rows_[order[begin]][j]; ++end) {
        set[order[end] / 64] |= std::uint64_t{1} << (order[end] % 64);
      }
      for (; begin < end; ++begin) {
        std::copy(set.begin(), set.end(),
                  sets_.begin() + static_cast<std::ptrdiff_t>((order[begin] * kCosts + j) * words_));
      }
    }
  }
}

void CutFilter::add_member(std::size_t point) {
  members_[position_[point] / 64] |= std::uint64_t{1} << (position_[point] % 64);
}

/// Of the first open members the one with the largest box after cutting: it dominates the most.
std::size_t CutFilter::choose_pivot(const Row& corner) const {
  double largest = -1;
  std::size_t pivot = 0;
  std::size_t looked_at = 0;
  for (std::size_t w = first_open_word_; w < words_; ++w) {
    for (std::uint64_t bits = open_[w]; bits != 0; bits &= bits - 1) {
      const std::size_t position = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const double box = box_of(cut(rows_[position], corner));
      if (box > largest) {
        largest = box;
        pivot = position;
      }
      if (++looked_at == kLookahead) return pivot;
    }
  }
  return pivot;
}

void CutFilter::drop_dominated(std::size_t pivot, std::size_t corner) {
  // Where the pivot was cut, every cut member is as large; elsewhere those not below it.
  std::array<const std::uint64_t*, kCosts> sets{};
  std::size_t count = 0;
  for (std::size_t j = 0; j < kCosts; ++j) {
    if (rows_[pivot][j] > rows_[corner][j]) sets[count++] = not_below(pivot, j);
  }
  const std::uint64_t* a = sets[0];
  const std::uint64_t* b = count > 1 ? sets[1] : a;
  const std::uint64_t* c = count > 2 ? sets[2] : a;
  const std::uint64_t* d = count > 3 ? sets[3] : a;
  for (std::size_t w = first_open_word_; w < words_; ++w) open_[w] &= ~(a[w] & b[w] & c[w] & d[w]);
}

bool CutFilter::cut_members(std::size_t corner_point, std::vector<Row>& cut_rows) {
  const std::size_t corner = position_[corner_point];
  const Row& corner_row = rows_[corner];
  cut_rows.clear();
  open_ = members_;
  for (first_open_word_ = 0;;) {
    while (first_open_word_ < words_ && open_[first_open_word_] == 0) ++first_open_word_;
    if (first_open_word_ == words_) break;
    const std::size_t pivot = choose_pivot(corner_row);
    cut_rows.push_back(cut(rows_[pivot], corner_row));
    if (cut_rows.back() == corner_row) return false;
    drop_dominated(pivot, corner);
  }
  std::sort(cut_rows.begin(), cut_rows.end(), [](const Row& a, const Row& b) { return a[3] < b[3]; });
  return true;
}

}  // namespace paretune::pareto
