#include "skein/train/curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "skein/base/error.h"
#include "skein/train/axis_scale.h"
#include "skein/train/log_points.h"

namespace skein {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Every tag that opens also closes, in order; no stray < or &.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-z]+)((?:\s+[a-zA-Z:0-9-]+="[^"<]*")*)\s*(/?)>)");
  std::string rest;
  auto last = xml.cbegin();
  for (std::sregex_iterator i(xml.begin(), xml.end(), tag), end; i != end; ++i) {
    const std::smatch& match = *i;
    rest.append(last, match[0].first);
    last = match[0].second;
    if (match[1].length() > 0) {
      ASSERT_FALSE(open.empty()) << match.str();
      EXPECT_EQ(open.back(), match[2].str());
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2].str());
    }
  }
  rest.append(last, xml.cend());
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(rest.find('<'), std::string::npos) << rest;
  const std::regex stray("&(?!amp;|lt;|gt;|quot;)");
  EXPECT_FALSE(std::regex_search(rest, stray));
}

std::vector<CurvePoint> drawn(const std::string& svg) {
  std::vector<CurvePoint> points;
  const std::regex pair(R"((-?[0-9.]+|nan|inf),(-?[0-9.]+|nan|inf))");
  const std::regex line("<polyline[^>]*points=\"([^\"]*)\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), line), end; i != end; ++i) {
    const std::string list = (*i)[1].str();
    for (std::sregex_iterator p(list.begin(), list.end(), pair); p != end; ++p) {
      points.push_back({.x = std::stod((*p)[1].str()), .y = std::stod((*p)[2].str())});
    }
  }
  return points;
}

// The frame that draw_curve promises in <rect class="plot">.
void expect_inside_the_plot(const std::string& svg) {
  std::smatch frame;
  const std::regex plot(
      R"re(<rect class="plot" x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)")re");
  ASSERT_TRUE(std::regex_search(svg, frame, plot));
  const auto number = [&](size_t i) { return std::stod(frame[i].str()); };
  for (const CurvePoint& point : drawn(svg)) {
    EXPECT_GE(point.x, number(1));
    EXPECT_LE(point.x, number(1) + number(3));
    EXPECT_GE(point.y, number(2));
    EXPECT_LE(point.y, number(2) + number(4));
  }
}

Curve example(size_t updates) {
  Curve curve{.title = "Multi30k en→de, <tiny> & \"small\"", .series = {}};
  CurveSeries train{.name = "training loss", .points = {}};
  CurveSeries valid{.name = "validation loss", .markers = true, .points = {}};
  CurveSeries bleu{.name = "BLEU", .axis = CurveAxis::kRight, .markers = true, .points = {}};
  for (size_t i = 1; i <= updates; ++i) {
    const auto x = static_cast<double>(i);
    train.points.push_back({.x = x, .y = 2 + 7 * std::exp(-x / 500) + 0.2 * std::sin(x)});
    if (i % 500 != 0) continue;
    valid.points.push_back({.x = x, .y = 2.2 + 7 * std::exp(-x / 500)});
    bleu.points.push_back({.x = x, .y = 38 * (1 - std::exp(-x / 900))});
  }
  curve.series = {train, valid, bleu};
  return curve;
}

TEST(Curve, IsWellFormedAndInsideItsPlot) {
  for (const size_t updates : {1u, 20u, 500u, 5000u}) {
    const std::string svg = draw_curve(example(updates));
    expect_well_formed(svg);
    expect_inside_the_plot(svg);
  }
}

