// n cost vectors in one block of memory: what every function of this module works on. Costs are always
// minimised; a maximised metric enters with its sign turned (search::costs_of does that, once, at the
// border). Contract of the module: a cost is finite or +infinity ("worse than any number"). NaN and -infinity
// have no place in an order, so adding one throws; callers leave such points out and say so. Plain data, no
// locking.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace paretune::pareto {

using CostVector = std::vector<double>;

class CostMatrix {
 public:
  /// @param objectives  m >= 1. @throws std::invalid_argument for 0.
  explicit CostMatrix(std::size_t objectives);
  /// n x m, one point per row. @throws std::invalid_argument as add(), and if `rows` is empty (m unknown).
  static CostMatrix from_rows(std::span<const CostVector> rows);

  /// @throws std::invalid_argument for a wrong length, NaN or -infinity.
  void add(std::span<const double> row);

  std::size_t size() const { return values_.size() / objectives_; }
  bool empty() const { return values_.empty(); }
  std::size_t objectives() const { return objectives_; }
  std::span<const double> row(std::size_t i) const {
    return std::span<const double>(values_).subspan(i * objectives_, objectives_);
  }
  double at(std::size_t i, std::size_t objective) const { return values_[i * objectives_ + objective]; }
  const std::vector<double>& values() const { return values_; }  ///< row by row

  /// The rows named by `rows`, in that order.
  CostMatrix select(std::span<const std::size_t> rows) const;

 private:
  std::size_t objectives_;
  std::vector<double> values_;
};

}  // namespace paretune::pareto
