// The adaptive softmax with its parameters: of its own, or those of an adaptive input.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "skein/autograd/adaptive_softmax.h"
#include "skein/nn/adaptive_input.h"

namespace skein {

class AdaptiveSoftmax {
 public:
  struct Options {
    WordBands bands;
    int64_t features = 0;
    double factor = 4;   // band b has features / factor^b columns between its two maps
    double dropout = 0;  // of these columns
  };
  // Parameters `name.head.weight` [words of the first band + tails, features] and, for band b from
  // 1, `name.bands.b.in.weight` and `name.bands.b.out.weight`.
  AdaptiveSoftmax(ParameterStore& store, const std::string& name, const Options& options);
  // The words of the head are the first band's embeddings, without their projection, and a tail is
  // its band of the input the other way round; parameter `name.classes.weight` [tails, features].
  // Baevski & Auli 2019, section 3.2.
  AdaptiveSoftmax(ParameterStore& store, const std::string& name, const AdaptiveInput& input,
                  double dropout);

  // Parameters that do not change any more are put together once.
  std::shared_ptr<const AdaptiveWeights> weights(Tape& tape) const;

  // Of a forward pass over these targets: all of them through the head, each through its tail.
  double multiply_adds(std::span<const int32_t> targets) const;

 private:
  struct Cache {
    std::once_flag once;
    std::shared_ptr<const AdaptiveWeights> weights;
  };

  std::shared_ptr<const AdaptiveWeights> put_together(Tape& tape) const;

  AdaptiveWeights own_;                    // defined where they are parameters themselves
  std::vector<AdaptiveInput::Band> tied_;  // of the input; empty without
  Variable classes_;
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

}  // namespace skein
