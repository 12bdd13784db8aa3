// The layers of a convolutional model as text: "9*512x3 4*1024x3" is nine layers 512 wide with
// windows of 3 tokens, then four 1024 wide. "128x5:0" has no residual connection, "512x1:3" one
// that begins three layers back, "3*(128x1:0 512x1:2)" repeats several layers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skein/nn/gated_convolution.h"

namespace skein {

// Throws UsageError, naming `setting` and the place, if the text is no list of layers, a number is
// out of range, or a residual connection begins before the first layer.
std::vector<ConvolutionLayer> parse_convolution_layers(std::string_view setting,
                                                       std::string_view text);

}  // namespace skein
