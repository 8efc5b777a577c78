#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "paretune/core/units.hpp"
#include "report/table_sections.hpp"
#include "report/text_table.hpp"

namespace paretune::report {

namespace {

/// A range of values this wide is shown on a log axis.
constexpr double kLogRatio = 20;
constexpr int kMinHeight = 6;
constexpr std::size_t kMinColumns = 20;
/// Columns of a row besides label and marks: two blanks, a blank and the axis.
constexpr std::size_t kFrame = 4;

/// Later kinds are drawn over earlier ones.
enum class Mark { None, Infeasible, Beaten, Baseline, Front, Knee };

struct Axis {
  double low = 0, high = 1;
  bool log = false;

  static Axis over(const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    Axis axis{*low, *high, *low > 0 && *high / *low > kLogRatio};
    if (axis.low == axis.high) {
      const double room = axis.low == 0 ? 1 : std::fabs(axis.low) * 0.1;
      axis.low -= room;
      axis.high += room;
    }
    return axis;
  }
  /// 0 … cells - 1
  std::size_t cell(double value, std::size_t cells) const {
    const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(cells - 1)));
  }
  double at(double share) const {
    return log ? low * std::pow(high / low, share) : low + share * (high - low);
  }
};

struct Dot {
  double x = 0, y = 0;
  Mark mark = Mark::None;
};

Mark mark_of(const ReportPoint& point) {
  if (point.knee) return Mark::Knee;
  if (point.on_front) return Mark::Front;
  if (point.baseline) return Mark::Baseline;
  return point.status == trial::PointStatus::Ok ? Mark::Beaten : Mark::Infeasible;
}

std::vector<Dot> dots_of(const ReportData& data) {
  std::vector<Dot> dots;
  for (const ReportPoint& point : data.points) {
    if (point.status == trial::PointStatus::Failed || point.status == trial::PointStatus::Invalid) continue;
    const auto x = point.metrics.find(data.spec.objectives[0].metric.name);
    const auto y = point.metrics.find(data.spec.objectives[1].metric.name);
    if (x == point.metrics.end() || y == point.metrics.end()) continue;
    if (std::isfinite(x->second) && std::isfinite(y->second))
      dots.push_back({x->second, y->second, mark_of(point)});
  }
  return dots;
}

std::string symbol(Mark mark, bool color) {
  switch (mark) {
    case Mark::None:
      return " ";
    case Mark::Infeasible:
      return red("x", color);
    case Mark::Beaten:
      return faint("·", color);
    case Mark::Baseline:
      return yellow("b", color);
    case Mark::Front:
      return green("●", color);
    case Mark::Knee:
      return green("◆", color);
  }
  return " ";
}

std::string axis_title(const spec::ObjectiveSpec& objective, const Axis& axis) {
  std::string text = objective.metric.name;
  if (!objective.metric.unit.empty()) text += " (" + objective.metric.unit + ")";
  text += objective.maximize ? ", more is better" : ", less is better";
  return text + (axis.log ? ", log scale" : "");
}

std::string legend(const std::vector<Dot>& dots, bool color) {
  static const std::vector<std::pair<Mark, const char*>> kWords{{Mark::Front, "front"},
                                                                {Mark::Knee, "knee"},
                                                                {Mark::Beaten, "beaten"},
                                                                {Mark::Infeasible, "breaks a limit"},
                                                                {Mark::Baseline, "baseline"}};
  std::string text;
  for (const auto& [mark, word] : kWords) {
    const bool used =
        std::any_of(dots.begin(), dots.end(), [m = mark](const Dot& dot) { return dot.mark == m; });
    if (used) text += (text.empty() ? "" : "  ") + symbol(mark, color) + " " + word;
  }
  return text;
}

