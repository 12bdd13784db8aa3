// Stacks of gated convolutions once more, in double precision and plain loops, from section 3 of
// Dauphin et al. 2016 and section 3.2 of Gehring et al. 2017; no code of skein/nn or skein/models.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plain_functions.h"
#include "skein/autograd/tape.h"
#include "skein/data/batch.h"
#include "skein/nn/gated_convolution.h"

namespace skein::plain {

using Parameters = std::map<std::string, Matrix>;

inline const double kRootOfHalf = std::sqrt(0.5);

inline Matrix normed_weight(const Parameters& parameters, const std::string& name) {
  return weight_norm(parameters.at(name + ".weight_v"), parameters.at(name + ".weight_g"));
}

inline Matrix normed_linear(const Parameters& parameters, const std::string& name,
                            const Matrix& x) {
  return linear(x, normed_weight(parameters, name), parameters.at(name + ".bias"));
}

// Tokens and, if there are any, positions, which count from 2.
inline Matrix embed_with_positions(const Parameters& parameters, const std::string& side,
                                   const PackedSequences& sentences) {
  std::vector<int32_t> rows;
  for (size_t s = 0; s < sentences.sentences(); ++s) {
    for (size_t t = 0; t < sentences.sentence(s).size(); ++t) {
      rows.push_back(static_cast<int32_t>(t) + 2);
    }
  }
  const auto positions = parameters.find(side + "positions.weight");
  return embed(sentences.tokens, rows, parameters.at(side + "embedding.weight"),
               positions == parameters.end() ? Matrix() : positions->second, 1);
}

struct GatedStack {
  const Parameters& parameters;
  std::string side;  // "encoder." or "decoder."
  std::vector<ConvolutionLayer> layers;
  bool causal = false;
  double dropout = 0;
  // What happens between gates and residual sum, layer by layer.
  std::function<Matrix(size_t layer, const Matrix& x)> attend;

  // Dropout masks are drawn from `masks`, layer after layer.
  Matrix run(Tape& masks, std::span<const int32_t> offsets, const Matrix& x) const {
    std::vector<Matrix> outputs = {x};
    for (size_t i = 0; i < layers.size(); ++i) {
      const ConvolutionLayer& layer = layers[i];
      const std::string name = side + "layers." + std::to_string(i) + ".";
      const Matrix dropped = plain::dropout(masks.next_dropout(dropout), outputs.back());
      const Convolution window = {offsets, layer.kernel,
                                  causal ? layer.kernel - 1 : (layer.kernel - 1) / 2};
      Matrix y = glu(kernels::Gate::kSigmoid,
                     convolution(window, dropped, normed_weight(parameters, name + "convolution"),
                                 parameters.at(name + "convolution.bias")));
      if (attend) y = attend(i, y);
      if (layer.residual > 0) {
        Matrix residual = outputs[outputs.size() - static_cast<size_t>(layer.residual)];
        if (residual.columns != layer.width) {
          residual = normed_linear(parameters, name + "projection", residual);
        }
        y = scale(kRootOfHalf, add(y, residual));
      }
      outputs.push_back(y);
    }
    return outputs.back();
  }
};

}  // namespace skein::plain
