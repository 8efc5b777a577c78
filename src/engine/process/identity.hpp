// Proof that a process is ours: boot id, start time and a random word in its environment, which its children
// inherit.
#pragma once

#include <sys/types.h>

#include <string>

#include "paretune/engine/server.hpp"

namespace paretune::engine {

inline constexpr const char* kTokenVariable = "PARETUNE_LAUNCH";
inline constexpr const char* kOwnerVariable = "PARETUNE_OWNER";  ///< "PID:START_TICKS" of the launching paretune

std::string boot_id();     ///< "" if the kernel does not tell
std::string own_launcher_mark();  ///< this process, as kOwnerVariable names it
std::string make_token();  ///< 32 hex digits of the kernel's random source

/// What /proc/PID/environ says. Erased: the process wrote its title over it (vLLM's workers do), so it proves
/// nothing.
enum class TokenProof { Carries, Lacks, Erased };
TokenProof token_of(pid_t pid, const std::string& token);

/// The leader that `identity` describes is alive and is really that one.
bool is_same_process(const ProcessIdentity& identity);

}  // namespace paretune::engine
