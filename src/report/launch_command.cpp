#include "report/launch_command.hpp"

#include "paretune/core/text.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::report {

namespace {

/// With parameters filled in; as the file says it where that is not possible any more.
std::map<std::string, std::string> environment_of(const spec::StudySpec& spec,
                                                  const space::Configuration& configuration) {
  if (spec.engine.env.empty()) return {};
  const auto plan = engine::plan_launch(spec.engine, spec.space, configuration, 0);
  return plan ? plan->env : spec.engine.env;
}

}  // namespace

std::string paste_command(const spec::StudySpec& spec, const space::Configuration& configuration,
                          const std::vector<std::string>& argv) {
  if (argv.empty()) return spec.engine.url.empty() ? "" : "# already running at " + spec.engine.url;
  std::string line;
  for (const auto& [name, value] : environment_of(spec, configuration)) {
    line += name + "=" + (core::is_secret_name(name) ? "'***'" : core::shell_quote(value)) + " ";
  }
  return line + core::shell_join(core::mask_secrets(argv));
}

}  // namespace paretune::report
