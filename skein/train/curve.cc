#include "skein/train/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "skein/train/axis_scale.h"

namespace skein {
namespace {

// Pixels.
constexpr double kWidth = 800;
constexpr double kHeight = 440;
constexpr double kPlotLeft = 70;
constexpr double kPlotRight = 730;
constexpr double kPlotTop = 80;
constexpr double kPlotBottom = 380;
constexpr double kLegendLine = 54;  // baseline of its first line

constexpr size_t kMostPoints = 600;
constexpr int kMostTicks = 7;
constexpr int kColours = 6;

// Colours that stay apart for colour-blind readers (Okabe and Ito 2008), lighter on dark ground.
constexpr std::string_view kStyle = R"(<style>
  text { font: 13px system-ui, sans-serif; fill: #333 }
  .title { font-size: 16px; font-weight: 600 }
  .ground { fill: #fff }
  .plot { fill: none; stroke: #999 }
  .grid { stroke: #e4e4e4 }
  .line { fill: none; stroke-width: 1.8; stroke-linejoin: round }
  .s0 { stroke: #0072b2; color: #0072b2 } .s1 { stroke: #d55e00; color: #d55e00 }
  .s2 { stroke: #009e73; color: #009e73 } .s3 { stroke: #aa4499; color: #aa4499 }
  .s4 { stroke: #8a6d00; color: #8a6d00 } .s5 { stroke: #555; color: #555 }
  .dot { fill: currentColor; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    .ground { fill: #161616 }
    .plot { stroke: #777 }
    .grid { stroke: #333 }
    .s0 { stroke: #56b4e9; color: #56b4e9 } .s1 { stroke: #f2913d; color: #f2913d }
    .s2 { stroke: #3cc9a0; color: #3cc9a0 } .s3 { stroke: #dd88cc; color: #dd88cc }
    .s4 { stroke: #e6c84c; color: #e6c84c } .s5 { stroke: #bbb; color: #bbb }
  }
</style>
)";

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// The finite points, as the means of at most kMostPoints equal parts.
std::vector<CurvePoint> drawn_points(const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> finite;
  std::copy_if(points.begin(), points.end(), std::back_inserter(finite),
               [](const CurvePoint& p) { return std::isfinite(p.x) && std::isfinite(p.y); });
  if (finite.size() <= kMostPoints) return finite;
  std::vector<CurvePoint> means;
  for (size_t part = 0; part < kMostPoints; ++part) {
    const size_t begin = finite.size() * part / kMostPoints;
    const size_t end = finite.size() * (part + 1) / kMostPoints;
    CurvePoint mean;
    for (size_t i = begin; i < end; ++i) {
      mean.x += finite[i].x / static_cast<double>(end - begin);
      mean.y += finite[i].y / static_cast<double>(end - begin);
    }
    means.push_back(mean);
  }
  return means;
}

// The curve with the points that are drawn, and the scales of its axes.
class Plot {
 public:
  explicit Plot(const Curve& curve) : curve_(curve) {
    std::vector<double> x, left, right;
    for (CurveSeries& series : curve_.series) {
      series.points = drawn_points(series.points);
      for (const CurvePoint& point : series.points) {
        x.push_back(point.x);
        (series.axis == CurveAxis::kLeft ? left : right).push_back(point.y);
      }
    }
    has_points_ = !x.empty();
    has_right_axis_ = !right.empty();
    // Training begins at 0, whatever was logged first.
    if (has_points_) x.push_back(0);
    x_ = axis_scale(x, kMostTicks);
    left_ = axis_scale(left, kMostTicks);
    right_ = axis_scale(right, kMostTicks);
  }

  std::string svg() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\">\n",
        kWidth, kHeight);
    out_ += fmt::format("<title>{}</title>\n", escape_xml(curve_.title));
    out_ += kStyle;
    out_ += fmt::format("<rect class=\"ground\" width=\"{}\" height=\"{}\"/>\n", kWidth, kHeight);
    text(kPlotLeft, 28, "start", curve_.title, "title");
    add_axes();
    for (size_t i = 0; i < curve_.series.size(); ++i) add_series(i);
    add_legend();
    if (!has_points_) {
      text((kPlotLeft + kPlotRight) / 2, (kPlotTop + kPlotBottom) / 2, "middle", "no values yet");
    }
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  double pixel_x(double x) const { return kPlotLeft + x_.fraction(x) * (kPlotRight - kPlotLeft); }
  double pixel_y(const AxisScale& scale, double y) const {
    return kPlotBottom - scale.fraction(y) * (kPlotBottom - kPlotTop);
  }

  void text(double x, double y, std::string_view anchor, std::string_view content,
            std::string_view style = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                        anchor, style.empty() ? "" : fmt::format(" class=\"{}\"", style),
                        escape_xml(content));
  }

  // A label that reads upwards.
  void upright_text(double x, std::string_view content) {
    const double y = (kPlotTop + kPlotBottom) / 2;
    out_ += fmt::format(
        "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        x, y, escape_xml(content));
  }

  void grid_line(double x1, double y1, double x2, double y2) {
    out_ += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x1, y1,
        x2, y2);
  }

  void add_axes() {
    for (const double tick : x_.ticks) {
      grid_line(pixel_x(tick), kPlotTop, pixel_x(tick), kPlotBottom);
      text(pixel_x(tick), kPlotBottom + 20, "middle", tick_label(tick));
    }
    for (const double tick : left_.ticks) {
      grid_line(kPlotLeft, pixel_y(left_, tick), kPlotRight, pixel_y(left_, tick));
      text(kPlotLeft - 8, pixel_y(left_, tick) + 4, "end", tick_label(tick));
    }
    text((kPlotLeft + kPlotRight) / 2, kPlotBottom + 44, "middle", curve_.x_label);
    upright_text(22, curve_.left_label);
    if (has_right_axis_) {
      for (const double tick : right_.ticks) {
        text(kPlotRight + 8, pixel_y(right_, tick) + 4, "start", tick_label(tick));
      }
      upright_text(kWidth - 14, curve_.right_label);
    }
    out_ += fmt::format("<rect class=\"plot\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                        kPlotLeft, kPlotTop, kPlotRight - kPlotLeft, kPlotBottom - kPlotTop);
  }

  void add_series(size_t index) {
    const CurveSeries& series = curve_.series[index];
    if (series.points.empty()) return;
    const AxisScale& scale = series.axis == CurveAxis::kLeft ? left_ : right_;
    std::string line;
    std::string dots;
    for (const CurvePoint& point : series.points) {
      const double x = pixel_x(point.x);
      const double y = pixel_y(scale, point.y);
      line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x, y);
      // A line through one point would not be seen.
      if (series.markers || series.points.size() == 1) {
        dots += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n", x, y);
      }
    }
    out_ += fmt::format("<g class=\"s{}\">\n<polyline class=\"line\"{} points=\"{}\"/>\n{}</g>\n",
                        index % kColours, dash(series), line, dots);
  }

  // Series of the right axis are dashed, so that it is seen which axis they belong to.
  static std::string_view dash(const CurveSeries& series) {
    return series.axis == CurveAxis::kRight ? " stroke-dasharray=\"6 4\"" : "";
  }

  void add_legend() {
    double x = kPlotLeft;
    double y = kLegendLine;
    for (size_t i = 0; i < curve_.series.size(); ++i) {
      const CurveSeries& series = curve_.series[i];
      const bool right = series.axis == CurveAxis::kRight;
      const std::string label = series.name + (right ? " (right axis)" : "");
      // Letters are about 7 pixels wide.
      const double width = 32 + 7 * static_cast<double>(label.size());
      if (x > kPlotLeft && x + width > kWidth) {
        x = kPlotLeft;
        y += 17;
      }
      out_ += fmt::format("<g class=\"s{}\"><path class=\"line\"{} d=\"M{:.1f} {:.1f}h26\"/></g>\n",
                          i % kColours, dash(series), x, y - 4);
      text(x + 32, y, "start", label);
      x += width + 22;
    }
  }

  Curve curve_;
  bool has_points_ = false;
  bool has_right_axis_ = false;
  AxisScale x_, left_, right_;
  std::string out_;
};

}  // namespace

std::string draw_curve(const Curve& curve) { return Plot(curve).svg(); }

}  // namespace skein
