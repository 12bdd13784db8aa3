// Adaptive softmax and input of a model's parameters, in double precision.
#pragma once

#include <cmath>
#include <map>
#include <span>
#include <string>

#include "plain_functions.h"
#include "skein/autograd/word_bands.h"

namespace skein::plain {

inline std::vector<int64_t> ends_of(const WordBands& bands) {
  std::vector<int64_t> ends;
  for (size_t b = 0; b < bands.count(); ++b) ends.push_back(bands.first(b) + bands.words(b));
  return ends;
}

// `tied`: the parameters of the adaptive input. Baevski & Auli 2019, section 3.2.
inline AdaptiveSoftmax adaptive_softmax(const std::map<std::string, Matrix>& parameters,
                                        const WordBands& bands, bool tied) {
  AdaptiveSoftmax softmax{.ends = ends_of(bands), .head = {}, .in = {}, .out = {}};
  const std::string input = "decoder.embedding.bands.";
  if (tied) {
    softmax.head = parameters.at(input + "0.embedding.weight");
    if (bands.count() > 1) {
      const Matrix& classes = parameters.at("output.classes.weight");
      softmax.head.rows += classes.rows;
      softmax.head.values.insert(softmax.head.values.end(), classes.values.begin(),
                                 classes.values.end());
    }
  } else {
    softmax.head = parameters.at("output.head.weight");
  }
  for (size_t b = 1; b < bands.count(); ++b) {
    const std::string number = std::to_string(b) + ".";
    softmax.in.push_back(tied ? transpose(parameters.at(input + number + "projection.weight"))
                              : parameters.at("output.bands." + number + "in.weight"));
    softmax.out.push_back(parameters.at(tied ? input + number + "embedding.weight"
                                             : "output.bands." + number + "out.weight"));
  }
  return softmax;
}

// [tokens, width]
inline Matrix adaptive_input(const std::map<std::string, Matrix>& parameters,
                             const WordBands& bands, std::span<const int32_t> ids, int64_t width) {
  Matrix all(static_cast<int64_t>(ids.size()), width);
  for (int64_t t = 0; t < all.rows; ++t) {
    const int64_t id = ids[static_cast<size_t>(t)];
    size_t band = 0;
    while (id >= bands.first(band) + bands.words(band)) ++band;
    const std::string name = "decoder.embedding.bands." + std::to_string(band) + ".";
    const std::vector<int32_t> word = {static_cast<int32_t>(id - bands.first(band))};
    const Matrix embedded = select_rows(parameters.at(name + "embedding.weight"), word);
    const Matrix row = linear(embedded, parameters.at(name + "projection.weight"));
    for (int64_t c = 0; c < width; ++c) all(t, c) = row(0, c);
  }
  return all;
}

}  // namespace skein::plain
