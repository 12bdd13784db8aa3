// The gated convolutional language model once more, in double precision, from Dauphin et al. 2016.
#pragma once

#include <utility>

#include "models/plain_adaptive.h"
#include "models/plain_gated_convolutions.h"
#include "skein/models/fconv_lm.h"

namespace skein {

class PlainFConvLm {
 public:
  PlainFConvLm(FConvLmOptions options, plain::Parameters parameters)
      : options_(std::move(options)), parameters_(std::move(parameters)) {}

  plain::Parameters& parameters() { return parameters_; }

  // [target tokens, width]. Dropout masks are drawn from `masks` in the order of the equations.
  plain::Matrix features(Tape& masks, const Batch& batch) const {
    const PackedSequences& target = batch.target_input;
    const plain::Matrix words =
        plain::dropout(masks.next_dropout(options_.dropout),
                       plain::embed_with_positions(parameters_, "decoder.", target));
    const plain::GatedStack stack{.parameters = parameters_,
                                  .side = "decoder.",
                                  .layers = options_.layers,
                                  .causal = true,
                                  .dropout = options_.dropout,
                                  .attend = nullptr};
    const plain::Matrix x =
        stack.run(masks, target.offsets, plain::normed_linear(parameters_, "decoder.in", words));
    if (options_.bands) return x;
    return plain::dropout(masks.next_dropout(options_.dropout),
                          plain::normed_linear(parameters_, "decoder.out", x));
  }

  // Summed over the batch; an adaptive softmax is not smoothed.
  double loss(Tape& masks, const Batch& batch, double smoothing) const {
    const plain::Matrix x = features(masks, batch);
    const std::vector<int32_t>& targets = batch.target.tokens;
    if (!options_.bands) {
      return plain::cross_entropy(plain::normed_linear(parameters_, "output", x), targets,
                                  smoothing)
          .smoothed;
    }
    return plain::adaptive_softmax(parameters_, *options_.bands, false).loss(x, targets, [&] {
      return masks.next_dropout(options_.adaptive_dropout);
    });
  }

 private:
  FConvLmOptions options_;
  plain::Parameters parameters_;
};

}  // namespace skein
