// Draws training curves as one SVG file that needs nothing else and can be read in light and dark.
#pragma once

#include <string>
#include <vector>

namespace skein {

struct CurvePoint {
  double x = 0;
  double y = 0;
};

enum class CurveAxis { kLeft, kRight };

struct CurveSeries {
  std::string name;
  CurveAxis axis = CurveAxis::kLeft;
  bool markers = false;  // a dot on every point; for values that are measured now and then
  std::vector<CurvePoint> points;  // by rising x; those with a NaN or infinity are left out
};

struct Curve {
  std::string title;
  std::string x_label = "updates";
  std::string left_label = "loss (nats per token)";
  std::string right_label = "BLEU";
  std::vector<CurveSeries> series;
};

// A series of more than about 600 points is drawn as the means of as many equal parts, which a
// pixel each could not show better. Without any point the plot says so.
std::string draw_curve(const Curve& curve);

}  // namespace skein
