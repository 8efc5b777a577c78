#include "paretune/report/study_report.hpp"

#include "paretune/core/units.hpp"
#include "paretune/spec/study_spec.hpp"
#include "paretune/store/store.hpp"

namespace paretune::report {

core::Result<ReportData> load_report(const std::string& directory) {
  auto store = store::Store::open_read_only(directory);
  if (!store) return store.error();
  auto spec = spec::read_stored_study((*store)->study_json());
  if (!spec) return spec.error();
  auto data = (*store)->load();
  if (!data) return data.error();
  const auto elapsed = core::parse_number((*store)->fact("elapsed_s").value_or(""));
  return build_report(*spec, *data, elapsed ? *elapsed : 0.0, (*store)->fact("environment").value_or(""));
}

}  // namespace paretune::report
