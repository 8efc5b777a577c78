// Progress on stderr: one rewritten line on a terminal, one plain line per event otherwise.
#pragma once

#include <string>

#include "paretune/cli/app.hpp"
#include "paretune/report/report_data.hpp"
#include "paretune/study/study.hpp"

namespace paretune::cli {

class ConsoleObserver final : public study::Observer {
 public:
  /// @param data  what the store holds already (resume), so that front size and counts are right from the
  /// start.
  ConsoleObserver(Io& io, const spec::StudySpec& spec, store::StudyData data, bool verbose);
  ~ConsoleObserver() override;

  void on_launch(const trial::LaunchRecord& launch) override;
  void on_ready(const trial::LaunchRecord& launch) override;
  void on_launch_ended(const trial::LaunchRecord& launch) override;
  void on_progress(const space::Point& point, const load::Progress& progress) override;
  void on_point(const trial::PointRecord& point) override;
  void on_note(const std::string& note) override;

 private:
  void line(const std::string& text);    ///< stays on the screen
  void status(const std::string& text);  ///< overwritten by the next; terminals only
  void clear_status();
  void update_standing();
  std::string standing() const;   ///< "points 7/40, front 4, hypervolume 1.2e5"
  std::string remaining() const;  ///< "ETA 3m 10s", or ""

  Io& io_;
  const spec::StudySpec& spec_;
  store::StudyData data_;
  bool verbose_;
  bool status_shown_ = false;
  int current_launch_ = 0;
  report::FrontSummary front_;
  double spent_s_ = 0;  ///< in launches and windows of this run
  std::size_t new_points_ = 0;
};

}  // namespace paretune::cli
