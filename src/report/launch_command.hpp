// The command that starts the server of a point again, as people paste it into a shell.
#pragma once

#include <string>
#include <vector>

#include "paretune/report/report_data.hpp"

namespace paretune::report {

/// Environment variables of the study, then argv, quoted for a POSIX shell; secrets are "***". For an
/// endpoint that was running already a comment with its URL; "" if nothing is known.
std::string paste_command(const spec::StudySpec& spec, const space::Configuration& configuration,
                          const std::vector<std::string>& argv);

}  // namespace paretune::report
