#include "paretune/core/diagnostics.hpp"

#include <algorithm>
#include <utility>

namespace paretune::core {

void Diagnostics::fault(Position position, std::string path, std::string message, std::string hint) {
  faults_.push_back({position, std::move(path), std::move(message), std::move(hint)});
}

void Diagnostics::warn(Position position, std::string path, std::string message, std::string hint) {
  warnings_.push_back({position, std::move(path), std::move(message), std::move(hint)});
}

Error Diagnostics::to_error(std::string_view file) const {
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
  });
  std::string message;
  for (const Fault& fault : sorted) {
    if (!message.empty()) message += '\n';
    message += format_fault(fault, file);
  }
  return invalid_input(std::move(message));
}

std::string format_fault(const Fault& fault, std::string_view file) {
  std::string line(file);
  if (fault.position.line > 0) {
    if (!line.empty()) line += ':';
    line += std::to_string(fault.position.line);
    if (fault.position.column > 0) line += ':' + std::to_string(fault.position.column);
  }
  if (!line.empty()) line += ": ";
  if (!fault.path.empty()) line += fault.path + ": ";
  line += fault.message;
  if (!fault.hint.empty()) line += " (" + fault.hint + ")";
  return line;
}

}  // namespace paretune::core