TEST(Curve, NamesTitleAxesAndSeries) {
  const std::string svg = draw_curve(example(5000));
  for (const char* text :
       {"en→de, &lt;tiny&gt; &amp; &quot;small&quot;", ">updates<", ">loss (nats per token)<",
        ">BLEU<", ">training loss<", ">validation loss<", ">BLEU (right axis)<", ">5000<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
}

TEST(Curve, HighValuesAreAboveLowOnesAndLaterOnesToTheRight) {
  Curve curve{.title = "", .series = {}};
  curve.series = {{.name = "loss", .points = {{.x = 1, .y = 9}, {.x = 2, .y = 3}}}};
  const auto points = drawn(draw_curve(curve));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_LT(points[0].x, points[1].x);
  EXPECT_LT(points[0].y, points[1].y);  // SVG counts from the top
}

TEST(Curve, WithoutPointsSaysSo) {
  for (const Curve& curve : {Curve{.title = "", .series = {}}, example(0)}) {
    const std::string svg = draw_curve(curve);
    expect_well_formed(svg);
    EXPECT_NE(svg.find("no values yet"), std::string::npos);
  }
}

TEST(Curve, OnePointIsADot) {
  const std::string svg = draw_curve(example(1));
  EXPECT_EQ(drawn(svg).size(), 1u);
  EXPECT_NE(svg.find("<circle"), std::string::npos);
}

TEST(Curve, ALongSeriesIsThinnedAndKeepsItsMean) {
  Curve curve{.title = "", .series = {}};
  CurveSeries series{.name = "loss", .points = {}};
  for (int i = 0; i < 60000; ++i) {
    series.points.push_back({.x = static_cast<double>(i), .y = i % 2 == 0 ? 1.0 : 3.0});
  }
  series.points.push_back({.x = 1, .y = kNaN});
  curve.series = {series, {.name = "range", .points = {{.x = 0, .y = 0}, {.x = 1, .y = 4}}}};
  const auto points = drawn(draw_curve(curve));
  ASSERT_EQ(points.size(), 602u);
  for (size_t i = 0; i < 600; ++i) EXPECT_NEAR(points[i].y, (80 + 380) / 2., 0.1);
}

TEST(Curve, ValuesThatAreNotFiniteAreLeftOut) {
  Curve curve{.title = "", .series = {}};
  curve.series = {{.name = "loss", .points = {{.x = 1, .y = kNaN}, {.x = 2, .y = 3}}}};
  EXPECT_EQ(drawn(draw_curve(curve)).size(), 1u);
}

TEST(AxisScale, TicksAreRoundNumbersAroundAllValues) {
  const std::vector<double> losses = {2.13, 9.4};
  const AxisScale scale = axis_scale(losses, 7);
  EXPECT_EQ(scale.ticks, (std::vector<double>{2, 4, 6, 8, 10}));
  EXPECT_EQ(scale.fraction(2), 0);
  EXPECT_EQ(scale.fraction(10), 1);
}

TEST(AxisScale, HoldsForAnyRange) {
  for (const double low : {-1e6, -3.0, 0.0, 1e-7, 5.0, 1e9}) {
    for (const double width : {0.0, 1e-3, 1.0, 7.3, 1e5}) {
      const std::vector<double> values = {low, low + width};
      const AxisScale scale = axis_scale(values, 7);
      EXPECT_LE(scale.low, low);
      EXPECT_GE(scale.high, low + width);
      EXPECT_LT(scale.low, scale.high);
      EXPECT_GE(scale.ticks.size(), 2u);
      EXPECT_LE(scale.ticks.size(), 7u);
    }
  }
  EXPECT_EQ(axis_scale({}, 7).ticks, (std::vector<double>{0, 1}));
}

TEST(AxisScale, LabelsAreShort) {
  EXPECT_EQ(tick_label(0.25), "0.25");
  EXPECT_EQ(tick_label(5000), "5000");
  EXPECT_EQ(tick_label(20000), "20k");
  EXPECT_EQ(tick_label(1500000), "1.5M");
}

TEST(LogPoints, AreTheRowsWithBothNumbersOfTheAskedEvent) {
  const std::string log =
      "{\"event\": \"train\", \"step\": 100, \"loss\": 5.5}\n"
      "{\"event\": \"valid\", \"step\": 100, \"loss\": 5.0, \"bleu\": 3}\n"
      "\n"
      "{\"event\": \"train\", \"step\": 200, \"loss\": null}\n"
      "{\"event\": \"train\", \"step\": 300, \"loss\": 4";  // killed while writing
  const auto train = log_points(log, {.event = "train", .y = "loss"}, "log.jsonl");
  ASSERT_EQ(train.size(), 1u);
  EXPECT_EQ(train[0].x, 100);
  EXPECT_EQ(train[0].y, 5.5);
  EXPECT_EQ(log_points(log, {.event = "", .y = "loss"}, "log.jsonl").size(), 2u);
  EXPECT_EQ(log_points(log, {.event = "valid", .y = "bleu"}, "log.jsonl")[0].y, 3);
}

TEST(LogPoints, ALineThatIsNoObjectIsNamed) {
  try {
    log_points("{}\n[1]\n", {.event = "", .y = "loss"}, "log.jsonl");
    FAIL() << "an array was taken for a row";
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "log.jsonl:2: not a JSON object; a training log has one a line");
  }
}

}  // namespace
}  // namespace skein
