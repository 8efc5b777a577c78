// A verdict about a measurement or an environment, with the number behind it and what to do (MLPerf loadgen's
// habit).
#pragma once

#include <optional>
#include <string>

namespace paretune::core {

struct Finding {
  std::string code;             ///< stable word: "client_limited", "too_short" …
  bool invalidates = false;     ///< true: the point must not enter a front
  std::optional<double> value;  ///< the deciding number, unit in the message
  std::string message;
  std::string recommendation;
};

}  // namespace paretune::core
