#include "skein/models/convolution_layers.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "skein/base/error.h"

namespace skein {
namespace {

constexpr int64_t kMostLayers = 1000;
constexpr int kMostParentheses = 16;  // inside one another

class Parser {
 public:
  Parser(std::string_view setting, std::string_view text) : setting_(setting), text_(text) {}

  std::vector<ConvolutionLayer> run() {
    std::vector<ConvolutionLayer> layers = list();
    if (position_ < text_.size()) fail("a layer");
    if (layers.empty()) fail("at least one layer");
    return layers;
  }

 private:
  std::vector<ConvolutionLayer> list() {
    std::vector<ConvolutionLayer> layers;
    for (skip_spaces(); position_ < text_.size() && text_[position_] != ')'; skip_spaces()) {
      const std::vector<ConvolutionLayer> more = item();
      layers.insert(layers.end(), more.begin(), more.end());
      if (static_cast<int64_t>(layers.size()) > kMostLayers) fail("at most 1000 layers");
    }
    return layers;
  }

  // Some layers, perhaps repeated.
  std::vector<ConvolutionLayer> item() {
    const size_t begin = position_;
    int64_t count = 1;
    if (text_[position_] != '(') {
      const int64_t first = number("a width or a count", 1 << 16);
      if (!take('*')) return {layer(first)};
      count = first;
    }
    std::vector<ConvolutionLayer> repeated;
    if (take('(')) {
      if (++depth_ > kMostParentheses) fail("at most 16 parentheses inside one another");
      repeated = list();
      --depth_;
      if (!take(')')) fail("')'");
    } else {
      repeated = {layer(number("a width", 1 << 16))};
    }
    if (count * static_cast<int64_t>(repeated.size()) > kMostLayers) {
      position_ = begin;
      fail("at most 1000 layers");
    }
    std::vector<ConvolutionLayer> layers;
    for (int64_t i = 0; i < count; ++i) {
      layers.insert(layers.end(), repeated.begin(), repeated.end());
    }
    return layers;
  }

  ConvolutionLayer layer(int64_t width) {
    if (width < 1) fail("a width of at least 1");
    if (!take('x')) fail("'x' and the tokens of a window");
    ConvolutionLayer result{.width = width, .kernel = number("the tokens of a window", 1024)};
    if (result.kernel < 1) fail("a window of at least 1 token");
    if (take(':')) result.residual = number("how many layers back", kMostLayers);
    return result;
  }

  int64_t number(const char* what, int64_t most) {
    int64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail(what);
    if (value > most) fail(fmt::format("{} of at most {}", what, most));
    position_ += static_cast<size_t>(end - begin);
    return value;
  }

  bool take(char expected) {
    if (position_ == text_.size() || text_[position_] != expected) return false;
    ++position_;
    return true;
  }

  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw UsageError(fmt::format(
        "{} = '{}': {} is expected at '{}'; write layers as WIDTHxWINDOW, such as 4*256x3",
        setting_, text_, expected, text_.substr(position_)));
  }

  std::string_view setting_;
  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<ConvolutionLayer> parse_convolution_layers(std::string_view setting,
                                                       std::string_view text) {
  std::vector<ConvolutionLayer> layers = Parser(setting, text).run();
  for (size_t i = 0; i < layers.size(); ++i) {
    // The first layer's input is there too.
    if (layers[i].residual <= static_cast<int64_t>(i) + 1) continue;
    throw UsageError(fmt::format(
        "{} = '{}': the residual connection of layer {} begins {} layers back, before the first",
        setting, text, i + 1, layers[i].residual));
  }
  return layers;
}

}  // namespace skein
