// The searchers for anyone's own evaluator: JSON lines in, JSON lines out (design §7, docs/ask-tell.md). This
// is the protocol without its streams: the command hands each line over and prints what comes back.
//   {"space": {…}, "objectives": […], …}        first line: the problem
//   {"ask": 2}                                   -> {"points": [{"id": 1, "configuration": {…}, "live": {…}},
//   …]}
//   {"tell": [{"id": 1, "metrics": {…}}]}        no reply
//   {"front": true}                              -> the present front, in the form of front.json
// A malformed line is answered with {"error": …} and changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "paretune/core/result.hpp"

namespace paretune::search {

/// One thread.
class AskTell {
 public:
  /// @param first_line  the problem. @return Error{InvalidInput} naming every fault: the caller prints
  /// error_line() of it
  ///        and ends with exit code 2.
  static core::Result<AskTell> start(std::string_view first_line);

  AskTell(AskTell&&) noexcept;
  AskTell& operator=(AskTell&&) noexcept;
  ~AskTell();

  /// Any later line. @return the line to print (without a line break); nullopt after a valid `tell`.
  std::optional<std::string> answer(std::string_view line);

  /// {"error": message, "hint": hint}; the hint only if there is one.
  static std::string error_line(const core::Error& error);

 private:
  class Session;
  explicit AskTell(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace paretune::search
