#include "engine/process/identity.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>

#include "engine/process/process_table.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"

namespace paretune::engine {
std::string boot_id() {
  const auto text = core::read_file("/proc/sys/kernel/random/boot_id");
  return text ? std::string(core::trim(*text)) : "";
}

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  constexpr char kHex[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kHex[byte >> 4];
    token += kHex[byte & 15];
  }
  return token;
}

TokenProof token_of(pid_t pid, const std::string& token) {
  const auto environment = core::read_file("/proc/" + std::to_string(pid) + "/environ");
  if (!environment || token.empty()) return TokenProof::Lacks;
  const std::string entry = std::string(kTokenVariable) + "=" + token;
  const auto entries = core::split(*environment, '\0');
  if (std::find(entries.begin(), entries.end(), entry) != entries.end()) return TokenProof::Carries;
  return environment->find('=') == std::string::npos ? TokenProof::Erased : TokenProof::Lacks;
}

bool is_same_process(const ProcessIdentity& identity) {
  ProcessRow row;
  return identity.start_ticks != 0 && !identity.boot_id.empty() && identity.boot_id == boot_id() &&
         read_process(identity.pid, row) && row.state != 'Z' && row.start_ticks == identity.start_ticks &&
         token_of(identity.pid, identity.token) != TokenProof::Lacks;
}

}  // namespace paretune::engine
