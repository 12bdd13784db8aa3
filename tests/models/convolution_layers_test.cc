#include "skein/models/convolution_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<ConvolutionLayer> parse(std::string_view text) {
  return parse_convolution_layers("model.layers", text);
}

TEST(ConvolutionLayers, AreReadFromText) {
  EXPECT_THAT(parse("256x3"), ElementsAre(ConvolutionLayer{256, 3, 1}));
  EXPECT_THAT(parse(" 2*8x3  16x1:0 "),
              ElementsAre(ConvolutionLayer{8, 3, 1}, ConvolutionLayer{8, 3, 1},
                          ConvolutionLayer{16, 1, 0}));
  EXPECT_THAT(
      parse("4x2 2*(3x1:0 5x2:2)"),
      ElementsAre(ConvolutionLayer{4, 2, 1}, ConvolutionLayer{3, 1, 0}, ConvolutionLayer{5, 2, 2},
                  ConvolutionLayer{3, 1, 0}, ConvolutionLayer{5, 2, 2}));
  EXPECT_THAT(
      parse("2*(2*1x1 (3x1))"),
      ElementsAre(ConvolutionLayer{1, 1, 1}, ConvolutionLayer{1, 1, 1}, ConvolutionLayer{3, 1, 1},
                  ConvolutionLayer{1, 1, 1}, ConvolutionLayer{1, 1, 1}, ConvolutionLayer{3, 1, 1}));
}

std::string refusal(std::string_view text) {
  try {
    parse(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ConvolutionLayers, ThatAreNoneAreRefusedWithThePlace) {
  EXPECT_EQ(refusal("256x"),
            "model.layers = '256x': the tokens of a window is expected at ''; write layers as "
            "WIDTHxWINDOW, such as 4*256x3");
  EXPECT_THAT(refusal(""), HasSubstr("at least one layer"));
  EXPECT_THAT(refusal("0x3"), HasSubstr("a width of at least 1"));
  EXPECT_THAT(refusal("8x0"), HasSubstr("a window of at least 1 token"));
  EXPECT_THAT(refusal("8x1025"), HasSubstr("of at most 1024"));
  EXPECT_THAT(refusal("99999999999999999999x3"), HasSubstr("a width or a count"));
  EXPECT_THAT(refusal("-8x3"), HasSubstr("expected at '-8x3'"));
  EXPECT_THAT(refusal("8x3:"), HasSubstr("how many layers back"));
  EXPECT_THAT(refusal("2*(8x3"), HasSubstr("')' is expected at ''"));
  EXPECT_THAT(refusal("8x3)"), HasSubstr("a layer is expected at ')'"));
  EXPECT_THAT(refusal("8x3, 8x3"), HasSubstr("expected at ', 8x3'"));
  EXPECT_THAT(refusal("1001*8x3"), HasSubstr("at most 1000 layers"));
  EXPECT_THAT(refusal("600*8x3 600*8x3"), HasSubstr("at most 1000 layers"));
}

// Before they take memory.
TEST(ConvolutionLayers, RepeatedWithoutEndAreRefused) {
  EXPECT_THAT(refusal(std::string(1000000, '(')), HasSubstr("at most 16 parentheses"));
  EXPECT_THAT(refusal("1000*(1000*(1000*8x3))"), HasSubstr("at most 1000 layers"));
}

TEST(ConvolutionLayers, WhoseResidualConnectionBeginsBeforeTheFirstAreRefused) {
  EXPECT_EQ(refusal("8x3:1 8x3:2"), "");
  EXPECT_THAT(refusal("8x3 8x3:3"),
              HasSubstr("the residual connection of layer 2 begins 3 layers back"));
}

}  // namespace
}  // namespace skein
