#include "search/gp/normal.hpp"

#include <boost/math/special_functions/erf.hpp>

namespace paretune::search {

const NormalTable& normal_table() {
  static const NormalTable table;
  return table;
}

double normal_quantile(double p) { return -1.41421356237309504880 * boost::math::erfc_inv(2 * p); }

}  // namespace paretune::search