/// Bottom line: lowest, middle and highest value of the x axis under their places.
std::string x_labels(const Axis& axis, std::size_t indent, std::size_t columns) {
  const std::string low = core::format_short(axis.low), middle = core::format_short(axis.at(0.5)),
                    high = core::format_short(axis.high);
  std::string line(indent + columns, ' ');
  line.replace(indent, low.size(), low);
  const std::size_t at = indent + columns / 2 - std::min(columns / 2, middle.size() / 2);
  if (at > indent + low.size() && at + middle.size() + 1 < indent + columns - high.size())
    line.replace(at, middle.size(), middle);
  if (high.size() < columns - low.size()) line.replace(indent + columns - high.size(), high.size(), high);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The grid, top row first; its size and axes.
struct Canvas {
  Axis x, y;
  std::size_t rows = 0, columns = 0, margin = 0;  ///< margin: widest label of the y axis
  std::vector<std::string> labels;                ///< of the y axis, one per row
  std::vector<std::vector<Mark>> marks;
};

std::vector<std::string> y_labels(const Axis& y, std::size_t rows) {
  std::vector<std::string> labels(rows);
  for (const std::size_t row : {std::size_t{0}, rows / 2, rows - 1}) {
    labels[row] = core::format_short(y.at(1 - static_cast<double>(row) / static_cast<double>(rows - 1)));
  }
  return labels;
}

Canvas make_canvas(const std::vector<Dot>& dots, int width, int height) {
  std::vector<double> xs, ys;
  for (const Dot& dot : dots) {
    xs.push_back(dot.x);
    ys.push_back(dot.y);
  }
  Canvas canvas;
  canvas.x = Axis::over(xs);
  canvas.y = Axis::over(ys);
  canvas.rows = static_cast<std::size_t>(std::max(height, kMinHeight));
  canvas.labels = y_labels(canvas.y, canvas.rows);
  for (const std::string& label : canvas.labels) canvas.margin = std::max(canvas.margin, label.size());
  const std::size_t frame = canvas.margin + kFrame;
  canvas.columns = std::max(static_cast<std::size_t>(std::max(width, 0)), frame + kMinColumns) - frame;
  canvas.marks.assign(canvas.rows, std::vector<Mark>(canvas.columns, Mark::None));
  for (const Dot& dot : dots) {
    Mark& mark =
        canvas
            .marks[canvas.rows - 1 - canvas.y.cell(dot.y, canvas.rows)][canvas.x.cell(dot.x, canvas.columns)];
    mark = std::max(mark, dot.mark);
  }
  return canvas;
}

std::string draw_row(const Canvas& canvas, std::size_t row, bool color) {
  const std::string& label = canvas.labels[row];
  std::string line = fmt::format("  {:>{}} {}", label, canvas.margin, label.empty() ? "│" : "┤");
  const std::vector<Mark>& marks = canvas.marks[row];
  std::size_t last = marks.size();
  while (last > 0 && marks[last - 1] == Mark::None) --last;
  for (std::size_t c = 0; c < last; ++c) line += symbol(marks[c], color);
  return line + "\n";
}

std::string draw_base(const Canvas& canvas) {
  std::string line = std::string(canvas.margin + kFrame - 1, ' ') + "└";
  for (std::size_t c = 0; c < canvas.columns; ++c) line += "─";
  return line + "\n";
}

}  // namespace

std::string render_plot(const ReportData& data, bool color, int width, int height) {
  if (data.spec.objectives.size() < 2) return "";
  const std::vector<Dot> dots = dots_of(data);
  if (dots.empty()) return "";
  const Canvas canvas = make_canvas(dots, width, height);
  const std::size_t frame = canvas.margin + kFrame;
  std::string text = "  " + axis_title(data.spec.objectives[1], canvas.y) + "\n";
  for (std::size_t row = 0; row < canvas.rows; ++row) text += draw_row(canvas, row, color);
  text += draw_base(canvas) + x_labels(canvas.x, frame, canvas.columns);
  text += std::string(frame, ' ') + axis_title(data.spec.objectives[0], canvas.x) + "\n";
  return text + "  " + legend(dots, color) + "\n";
}

}  // namespace paretune::report
