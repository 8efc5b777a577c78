// A server process that we started, from fork to the free port.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/process/guarded_process.hpp"
#include "paretune/engine/server.hpp"

namespace paretune::engine {

/// One thread.
class LaunchedServer final : public RunningServer {
 public:
  struct Facts {
    LaunchPlan plan;
    load::EndpointAddress address;
    std::string log_file;
    std::string log_name;
    std::vector<std::string> flag_names;  ///< of the study, to name the guilty one
  };

  LaunchedServer(std::unique_ptr<GuardedProcess> process, Facts facts)
      : process_(std::move(process)), facts_(std::move(facts)) {}
  ~LaunchedServer() override;

  pid_t pid() const override { return process_->pid(); }
  const load::EndpointAddress& address() const override { return facts_.address; }
  std::optional<ExitStatus> poll_exit() override { return process_->poll_exit(); }
  Failure describe_death(Phase phase) override;
  core::Result<void> stop() override;

  const std::string& ready_path() const { return facts_.plan.ready_path; }
  void set_model(std::string model) { facts_.address.model = std::move(model); }
  /// Fills log, last lines and, if unknown, the guilty flag.
  void complete(Failure& failure) const;

 private:
  Failure exec_failure() const;

  std::unique_ptr<GuardedProcess> process_;
  Facts facts_;
  bool stopped_ = false;
};

}  // namespace paretune::engine
