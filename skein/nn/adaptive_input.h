// Adaptive input (Baevski & Auli 2019): embeddings whose width falls with the frequency of a word,
// each band projected to one width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/autograd/tape.h"
#include "skein/autograd/word_bands.h"
#include "skein/nn/parameter_store.h"

namespace skein {

// width / factor^band, rounded down. Throws UsageError if nothing is left of it.
int64_t band_width(int64_t width, double factor, size_t band);

class AdaptiveInput {
 public:
  struct Options {
    WordBands bands;
    int64_t width = 0;  // of what comes out
    double factor = 4;  // each band is this many times narrower than the one before
  };
  // For band b parameters `name.bands.b.embedding.weight` [words, band_width(b)] and
  // `name.bands.b.projection.weight` [width, band_width(b)].
  AdaptiveInput(ParameterStore& store, const std::string& name, const Options& options);

  // scale * the projected embeddings of ids, [n, width]. Throws ShapeError for an id outside the
  // vocabulary.
  Variable operator()(Tape& tape, std::span<const int32_t> ids, double scale) const;

  const WordBands& bands() const { return options_.bands; }
  int64_t width() const { return options_.width; }
  struct Band {
    Variable embedding;
    Variable projection;
  };
  const Band& band(size_t number) const { return weights_[number]; }

 private:
  Options options_;
  std::vector<Band> weights_;
};

}  // namespace skein
